// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/course.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>

#include "grader/base/given_file.h"
#include "grader/base/paths.h"
#include "grader/base/toml.h"
#include "grader/base/units.h"
#include "grader/base/words.h"

namespace roofline::grader {
namespace {

constexpr Seconds kDay = 86'400;

/// A date of TOML, or a string in one of parse_time's forms.
Seconds time_of(const toml::node& node, const std::string& where, const std::string& zone) {
  std::optional<Seconds> time;
  if (const auto* text = node.as_string()) {
    time = parse_time(text->get(), zone);
  } else if (const auto* moment = node.as_date_time()) {
    std::ostringstream written;
    written << moment->get();
    time = parse_time(written.str(), zone);
  } else if (const auto* day = node.as_date()) {
    std::ostringstream written;
    written << day->get();
    time = parse_time(written.str(), zone);
  }
  if (!time) throw UsageError(where + " is not a time such as 2026-11-20T23:59:00Z");
  return *time;
}

double number_of(const toml::node& node, const std::string& where) {
  const std::optional<double> value = node.value<double>();
  if (!value || !std::isfinite(*value) || *value < 0) throw UsageError(where + " is not a number from 0 on");
  return *value;
}

void read_late(const toml::table& table, const std::string& name, LatePolicy& late) {
  if (const toml::node* zone = table.get("time_zone")) {  // before the times that need it
    late.time_zone = zone->value_or(std::string());
    if (const std::string problem = zone_problem(late.time_zone); !problem.empty() || !zone->is_string())
      throw UsageError(name + ": late.time_zone is not \"Europe/Berlin\", or \"+01:00\": " +
                       (problem.empty() ? "it is no text" : problem));
  }
  for (const auto& [key, node] : table) {
    const std::string where = name + ": late." + std::string(key.str());
    if (key.str() == "deadline") {
      late.deadline = time_of(node, where, late.time_zone);
    } else if (key.str() == "grace_minutes") {
      late.grace = static_cast<Seconds>(60 * number_of(node, where));
    } else if (key.str() == "percent_per_day") {
      late.percent_per_day = number_of(node, where);
    } else if (key.str() == "most_days") {
      late.most_days = number_of(node, where);
    } else if (key.str() == "extensions" && node.is_table()) {
      for (const auto& [student, until] : *node.as_table())
        late.extensions[lower(std::string(student.str()))] =
            time_of(until, where + "." + std::string(student.str()), late.time_zone);
    } else if (key.str() != "time_zone") {
      throw UsageError(where +
                       " is not known: deadline, grace_minutes, percent_per_day, most_days, time_zone, "
                       "extensions are");
    }
  }
}

double* field(Points& points, std::string_view name) {
  if (name == "correctness") return &points.correctness;
  if (name == "structure") return &points.structure;
  if (name == "prediction") return &points.prediction;
  for (const MedalRow& medal : kMedals)
    if (name == medal.name) return &(points.medals.*medal.value);
  return nullptr;
}

}  // namespace

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

Seconds from_zone(Seconds shown, const std::string& zone) {
  if (zone.empty() || zone == "UTC") return shown;
  if (const auto offset = fixed_offset(zone)) return shown - *offset;
  const char* before = std::getenv("TZ");
  const std::string kept = before != nullptr ? before : "";
  setenv("TZ", (":" + zone_file(zone).string()).c_str(), 1);
  tzset();
  const auto moment = static_cast<std::time_t>(shown);
  std::tm parts{};
  gmtime_r(&moment, &parts);
  parts.tm_isdst = -1;  // the zone's rules say
  const auto time = static_cast<Seconds>(mktime(&parts));
  before != nullptr ? setenv("TZ", kept.c_str(), 1) : unsetenv("TZ");
  tzset();
  return time;
}

LatePolicy::Verdict LatePolicy::of(const std::string& student, std::optional<Seconds> handed_in) const {
  const auto own = extensions.find(lower(student));
  const std::optional<Seconds> due = own != extensions.end() ? own->second : deadline;
  if (!due || !handed_in || *handed_in <= *due + grace) return {};
  const double days = std::ceil(static_cast<double>(*handed_in - *due) / kDay);
  const std::string late = compact(days, 4) + (days == 1 ? " day late: " : " days late: ");
  if (most_days >= 0 && days > most_days) return {0, late + "no points after " + compact(most_days, 4), days};
  const double factor = std::max(0.0, 1 - days * percent_per_day / 100);
  return {factor, late + compact(100 * factor, 4) + " %", days};
}

Course Course::read(const std::filesystem::path& file) { return parse(read_given(file), file.string()); }

Course Course::parse(const std::string& text, const std::string& name) {
  Course course;
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw UsageError(name + " line " + std::to_string(error.source().begin.line) + ": " +
                     std::string(error.description()));
  }
  for (const auto& [key, node] : table) {
    if (key.str() == "late" && node.is_table()) {
      read_late(*node.as_table(), name, course.late);
    } else if (key.str() == "limits" && node.is_table()) {
      course.limits = read_limits(*node.as_table(), name);
    } else if (key.str() == "points" && node.is_table()) {
      for (const auto& [inner, value] : *node.as_table()) {
        const std::string where = name + ": points." + std::string(inner.str());
        Points known;
        if (const toml::table* part = value.as_table()) {
          for (const auto& [kind, number] : *part) {
            if (field(known, kind.str()) == nullptr)
              throw UsageError(where + "." + std::string(kind.str()) + " is not a kind of points");
            course.points[std::string(inner.str())][std::string(kind.str())] = number_of(number, where);
          }
        } else if (field(known, inner.str()) != nullptr) {
          course.points["*"][std::string(inner.str())] = number_of(value, where);
        } else {
          throw UsageError(where + " is neither a kind of points nor a lab");
        }
      }
    } else {
      throw UsageError(name + ": " + std::string(key.str()) + " is not known: late, limits and points are");
    }
  }
  return course;
}

Points Course::points_of(const std::string& part, Points given) const {
  for (const std::string& which : {std::string("*"), part})
    if (const auto found = points.find(which); found != points.end())
      for (const auto& [kind, value] : found->second) *field(given, kind) = value;
  return given;
}

}  // namespace roofline::grader
