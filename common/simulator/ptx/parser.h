// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "simulator/ptx/load_error.h"
#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// Parses PTX text, which need not be NUL-terminated (trailing NUL characters are ignored). `name` stands in
/// messages in place of a file name.
///
/// What to expect of the Module:
/// - Names declared inside a nested `{ }` scope end in '@' and the scope's number, so that every register,
///   variable, label and prototype name is unique inside its function.
/// - Function::registers lists the registers that occur in the body, in order of first use, not all declared.
/// - A declaration followed by its definition is one Function (or Variable), in the declaration's place.
/// - `.calltargets` stand in Function::branch_targets too, with function names as labels.
/// - A vector register `.reg .v4 .f32 %v` becomes "%v.x" ... "%v.w"; a bare %v is a kVector of these.
/// - An address with coordinates ("[%rd1, {%r1, %r2}]") is a kAddress whose `elements` are the coordinates.
/// - `.section` contents (DWARF) are skipped.
///
/// \throws LoadError whose text shows the place, the line and a caret under the token.
Module parse(std::string_view text, std::string_view name);

}  // namespace roofline::sim::ptx
