// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace roofline::sim::channel {

/// The vector levels that the machine is built for, the best first: of x86-64 its levels; of Armv8-A the
/// vectors that each such processor has.
#ifdef __aarch64__
inline constexpr std::string_view kVectorLevels[] = {"armv8"};
#else
inline constexpr std::string_view kVectorLevels[] = {"v4", "v3", "v2"};
#endif

/// Whether this processor runs the machine of a level. Asks for the features that tell the levels of x86-64
/// apart on every CPU sold; not all compilers know the levels' own names.
inline bool cpu_has(std::string_view level) {
#ifdef __aarch64__
  return level == "armv8";
#else
  if (level == "v4")
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  if (level == "v3")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
  return level == "v2" && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
#endif
}

}  // namespace roofline::sim::channel
