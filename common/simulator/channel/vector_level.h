// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace roofline::sim::channel {

/// Whether this processor runs the machine of an x86-64 level ("v2", "v3", "v4"). Asks for the features that
/// tell the levels apart on every CPU sold; not all compilers know the levels' own names.
inline bool cpu_has(std::string_view level) {
  if (level == "v4")
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  if (level == "v3")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
}

}  // namespace roofline::sim::channel
