// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/lanewise.h"

#include <emmintrin.h>

namespace roofline::sim::isa {

namespace {

struct Word128 {
  u64 low, high;
};

template <class T>
void merge(void* to, const void* from, u32 mask) {
  auto* d = static_cast<T*>(__builtin_assume_aligned(to, 64));
  const auto* s = static_cast<const T*>(__builtin_assume_aligned(from, 64));
#pragma GCC ivdep
  for (u32 i = 0; i < kWarpSize; ++i) d[i] = (mask >> i & 1u) != 0 ? s[i] : d[i];
}

}  // namespace

void merge_rows(void* to, const void* from, u32 mask, std::size_t bytes) {
  switch (bytes) {
    case 1:
      return merge<u8>(to, from, mask);
    case 2:
      return merge<u16>(to, from, mask);
    case 4:
      return merge<u32>(to, from, mask);
    case 8:
      return merge<u64>(to, from, mask);
    default:
      return merge<Word128>(to, from, mask);
  }
}

u32 collect_flags(const u8* flags) {
  const auto half = [flags](int at) {
    const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(flags + at));
    return static_cast<u32>(_mm_movemask_epi8(_mm_slli_epi16(bytes, 7)));
  };
  return half(0) | half(16) << 16;
}

}  // namespace roofline::sim::isa
