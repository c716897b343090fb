// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/lab/spec.h"

/// The chain of layers of common/chain/layer.h with the bits that the device gives: each element is one chain
/// of fused multiply-adds in ascending order, so that what was recomputed or swapped can be compared exactly.
namespace roofline::grader {

/// Arguments of a chain, up to its sizes; `rest` follows the outputs dx and dweights.
std::vector<Argument> chain_arguments(std::vector<Argument> rest);
/// dx and dweights, bit by bit.
std::vector<Output> chain_outputs();
/// "layers", "batch", "width", and the dropout: a tenth is dropped.
NamedValues chain_settings(int layers, int batch, int width);

double activation_bytes(const Settings& settings);
/// Of the products: 2 * batch * width^2 a layer forward, twice that backward, and `again` layers more
/// forward.
double chain_flops(const Settings& settings, double again);

}  // namespace roofline::grader
