// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>

#include <cstdint>

/// Rows of halves in groups of eight, 16 bytes. Given: your kernels can be written as if every row were a
/// multiple of eight long and began at a multiple of 16 bytes. `kWhole` is true where that is so.

/// Eight neighbours of a row, still halves: four registers.
struct Eight {
  uint4 bits;
};

/// Whether rows of `columns` halves at these addresses are whole groups: each row then is a multiple of eight
/// halves and begins at a multiple of 16 bytes.
inline bool whole(int columns, const void* a, const void* b, const void* c = nullptr,
                  const void* d = nullptr) {
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  return columns % 8 == 0 && (address(a) | address(b) | address(c) | address(d)) % 16 == 0;
}

/// How many of the eight columns from `column` on exist: 0 to 8, and 0 or 8 for whole groups.
template <bool kWhole>
__device__ int present(int column, int columns) {
  if (kWhole) return column < columns ? 8 : 0;
  return max(0, min(8, columns - column));
}

/// Columns `column` to `column + 7` of a row; `beyond` in the place of those that do not exist.
template <bool kWhole>
__device__ Eight load8(const half* row, int column, int columns, float beyond) {
  if (kWhole && column < columns) return {*reinterpret_cast<const uint4*>(row + column)};
  uint32_t words[4];
  for (int k = 0; k < 8; k += 2) {
    half2 pair = __float2half2_rn(beyond);
    if (!kWhole && column + k < columns) pair.x = row[column + k];
    if (!kWhole && column + k + 1 < columns) pair.y = row[column + k + 1];
    words[k / 2] = *reinterpret_cast<const uint32_t*>(&pair);
  }
  return {make_uint4(words[0], words[1], words[2], words[3])};
}

/// The same eight as floats.
__device__ inline void unpack(const Eight& group, float (&v)[8]) {
  const uint32_t words[4] = {group.bits.x, group.bits.y, group.bits.z, group.bits.w};
  for (int k = 0; k < 4; ++k) {
    const float2 pair = __half22float2(*reinterpret_cast<const half2*>(&words[k]));
    v[2 * k] = pair.x;
    v[2 * k + 1] = pair.y;
  }
}

/// Rounds eight floats to halves and stores those whose columns exist.
template <bool kWhole>
__device__ void store8(half* row, int column, int columns, const float (&v)[8]) {
  uint32_t words[4];
  for (int k = 0; k < 8; k += 2) {
    const half2 pair = __floats2half2_rn(v[k], v[k + 1]);
    if (!kWhole && column + k < columns) row[column + k] = pair.x;
    if (!kWhole && column + k + 1 < columns) row[column + k + 1] = pair.y;
    words[k / 2] = *reinterpret_cast<const uint32_t*>(&pair);
  }
  if (kWhole && column < columns)
    *reinterpret_cast<uint4*>(row + column) = make_uint4(words[0], words[1], words[2], words[3]);
}
