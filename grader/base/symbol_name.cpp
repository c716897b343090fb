// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/symbol_name.h"

#include "grader/base/printable.h"
#include "simulator/names.h"

namespace roofline::grader {

std::string readable_symbol(const std::string& symbol) { return printable(sim::readable_name(symbol)); }

}  // namespace roofline::grader
