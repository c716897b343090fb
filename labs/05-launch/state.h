// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

/// The arrays of a solver, n floats each, all on the device: points of a ring, point n - 1 beside point 0.
struct State {
  float* u;       ///< the solution
  float* w;       ///< u at an intermediate time
  float* d;       ///< what diffusion adds to du/dt
  float* r;       ///< what the reaction adds
  float* k;       ///< du/dt
  float* sum;     ///< u plus the weighted slopes so far
  std::size_t n;  ///< 16384 when it is timed: 64 KiB an array
};
