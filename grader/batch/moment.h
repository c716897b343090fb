// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Moments as people and platforms write them.
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
/// What a clock of `zone` shows then: "2026-11-20 23:59".
std::string clock_text(Seconds time, const std::string& zone);
/// Why from_zone cannot know it; empty: it does.
std::string zone_problem(const std::string& zone);

}  // namespace roofline::grader
