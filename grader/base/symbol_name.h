// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace roofline::grader {

/// "scale<float>" for "_Z5scaleIfEvPT_": without the parameters and the result, which are noise beside
/// counts. Text that is no mangled name comes back as it is, made printable.
std::string readable_symbol(const std::string& symbol);

}  // namespace roofline::grader
