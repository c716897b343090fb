// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/box/process_tree.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace roofline::grader {
namespace {

/// What comes behind the name in "pid (name) state parent ...": a name may hold anything, also ')'.
std::string stat_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string stat;
  std::getline(file, stat);
  const size_t end = stat.rfind(')');
  return end == std::string::npos ? std::string() : stat.substr(end + 1);
}

/// Every process, with its parent.
std::vector<std::pair<pid_t, pid_t>> processes() {
  std::vector<std::pair<pid_t, pid_t>> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    int parent = 0;
    if (std::sscanf(stat_of(entry.path()).c_str(), " %*c %d", &parent) == 1) all.emplace_back(pid, parent);
  }
  return all;
}

/// Also where a process starts and ends others meanwhile.
std::vector<pid_t> complete_tree_of(pid_t root) {
  const auto all = processes();
  std::vector<pid_t> tree = {root};
  for (size_t i = 0; i < tree.size(); ++i)
    for (const auto& [pid, parent] : all)
      if (parent == tree[i]) tree.push_back(pid);
  return tree;
}

std::uint64_t resident(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::uint64_t mapped = 0, pages = 0;
  file >> mapped >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Each page divided by how many processes have it; nothing where that is not told.
std::optional<std::uint64_t> proportional(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  std::string line;
  unsigned long long kibibytes = 0;
  while (std::getline(file, line))
    if (std::sscanf(line.c_str(), "Pss: %llu kB", &kibibytes) == 1) return kibibytes * 1024;
  return std::nullopt;
}

}  // namespace

std::vector<pid_t> tree_of(pid_t root) {
  std::vector<pid_t> tree = {root};
  if (!std::filesystem::exists("/proc/thread-self/children")) return complete_tree_of(root);
  for (size_t i = 0; i < tree.size(); ++i) {
    try {
      for (const auto& thread :
           std::filesystem::directory_iterator("/proc/" + std::to_string(tree[i]) + "/task")) {
        std::ifstream children(thread.path() / "children");
        for (pid_t child = 0; children >> child;) tree.push_back(child);
      }
    } catch (const std::filesystem::filesystem_error&) {
      continue;  // it ended meanwhile
    }
  }
  return tree;
}

void kill_tree(pid_t child) {
  kill(child, SIGSTOP);  // starts nothing new meanwhile
  for (const pid_t pid : complete_tree_of(child)) kill(pid, SIGKILL);
}

std::uint64_t processor_ticks_of(const std::vector<pid_t>& processes) {
  std::uint64_t sum = 0;
  for (const pid_t pid : processes) {
    unsigned long long ticks[4] = {};  // in the program, in the system; and both of its children
    constexpr const char* kTwelfthOn = " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu %llu %llu";
    if (std::sscanf(stat_of("/proc/" + std::to_string(pid)).c_str(), kTwelfthOn, &ticks[0], &ticks[1],
                    &ticks[2], &ticks[3]) == 4)
      sum += ticks[0] + ticks[1] + ticks[2] + ticks[3];
  }
  return sum;
}

std::uint64_t memory_of(const std::vector<pid_t>& processes, std::uint64_t exact_beyond) {
  std::uint64_t sum = 0;
  for (const pid_t pid : processes) sum += resident(pid);
  if (sum <= exact_beyond) return sum;
  sum = 0;
  for (const pid_t pid : processes) sum += proportional(pid).value_or(resident(pid));
  return sum;
}

}  // namespace roofline::grader
