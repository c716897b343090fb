// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "grader/text/terminal.h"
#include "simulator/channel/observed.h"

namespace roofline::grader {

/// What a program's kernels did on the simulated GPU, for a person: launches of the same kernel and shape are
/// one row; then the copies. Everything that is a time says that it is simulated.
std::string kernel_table(const sim::Region& region, const Terminal& terminal);

}  // namespace roofline::grader
