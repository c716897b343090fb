// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "simulator/machine/warp.h"

namespace roofline::sim::isa {

/// What a call of an external function without a body runs: vprintf, __assertfail, malloc, free,
/// cudaGraphSetConditional, the calls of device_calls.h. nullptr when the name is none of them. The Execute
/// finds its CallSite (program/function.h) at in.extra->pointer.
Execute builtin(std::string_view name);

/// Whether a kernel that calls it must run its blocks in order: the addresses that malloc returns, and the
/// condition that is set last, and in which order work is launched.
bool builtin_needs_order(std::string_view name);

}  // namespace roofline::sim::isa
