// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/waiting_threads.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace roofline::sim::runtime {
namespace {

namespace fs = std::filesystem;

/// The system call in which a thread is, from proc(5): its number and arguments; -1 while it runs.
struct SystemCall {
  s64 number = -1;
  u64 arguments[4] = {};
};

SystemCall system_call_of(const fs::path& task) {
  SystemCall call;
  std::ifstream in(task / "syscall");
  if (!(in >> call.number)) return {};
  in >> std::hex;
  for (u64& argument : call.arguments)
    if (!(in >> argument)) return {};
  return call;
}

/// What proc(5) says of a thread in the line that begins with `name`; empty where it says nothing.
std::string status_of(const fs::path& task, const std::string& name) {
  std::ifstream status(task / "status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  return {};
}

bool read_number(const std::string& text, u64& number, int base = 10) {
  return std::from_chars(text.data(), text.data() + text.size(), number, base).ec == std::errc{};
}

/// Whether the program has code for signals that come by themselves, from timers or from others. Who catches
/// those that a person ends a program with means to end it.
bool signals_may_wake() {
  u64 caught = 0;
  if (!read_number(status_of("/proc/self", "SigCgt"), caught, 16)) return true;
  u64 known = ~u64{0} << (SIGRTMIN - 1);
  for (const int signal : {SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGCHLD, SIGIO})
    known |= u64{1} << (signal - 1);
  return (caught & known) != 0;
}

/// Whether other processes may have the memory at one of these addresses, too.
bool may_be_shared(const std::vector<u64>& addresses) {
  std::ifstream maps("/proc/self/maps");
  std::size_t found = 0;
  for (std::string line; std::getline(maps, line);) {
    u64 begin = 0, end = 0;
    char access[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access) != 3) return true;
    for (const u64 address : addresses)
      if (address >= begin && address < end) {
        if (access[3] == 's') return true;
        found++;
      }
  }
  return found != addresses.size();
}

}  // namespace

std::optional<ThreadWaits> wait_for_each_other(const std::set<pid_t>& except) {
  ThreadWaits waits;
  std::vector<u64> words;
  std::error_code failed;
  for (fs::directory_iterator task("/proc/self/task", failed), end; !failed && task != end;
       task.increment(failed)) {
    u64 thread = 0, waited = 0;
    if (!read_number(task->path().filename(), thread)) return {};
    if (except.contains(static_cast<pid_t>(thread)) || status_of(task->path(), "State").starts_with('Z'))
      continue;
    const SystemCall call = system_call_of(task->path());
    const auto& [word, operation, value, limit] = call.arguments;
    const u64 kind = operation & FUTEX_CMD_MASK;
    const bool waits_in_futex = kind == FUTEX_WAIT || kind == FUTEX_WAIT_BITSET;
    if (call.number != SYS_futex || limit != 0 || !waits_in_futex) return {};
    if ((operation & FUTEX_PRIVATE_FLAG) == 0) words.push_back(word);
    if (!read_number(status_of(task->path(), "voluntary_ctxt_switches"), waited)) return {};
    waits[static_cast<pid_t>(thread)] = waited;
  }
  if (failed || signals_may_wake() || may_be_shared(words)) return {};
  return waits;
}

}  // namespace roofline::sim::runtime
