// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/value.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace roofline::grader {

std::out_of_range not_in_spec(std::string_view what, std::string_view name) {
  return std::out_of_range(std::string(what) + " '" + std::string(name) + "' is not in the lab's spec");
}

Value l2_multiple(const L2Multiple& rule) {
  return {[rule](const DeviceFacts& device) {
    const double bytes =
        static_cast<double>(device.l2_bytes) * (device.simulated ? rule.simulated : rule.gpu);
    const double elements = std::ceil(bytes / rule.bytes_per_element / 1024) * 1024;
    return std::max(elements, static_cast<double>(rule.minimum));
  }};
}

Value rows_beyond_l2(const RowsBeyondL2& rule) {
  return {[rule](const DeviceFacts& device) {
    const double bytes =
        std::max(static_cast<double>(device.l2_bytes) * (device.simulated ? rule.simulated : rule.gpu),
                 static_cast<double>(rule.minimum));
    const auto multiple = static_cast<double>(
        rule.of_sms ? std::lcm(rule.multiple, std::max<std::uint64_t>(device.sms, 1)) : rule.multiple);
    return std::ceil(bytes / rule.row_bytes / multiple) * multiple;
  }};
}

Settings::Settings(const NamedValues& values, const DeviceFacts& device) {
  for (const auto& [name, value] : values) set(name, value.at(device));
}

double Settings::operator[](std::string_view name) const {
  const auto value = find(name);
  if (!value) throw not_in_spec("setting", name);
  return *value;
}

std::optional<double> Settings::find(std::string_view name) const {
  for (const auto& [known, value] : values_) {
    if (known == name) return value;
  }
  return std::nullopt;
}

void Settings::set(std::string_view name, double value) {
  for (auto& [known, old] : values_) {
    if (known == name) {
      old = value;
      return;
    }
  }
  values_.emplace_back(std::string(name), value);
}

}  // namespace roofline::grader
