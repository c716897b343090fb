// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Fills with elements of one, two or four bytes.
#include "simulator/runtime/fill.h"

#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

/// `n` elements in each of `rows` rows.
template <class T>
CUresult run(CUdeviceptr to, size_t pitch, T value, size_t n, size_t rows, CUstream stream, bool async) {
  if (to % sizeof(T) != 0 || (rows > 1 && pitch % sizeof(T) != 0)) return CUDA_ERROR_INVALID_VALUE;
  return with_runtime([&](runtime::Runtime& r) {
    return runtime::fill(r, {pointer(to), pitch, value, sizeof(T), n, rows, given(stream), async});
  });
}

}  // namespace

#define FILL(BITS, TYPE)                                                                                   \
  CUresult cuMemsetD##BITS##_v2(CUdeviceptr to, TYPE value, size_t n) {                                    \
    return run(to, n * sizeof(TYPE), value, n, 1, nullptr, false);                                         \
  }                                                                                                        \
  CUresult cuMemsetD##BITS##Async(CUdeviceptr to, TYPE value, size_t n, CUstream stream) {                 \
    return run(to, n * sizeof(TYPE), value, n, 1, stream, true);                                           \
  }                                                                                                        \
  CUresult cuMemsetD2D##BITS##_v2(CUdeviceptr to, size_t pitch, TYPE value, size_t width, size_t height) { \
    return run(to, pitch, value, width, height, nullptr, false);                                           \
  }                                                                                                        \
  CUresult cuMemsetD2D##BITS##Async(CUdeviceptr to, size_t pitch, TYPE value, size_t width, size_t height, \
                                    CUstream stream) {                                                     \
    return run(to, pitch, value, width, height, stream, true);                                             \
  }
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)
