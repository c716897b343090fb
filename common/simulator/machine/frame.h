// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/machine/warp.h"

/// What a frame holds when it is entered: special registers, arguments.
namespace roofline::sim {

/// Gives a frame rows for `function`; rows that could be read before they are written hold
/// kUnwrittenByte, predicates among them 0.
void open_frame(Frame& frame, const Function& function);

/// Special registers and local addresses, for all 32 lanes. The frame must be current.
void fill_entry_rows(Warp& w, const Frame& frame);

/// Makes bytes of the lanes' local memory, from `address`, such as nobody wrote.
void open_local(const Warp& w, u32 lanes, u64 address, u64 bytes);

/// Copies the caller's argument bytes to the callee's parameters. The caller's frame must be current.
void pass_arguments(Warp& w, const Frame& callee);
/// Copies what the callee returned to the caller's result variables, for some of its lanes.
void return_results(Warp& w, const Frame& callee, u32 lanes);

/// Fills the launch rows of every function of a kernel.
void fill_launch_rows(const Kernel& kernel, const Grid& grid);

}  // namespace roofline::sim
