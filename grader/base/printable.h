// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

/// Text from somebody else, made safe to show.
namespace roofline::grader {

/// Valid UTF-8 without anything that a terminal obeys or that hides text: escape sequences and carriage
/// returns are dropped; other control characters but newline and tab, bidirectional and invisible characters
/// and bytes that are no character become '?', and what runners of continuous integration would obey
/// (`::name::`, `##vso[`, `##[`) is broken by a blank.
std::string printable(std::string_view text);

/// Length of the UTF-8 sequence that starts at `at`, 0 when it is not one.
std::size_t utf8_length(std::string_view text, std::size_t at);

/// Index after the escape sequence that starts at `at` (text[at] is ESC).
std::size_t skip_escape(std::string_view text, std::size_t at);

}  // namespace roofline::grader
#include "grader/base/printable.h"
