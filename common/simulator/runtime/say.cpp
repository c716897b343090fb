// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/say.h"

#include <cstdio>
#include <string>

namespace roofline::sim::runtime {

void say(std::string_view message) {
  std::string line = "simulated GPU: ";
  line += message;
  if (!line.ends_with('\n')) line += '\n';
  std::fflush(stdout);  // keeps the order in which a person expects to read the two streams
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace roofline::sim::runtime
