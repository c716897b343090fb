// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>

#include "simulator/types.h"

/// Numbers in messages.
namespace roofline::sim {

/// "0x1f"; with at least so many digits.
inline std::string hex(u64 value, int digits = 1) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

/// "1 byte", "3 bytes".
inline std::string count_of(u64 n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace roofline::sim
