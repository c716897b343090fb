// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace roofline::sim::runtime {

/// One message of the simulated GPU on the program's standard error.
void say(std::string_view message);

}  // namespace roofline::sim::runtime
