// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/lab/roof.h"

/// Sums of gradients beside a backward pass (common/gradients/backward.h): the program's arguments, the pass
/// alone, and whether it was run.
namespace roofline::grader {

/// x, gradients and sums of each GPU, n, layers, scale, work, bucket, and a stream of each GPU.
std::vector<Argument> backward_arguments(unsigned gpus);
/// Weights, layers, and gradients in a bucket; 0 leaves the bucket to the program. Chains are short.
NamedValues backward_settings(double n, double layers, double bucket);
/// The size at which sums are timed, in buckets of the program's choice: 8 layers, and a pass some two and a
/// half times as long as a ring of all gradients on a simulated A100.
NamedValues timed_backward();
/// Operations of the chains of one GPU's pass.
double backward_flops(const Settings& settings);

/// On each GPU every layer ran once, one after the other, and took as long as its chain.
StructureCheck backward_done(unsigned gpus);

/// The pass alone: "backward".
std::vector<Roof> gradients_roofs();

}  // namespace roofline::grader
