// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/lab/roof.h"

namespace roofline::grader {

/// The link between host and device, and a chain of layers that keeps everything: what recomputing and
/// swapping are compared with.
///
/// Of the link: "link-in-256k" (to the device), "link-out-256k" and "link-both-256k" for chunks of 64 KiB,
/// 256 KiB, 1 MiB and 16 MiB. Of the chain: "keep-all", and "recompute" with the layers of the segments
/// computed again.
std::vector<Roof> memory_roofs();

/// The size at which the chain is timed: 16 layers, activations of 256 KiB.
NamedValues timed_chain();
/// Layers that recomputation by segments of sqrt(layers) computes again: all but the kept ones, in all
/// segments but the last.
double computed_again(const Settings& settings);

}  // namespace roofline::grader
