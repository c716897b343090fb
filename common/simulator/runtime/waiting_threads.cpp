// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/waiting_threads.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "simulator/types.h"

namespace roofline::sim::runtime {
namespace {

/// The system call in which a thread is, from proc(5): its number and arguments; -1 while it runs.
struct SystemCall {
  s64 number = -1;
  u64 arguments[4] = {};
};

SystemCall system_call_of(const std::filesystem::path& task) {
  SystemCall call;
  std::ifstream in(task / "syscall");
  if (!(in >> call.number)) return {};
  in >> std::hex;
  for (u64& argument : call.arguments)
    if (!(in >> argument)) return {};
  return call;
}

/// Whether other processes may have the memory at this address, too.
bool may_be_shared(u64 address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    u64 begin = 0, end = 0;
    char access[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access) != 3) return true;
    if (address >= begin && address < end) return access[3] == 's';
  }
  return true;
}

}  // namespace

bool wait_for_each_other(const std::set<pid_t>& except) {
  std::error_code failed;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", failed)) {
    const std::string name = task.path().filename();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (except.contains(thread)) continue;
    const SystemCall call = system_call_of(task.path());
    const auto& [word, operation, value, limit] = call.arguments;
    if (call.number != SYS_futex || limit != 0) return false;
    const u64 kind = operation & FUTEX_CMD_MASK;
    if (kind != FUTEX_WAIT && kind != FUTEX_WAIT_BITSET) return false;
    if ((operation & FUTEX_PRIVATE_FLAG) == 0 && may_be_shared(word)) return false;
  }
  return !failed;
}

}  // namespace roofline::sim::runtime
