// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

/// Numbers for a person: three significant digits and a unit.
namespace roofline::grader {

std::string format_number(const char* pattern, double value);  ///< as printf
std::string bytes_text(double bytes);                          ///< "1.23 MB"
std::string time_text(double seconds);                         ///< "45.6 us"
std::string count_text(double n);                              ///< "1.23 M"
/// "12 %", "0.3 %" below one percent.
std::string percent_text(double fraction);
/// "94.7 %", "4.7 %", "0.47 %": what was reached of a roof, or of a best time.
std::string fraction_text(double fraction);

/// A number for a label: `digits` significant digits, no exponent for everyday sizes.
std::string significant(double value, int digits = 3);
/// The same without zeros at its end.
std::string compact(double value, int digits = 3);

}  // namespace roofline::grader
