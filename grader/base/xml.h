// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace roofline::grader {

/// For XML's and HTML's text and for attributes in double quotes. Of UTF-8: what XML 1.0 has no place for,
/// however it is written, is left out (control characters) or becomes a "?" (U+FFFE and U+FFFF); so does
/// what turns the direction of the text after it.
std::string xml_escaped(std::string_view text);

}  // namespace roofline::grader
