// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace roofline::grader {

/// What to think of a deadline that passed on a computer with `ready` programs ready to run on `cores` cores:
/// deadlines are in wall time, in which a simulation may have got little of the processors. Empty where there
/// are few, and a deadline means what it says.
std::string busy_computer(double ready, unsigned cores);

/// The same of this computer, in the last minute.
std::string busy_computer();

}  // namespace roofline::grader
