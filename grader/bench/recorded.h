// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>

/// Times of `./lab bench` that came with the course (docs/results): where the slower versions are not, their
/// times are.
namespace roofline::grader {

struct RecordedTime {
  double us = 0, fraction = 0;  ///< of the limit
  double limit_us() const { return us * fraction; }
};

/// The slowest version of a work ("01/bandwidth"): the naive one. `file` is Google Benchmark's; nothing where
/// there is no such file, or no such work in it.
std::optional<RecordedTime> slowest_recorded(const std::filesystem::path& file, const std::string& work);

}  // namespace roofline::grader
