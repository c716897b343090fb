// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/channel/machine_options.h"

namespace roofline::sim::server {

using Options = channel::MachineArguments;

/// Throws std::runtime_error with a sentence about the first argument that is wrong.
Options parse_options(int argc, char** argv);

}  // namespace roofline::sim::server
