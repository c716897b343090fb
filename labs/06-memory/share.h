// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

/// Lab 06, part C: which tensors can lie in the same place.

/// A tensor holds values from step `first` to step `last`, both included.
struct Tensor {
  std::uint64_t first, last;
  std::uint64_t bytes;  ///< a multiple of 256
};

/// Assigns every tensor an offset in one block of memory: tensors that hold values in the same step must not
/// overlap. The smaller the end of the highest tensor, the better. Host code: it runs once, before training.
///
/// \param tensors  n of them, in any order; n may be 0
/// \param offsets  n multiples of 256
void share(const Tensor* tensors, int n, std::uint64_t* offsets);
