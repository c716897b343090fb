// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

/// Numbers for a person: three significant digits and a unit.
namespace roofline::grader {

std::string format_number(const char* pattern, double value);
std::string bytes_text(double bytes);   ///< "1.23 MB"
std::string time_text(double seconds);  ///< "45.6 us"
std::string count_text(double n);       ///< "1.23 M"
/// "12 %", "0.3 %" below one percent.
std::string percent_text(double fraction);

}  // namespace roofline::grader
