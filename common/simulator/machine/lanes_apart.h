// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <bit>
#include <cstring>

#include "simulator/types.h"

namespace roofline::sim {

/// Whether every lane's value is `origin` plus what `apart` holds for the lane; sums wrap. Asked for nearly
/// each request to memory: one instruction tells whether a vector is zero, which compilers do not find in a
/// loop.
template <class Value>
inline __attribute__((always_inline)) bool lanes_apart(const Value* values, Value origin,
                                                       const Value* apart) {
#ifdef __AVX2__
  using Bits = __m256i;
  const auto is_zero = [](Bits bits) { return _mm256_testz_si256(bits, bits) != 0; };
#elif defined(__x86_64__)
  using Bits = __m128i;
  const auto is_zero = [](Bits bits) { return _mm_testz_si128(bits, bits) != 0; };
#else
  struct Bits {
    u64 low, high;
  };
  const auto is_zero = [](Bits bits) { return (bits.low | bits.high) == 0; };
#endif
  using Some [[gnu::vector_size(sizeof(Bits))]] = Value;
  Some different{};
  for (u32 l = 0; l < kWarpSize; l += sizeof(Some) / sizeof(Value)) {
    Some value, known;
    std::memcpy(&value, values + l, sizeof value);
    std::memcpy(&known, apart + l, sizeof known);
    different |= (value - origin) ^ known;
  }
  return is_zero(std::bit_cast<Bits>(different));
}

}  // namespace roofline::sim
