// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/findings.h"

#include <algorithm>

namespace roofline::sim {

namespace {

std::string key_of(const Finding& finding) {
  std::vector<std::string> places;
  for (const Finding::Place& place : finding.places)
    places.push_back(place.line != 0       ? place.file + ':' + std::to_string(place.line)
                     : place.ptx_line != 0 ? "ptx " + std::to_string(place.ptx_line)
                                           : place.what);
  std::sort(places.begin(), places.end());
  std::string key = std::string(name_of(finding.check)) + '\n' + finding.rule + '\n' + finding.kernel;
  for (const std::string& place : places) key += '\n' + place;
  // What has no place in code is told apart by its text.
  if (places.empty()) key += '\n' + finding.message;
  return key;
}

}  // namespace

Finding& Findings::add(Finding finding) {
  const std::string key = key_of(finding);
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    known->second->count += finding.count;
    return *known->second;
  }
  if (all_.size() >= kMost) {
    ++not_kept_;
    return spill_ = std::move(finding);
  }
  all_.push_back(std::move(finding));
  by_key_.emplace(key, &all_.back());
  return all_.back();
}

}  // namespace roofline::sim
