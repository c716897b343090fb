// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/host_watch.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>

#include "simulator/program/address_windows.h"
#include "simulator/runtime/address.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

/// What the handler saw; it may only use memory that is there already.
struct Seen {
  u64 address;
  bool write;
};
constexpr u32 kMostSeen = 256;
Seen g_seen[kMostSeen];
std::atomic<u32> g_seen_count{0};
std::atomic<bool> g_watching{false};
struct sigaction g_before;

/// Whether the access that faulted was a write.
bool was_write(const ucontext_t& program) {
#ifdef __aarch64__
  // The kernel appends records to the registers; one is the syndrome of the fault, whose bit 6 tells.
  const unsigned char* at = program.uc_mcontext.__reserved;
  for (;;) {
    const auto* head = reinterpret_cast<const _aarch64_ctx*>(at);
    if (head->magic == ESR_MAGIC) return (reinterpret_cast<const esr_context*>(at)->esr & 1u << 6) != 0;
    if (head->size == 0) return false;
    at += head->size;
  }
#else
  constexpr greg_t kFaultOfWrite = 2;  // bit 1 of a page fault's error code
  return (program.uc_mcontext.gregs[REG_ERR] & kFaultOfWrite) != 0;
#endif
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((g_before.sa_flags & SA_SIGINFO) != 0 && g_before.sa_sigaction != nullptr)
    return g_before.sa_sigaction(signal, info, context);
  if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) return g_before.sa_handler(signal);
  sigaction(signal, &g_before, nullptr);  // the access runs again and ends the program as it would have
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const u64 address = reinterpret_cast<u64>(info->si_addr);
  const bool ours = address >= kHostWindow && address - kHostWindow < kHostWindowBytes;
  if (!ours || !g_watching.load(std::memory_order_relaxed)) return pass_on(signal, info, context);
  const u32 place = g_seen_count.fetch_add(1, std::memory_order_relaxed);
  if (place < kMostSeen) g_seen[place] = {address, was_write(*static_cast<const ucontext_t*>(context))};
  mprotect(reinterpret_cast<void*>(address / kPage * kPage), kPage, PROT_READ | PROT_WRITE);
}

void protect(const BusyRun& run, int protection) {
  mprotect(reinterpret_cast<void*>(run.begin), run.bytes, protection);
}

}  // namespace

HostWatch& HostWatch::instance() {
  static HostWatch watch;
  return watch;
}

void HostWatch::start() {
  started_ = true;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &g_before);
}

void HostWatch::pause() {
  for (const BusyRun& run : protected_) protect(run, PROT_READ | PROT_WRITE);
  protected_.clear();
  g_watching = false;
}

void HostWatch::call_begins(Connection& connection) {
  pause();
  const u32 seen = std::min(g_seen_count.exchange(0), kMostSeen);
  for (u32 i = 0; i < seen; i++) connection.post(ReportHostAccess{g_seen[i].address, g_seen[i].write});
}

void HostWatch::call_ends(Connection& connection) {
  BusyMemory busy;
  if (connection.call(QueryBusy{}, busy) != Status::kOk || busy.runs.empty()) return;
  if (!started_) start();
  g_watching = true;
  protected_ = std::move(busy.runs);
  for (const BusyRun& run : protected_) protect(run, run.written ? PROT_NONE : PROT_READ);
}

}  // namespace roofline::sim::runtime
