// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "grader/batch/ceiling.h"
#include "grader/lab/spec.h"

/// What an instructor decides beside the labs: when it was due, what counts how much.
namespace roofline::grader {

/// Seconds since 1970, UTC.
using Seconds = std::int64_t;

/// "2026-11-20T23:59:00Z", "2026-11-20 23:59 +0100", "2026-11-20" (its end); without a zone it is of `zone`
/// (from_zone).
std::optional<Seconds> parse_time(std::string_view text, const std::string& zone = {});

/// "2026-11-20T23:59:00Z".
std::string time_text(Seconds time);

/// What a clock of `zone` shows, counted as if it were UTC, as UTC. A zone is "Europe/Berlin" or "+01:00";
/// empty: UTC.
Seconds from_zone(Seconds shown, const std::string& zone);
/// Why from_zone cannot know it; empty: it does.
std::string zone_problem(const std::string& zone);

struct LatePolicy {
  std::optional<Seconds> deadline{};
  Seconds grace = 0;
  double percent_per_day = 0;                   ///< of the points, for each day that has begun
  double most_days = -1;                        ///< later than that: no points; negative: no such limit
  std::map<std::string, Seconds> extensions{};  ///< a student's own deadline
  std::string time_zone{};                      ///< of times that are written without one; empty: UTC

  struct Verdict {
    double factor = 1;
    std::string remark{};  ///< empty: in time
    double days = 0;       ///< late, that have begun
  };
  Verdict of(const std::string& student, std::optional<Seconds> handed_in) const;
};

/// course.toml. Throws UsageError that names the line or the key.
struct Course {
  LatePolicy late;
  ClassLimits limits;
  std::map<std::string, std::map<std::string, double>> points;  ///< part ("*": all) -> name -> points

  static Course read(const std::filesystem::path& file);
  static Course parse(const std::string& text, const std::string& name);
  Points points_of(const std::string& part, Points given) const;
};

}  // namespace roofline::grader
