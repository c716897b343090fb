// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/moment.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace roofline::grader {

std::optional<Seconds> parse_time(std::string_view text, const std::string& zone_of_none) {
  std::tm parts{};
  int hour = 23, minute = 59, second = 59, used = 0;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &used) != 3)
    return std::nullopt;
  std::string_view rest = std::string_view(copy).substr(static_cast<std::size_t>(used));
  if (!rest.empty()) {
    int time_used = 0;
    if ((rest[0] != 'T' && rest[0] != ' ') ||
        std::sscanf(rest.data() + 1, "%2d:%2d%n", &hour, &minute, &time_used) != 2)
      return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(time_used) + 1);
    second = 0;
    if (rest.starts_with(':')) {
      if (std::sscanf(rest.data() + 1, "%2d%n", &second, &time_used) != 1) return std::nullopt;
      rest.remove_prefix(static_cast<std::size_t>(time_used) + 1);
    }
    if (rest.starts_with('.'))
      rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
  }
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  Seconds offset = 0;
  if (!rest.empty() && rest != "Z" && rest != "UTC") {
    int hours = 0, minutes = 0;
    char sign = 0;
    std::string zone(rest);
    std::erase(zone, ':');
    if (zone.size() != 5 || std::sscanf(zone.c_str(), "%c%2d%2d", &sign, &hours, &minutes) != 3 ||
        (sign != '+' && sign != '-'))
      return std::nullopt;
    offset = (sign == '-' ? -1 : 1) * (Seconds{3600} * hours + Seconds{60} * minutes);
  }
  if (parts.tm_mon < 1 || parts.tm_mon > 12 || parts.tm_mday < 1 || parts.tm_mday > 31 || hour < 0 ||
      hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
    return std::nullopt;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  parts.tm_hour = hour;
  parts.tm_min = minute;
  parts.tm_sec = second;
  const auto shown = static_cast<Seconds>(timegm(&parts));
  return rest.empty() ? from_zone(shown, zone_of_none) : shown - offset;
}

std::string time_text(Seconds time) {
  const auto moment = static_cast<std::time_t>(time);
  std::tm parts{};
  char text[32] = "";
  if (gmtime_r(&moment, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

namespace {

/// "+01:00", in seconds.
std::optional<Seconds> fixed_offset(const std::string& zone) {
  int hours = 0, minutes = 0, used = 0;
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') ||
      std::sscanf(zone.c_str() + 1, "%2d:%2d%n", &hours, &minutes, &used) != 2 || used != 5)
    return std::nullopt;
  return (zone[0] == '-' ? -1 : 1) * (Seconds{3600} * hours + Seconds{60} * minutes);
}

std::filesystem::path zone_file(const std::string& zone) {
  const char* folder = std::getenv("TZDIR");
  return std::filesystem::path(folder != nullptr ? folder : "/usr/share/zoneinfo") / zone;
}

}  // namespace

std::string zone_problem(const std::string& zone) {
  if (zone.empty() || zone == "UTC" || fixed_offset(zone)) return {};
  if (zone.find("..") != std::string::npos || zone.starts_with('/')) return "there is no such zone";
  std::error_code ignored;
  if (std::filesystem::is_regular_file(zone_file(zone), ignored)) return {};
  return "this system knows no zone \"" + zone + "\" (package tzdata)";
}

namespace {

/// While it lives, the C library's local time is that of a zone.
class LocalTime {
 public:
  explicit LocalTime(const std::string& zone) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    setenv("TZ", (":" + zone_file(zone).string()).c_str(), 1);
    tzset();
  }
  LocalTime(const LocalTime&) = delete;
  LocalTime& operator=(const LocalTime&) = delete;
  ~LocalTime() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }

 private:
  std::optional<std::string> before_;
};

bool is_utc(const std::string& zone) { return zone.empty() || zone == "UTC"; }

}  // namespace

Seconds from_zone(Seconds shown, const std::string& zone) {
  if (is_utc(zone)) return shown;
  if (const auto offset = fixed_offset(zone)) return shown - *offset;
  const LocalTime local(zone);
  const auto moment = static_cast<std::time_t>(shown);
  std::tm parts{};
  gmtime_r(&moment, &parts);
  parts.tm_isdst = -1;  // the zone's rules say
  return static_cast<Seconds>(mktime(&parts));
}

std::string clock_text(Seconds time, const std::string& zone) {
  const Seconds offset = is_utc(zone) ? 0 : fixed_offset(zone).value_or(0);
  const auto moment = static_cast<std::time_t>(time + offset);
  std::tm parts{};
  if (is_utc(zone) || fixed_offset(zone)) {
    gmtime_r(&moment, &parts);
  } else {
    const LocalTime local(zone);
    localtime_r(&moment, &parts);
  }
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

}  // namespace roofline::grader
