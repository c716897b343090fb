// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/lanewise.h"

#include <cstring>

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
  u32 bits = 0;
  for (int i = 0; i < kWarpSize; i += 8) {
    u64 eight;
    std::memcpy(&eight, flags + i, sizeof eight);
    // Flag b is at bit 8 b. Of its copies, 7 to 56 bits higher, one is bit b of the highest byte.
    bits |= static_cast<u32>(eight * 0x0102'0408'1020'4080u >> 56) << i;
  }
  return bits;
}

}  // namespace roofline::sim::isa
