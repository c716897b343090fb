// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// "name:line:column: error: message", then the source line with a caret under `length` characters from `at`
/// on. Long lines are shown around the caret; characters that could upset a terminal become '?'.
std::string show_error(std::string_view name, TextPosition at, std::size_t length, std::string_view line,
                       std::string_view message);

/// \throws LoadError with the text of show_error.
[[noreturn]] void throw_syntax_error(std::string_view name, TextPosition at, std::size_t length,
                                     std::string_view line, std::string_view message);

}  // namespace roofline::sim::ptx
