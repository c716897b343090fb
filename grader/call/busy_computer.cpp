// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/busy_computer.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "grader/box/process_tree.h"

namespace roofline::grader {

std::string busy_computer(double ready, unsigned cores) {
  // A grade alone has a thread for each core, its worker and the judge.
  if (cores == 0 || ready < 2.0 * cores + 2) return {};
  return "\nThis computer is busy: " + std::to_string(static_cast<int>(ready)) + " threads share its " +
         (cores == 1 ? "core" : std::to_string(cores) + " cores") +
         ". Grade again when other programs have ended, before you look for the cause in your file.";
}

std::string busy_computer() {
  double ready = 0;
  if (getloadavg(&ready, 1) != 1) return {};
  return busy_computer(ready, std::thread::hardware_concurrency());
}

ProcessorTime processor_time(const std::vector<int>& processes) {
  ProcessorTime time;
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  // In programs, nice ones, the system, idle, waiting for a disk, interrupts, the same, other systems: later
  // ones are part of the first.
  std::uint64_t ticks = 0;
  for (unsigned kind = 0; kind < 8 && file >> ticks; ++kind) {
    time.all += ticks;
    if (kind == 3 || kind == 4) time.idle += ticks;
  }
  time.own = processor_ticks_of(processes);
  return time;
}

bool others_took_most(const ProcessorTime& before, const ProcessorTime& after) {
  const std::uint64_t all = after.all - before.all, idle = after.idle - before.idle,
                      own = after.own - std::min(before.own, after.own);
  return all > 0 && 2 * (idle + own) < all;
}

}  // namespace roofline::grader
