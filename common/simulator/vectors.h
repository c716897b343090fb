// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>

#include "simulator/types.h"

/// Vectors of 16 bytes, which every processor has, in the way that GCC and Clang spell for all of them:
/// operators work on each element, and a comparison gives elements of all ones or zero.
namespace roofline::sim {

using FloatVector [[gnu::vector_size(16)]] = f32;
using WordVector [[gnu::vector_size(16)]] = u32;
using ShortVector [[gnu::vector_size(16)]] = u16;

/// From anywhere: no alignment is needed.
template <class V>
inline __attribute__((always_inline)) V load_vector(const void* from) {
  V vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
template <class V>
inline __attribute__((always_inline)) void store_vector(void* to, V vector) {
  std::memcpy(to, &vector, sizeof vector);
}

/// Element i of a and element i of b side by side: of the lower halves, and of the upper ones.
inline __attribute__((always_inline)) ShortVector interleave_low(ShortVector a, ShortVector b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
inline __attribute__((always_inline)) ShortVector interleave_high(ShortVector a, ShortVector b) {
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
inline __attribute__((always_inline)) WordVector interleave_low(WordVector a, WordVector b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
inline __attribute__((always_inline)) WordVector interleave_high(WordVector a, WordVector b) {
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

/// Four rows of four words become columns.
inline __attribute__((always_inline)) void transpose(WordVector (&r)[4]) {
  const WordVector a = interleave_low(r[0], r[2]), b = interleave_low(r[1], r[3]);
  const WordVector c = interleave_high(r[0], r[2]), d = interleave_high(r[1], r[3]);
  r[0] = interleave_low(a, b);
  r[1] = interleave_high(a, b);
  r[2] = interleave_low(c, d);
  r[3] = interleave_high(c, d);
}

/// Eight rows of eight 16-bit values become columns: three times, row i and row i + 4 side by side.
inline __attribute__((always_inline)) void transpose(ShortVector (&r)[8]) {
#pragma GCC unroll 3
  for (int step = 0; step < 3; ++step) {
    ShortVector next[8];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      next[2 * i] = interleave_low(r[i], r[i + 4]);
      next[2 * i + 1] = interleave_high(r[i], r[i + 4]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) r[i] = next[i];
  }
}

}  // namespace roofline::sim
