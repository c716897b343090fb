// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/busy_computer.h"

#include <cstdlib>
#include <thread>

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

}  // namespace roofline::grader
