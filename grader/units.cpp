// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/units.h"

#include <array>
#include <cstdio>

namespace roofline::grader {
namespace {

std::string with_unit(double value, const std::array<const char*, 5>& units, double step) {
  size_t unit = 0;
  while (unit + 1 < units.size() && value >= 999.5) {
    value /= step;
    unit++;
  }
  const char* pattern = value >= 99.95 ? "%.0f " : value >= 9.995 ? "%.1f " : "%.2f ";
  return format_number(value == 0 ? "%.0f " : pattern, value) + units[unit];
}

}  // namespace

std::string format_number(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string bytes_text(double bytes) { return with_unit(bytes, {"B", "kB", "MB", "GB", "TB"}, 1000); }
std::string time_text(double seconds) {
  return with_unit(seconds * 1e9, {"ns", "us", "ms", "s", "ks"}, 1000);
}
std::string count_text(double n) {
  std::string text = with_unit(n, {"", "k", "M", "G", "T"}, 1000);
  if (n < 999.5) {
    text.pop_back();
    if (n == static_cast<double>(static_cast<long long>(n))) text = format_number("%.0f", n);
  }
  return text;
}

std::string percent_text(double fraction) {
  const double percent = fraction * 100;
  return format_number(percent > 0 && percent < 0.95 ? "%.1f %%" : "%.0f %%", percent);
}

}  // namespace roofline::grader
