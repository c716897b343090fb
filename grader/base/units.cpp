// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
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

std::string fraction_text(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  return format_number(std::abs(fraction) < 0.0995 ? "%.2g %%" : "%.1f %%", 100 * fraction);
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  char buffer[48];
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e7)) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  } else {
    const int exponent = size == 0 ? 0 : static_cast<int>(std::floor(std::log10(size)));
    std::snprintf(buffer, sizeof buffer, "%.*f", std::max(0, digits - 1 - exponent), value);
  }
  return buffer;
}

std::string compact(double value, int digits) {
  std::string text = significant(value, digits);
  if (text.find('.') != std::string::npos && text.find('e') == std::string::npos) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

}  // namespace roofline::grader
