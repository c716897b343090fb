// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/program/address_windows.h"
#include "simulator/server/answers.h"

/// Commands that only a checked program sends: host code and the memory that it shares with the device, and
/// calls that failed.
namespace roofline::sim::server {

using namespace channel;

namespace {

/// So that the answer fits a packet; host code is not watched on pages beyond.
constexpr size_t kMostRuns = 2000;

}  // namespace

Answer Server::handle(const ReportHostAccess& c) {
  if (checks_) checks_->host_accessed(c.address, c.write);
  return {};
}

Answer Server::handle(const ReportFailedCall& c) {
  if (checks_) checks_->call_failed({c.call, c.error, c.text, c.site, c.launch});
  return {};
}

Answer Server::handle(const ReportErrorSeen&) {
  if (checks_) checks_->error_seen();
  return {};
}

Answer Server::handle(const QueryBusy&) {
  BusyMemory busy;
  if (!checks_) return give(busy);
  for (const auto& [page, written] :
       checks_->streams().busy_pages(kHostWindow, kHostWindow + kHostWindowBytes)) {
    if (!busy.runs.empty()) {
      BusyRun& last = busy.runs.back();
      if (last.begin + last.bytes == page && last.written == written) {
        last.bytes += ByteMap::kPageBytes;
        continue;
      }
    }
    if (busy.runs.size() == kMostRuns) break;
    busy.runs.push_back({page, ByteMap::kPageBytes, written});
  }
  return give(busy);
}

}  // namespace roofline::sim::server
