// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "simulator/types.h"

namespace roofline::sim {

/// How the blocks of a grid share the SMs.
struct BlockPace {
  u32 sms = 1;
  u32 resident = 1;     ///< blocks of an SM at a time
  double work = 1;      ///< of a block whose times these are, in instructions
  double alone = 0;     ///< clocks it takes with an SM to itself
  double together = 0;  ///< and with `resident` of its kind
};

/// Clocks until the last block has ended. Blocks go to the SMs in turn, then each to the place that one has
/// left. Where few share an SM each waits for its own results, where many do for its share of the SM.
/// `work`: of each block, in the order of launch.
double clocks_of_blocks(const BlockPace& pace, std::span<const u32> work);

}  // namespace roofline::sim
