// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>

/// Our counters of a source line, and what NVIDIA's profiler calls the same.
namespace roofline::grader {

struct CounterName {
  std::string_view column;  ///< of `./lab run --counters`
  std::string_view what;    ///< in a few words
  std::string_view ncu;     ///< the metric of Nsight Compute (`ncu --page source`, `--metrics`)
};
std::span<const CounterName> counter_names();
/// Of one column; throws std::out_of_range for a column that is not there.
std::string ncu_name(std::string_view column);
/// A line a counter, for --help.
std::string counter_names_text();

}  // namespace roofline::grader
