// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A multiprocessor has about four slots to issue an instruction for each weight that DRAM delivers, so the
// products are made four at a time, of bytes: __dp4a. A nibble in the high half of a byte is 16 q as it
// stands, sign included; x becomes fixed-point numbers of 16 bits, with a unit for each group, in two digits
// of a byte. Integer sums are exact. A warp multiplies four rows at a time: four loads are on their way, and
// x comes from shared memory once for four rows. The blocks stay until all rows are done, so x is prepared
// once.

#include "gemv_q4.h"

namespace {

constexpr int kWarps = 16, kRows = 4, kGroup = 128, kMostColumns = 16384;
constexpr int kLargest = 127 * 256 + 127;  // a number of two digits from -128 to 127
constexpr unsigned kAll = 0xffffffff;

/// What 32 elements of x become, 80 bytes: neighbours in a warp meet different banks.
struct Digits {
  uint4 of8[4];  ///< of eight elements: high digits of the even ones, of the odd ones, then low digits
  float unit;    ///< (256 * high + low) * unit is 1/16 of the element
  float unused[3];
};

/// Two digits for each of four numbers, every second element of `x`: a byte each.
__device__ void split(const float* x, float scale, std::uint32_t& high, std::uint32_t& low) {
  high = low = 0;
  for (int k = 0; k < 4; ++k) {
    const int number = __float2int_rn(x[2 * k] * scale), digit = static_cast<signed char>(number);
    high |= ((number - digit) >> 8 & 0xff) << 8 * k;
    low |= (digit & 0xff) << 8 * k;
  }
}

/// Eight elements of x a thread, all loads on their way at once; the 16 threads of a group agree on its unit.
__device__ void prepare(const half* x, int columns, Digits* digits) {
  constexpr int kThreads = 32 * kWarps, kTimes = kMostColumns / 8 / kThreads;
  uint4 bits[kTimes];
  for (int t = 0; t < kTimes; ++t) {
    const int i = threadIdx.x + t * kThreads;
    if (i < columns / 8) bits[t] = reinterpret_cast<const uint4*>(x)[i];
  }
  for (int t = 0; t < kTimes; ++t) {
    const int i = threadIdx.x + t * kThreads;
    if (i >= columns / 8) break;
    const half2* pairs = reinterpret_cast<const half2*>(&bits[t]);
    float v[8], most = 0;
    for (int k = 0; k < 4; ++k) {
      v[2 * k] = __low2float(pairs[k]);
      v[2 * k + 1] = __high2float(pairs[k]);
      most = fmaxf(most, fmaxf(fabsf(v[2 * k]), fabsf(v[2 * k + 1])));
    }
    const unsigned group = 0xffff << (threadIdx.x & 16);
    for (int distance = 8; distance > 0; distance /= 2)
      most = fmaxf(most, __shfl_xor_sync(group, most, distance));
    const float scale = most > 0 ? __fdividef(kLargest, most) : 0;
    uint4& of8 = digits[i / 4].of8[i % 4];
    split(v, scale, of8.x, of8.z);
    split(v + 1, scale, of8.y, of8.w);
    if (i % 4 == 0) digits[i / 4].unit = most * (1.f / kLargest / 16);
  }
  __syncthreads();
}

/// Adds 16 times the products of eight weights with the high and with the low digits of x.
__device__ void dot8(std::uint32_t w, const uint4& x, int& high, int& low) {
  const int even = w << 4 & 0xf0f0f0f0, odd = w & 0xf0f0f0f0;
  high = __dp4a(even, int(x.x), __dp4a(odd, int(x.y), high));
  low = __dp4a(even, int(x.z), __dp4a(odd, int(x.w), low));
}

__global__ void __launch_bounds__(32 * kWarps)
    gemv_q4_kernel(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows, int columns) {
  extern __shared__ Digits digits[];
  prepare(x, columns, digits);
  const int lane = threadIdx.x % 32, words = columns / 32;  // words of 16 bytes, 32 weights
  // Rows are dealt out to blocks first: at the end all multiprocessors have some left.
  const int step = kRows * kWarps * gridDim.x;
  for (int first = kRows * (blockIdx.x + threadIdx.x / 32 * gridDim.x); first < rows; first += step) {
    const uint4* row[kRows];
    const half* scale[kRows];
    for (int k = 0; k < kRows; ++k) {
      const std::size_t r = min(first + k, rows - 1);
      row[k] = reinterpret_cast<const uint4*>(w) + r * words;
      scale[k] = scales + r * (columns / kGroup);
    }
    float sum[kRows] = {};
    for (int i = lane; i < words; i += 32) {
      uint4 q[kRows];
      float s[kRows];
      for (int k = 0; k < kRows; ++k) q[k] = row[k][i];
      for (int k = 0; k < kRows; ++k) s[k] = __half2float(scale[k][i / 4]);
      const Digits& of_x = digits[i];
      const uint4 x8[4] = {of_x.of8[0], of_x.of8[1], of_x.of8[2], of_x.of8[3]};  // once for all rows
      for (int k = 0; k < kRows; ++k) {
        int high = 0, low = 0;
        dot8(q[k].x, x8[0], high, low);
        dot8(q[k].y, x8[1], high, low);
        dot8(q[k].z, x8[2], high, low);
        dot8(q[k].w, x8[3], high, low);
        sum[k] += s[k] * of_x.unit * static_cast<float>(256 * high + low);
      }
    }
    for (int k = 0; k < kRows; ++k) {
      for (int distance = 16; distance > 0; distance /= 2) sum[k] += __shfl_xor_sync(kAll, sum[k], distance);
      if (lane == 0 && first + k < rows) y[first + k] = __float2half(sum[k]);
    }
  }
}

}  // namespace

void gemv_q4(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows, int columns,
             cudaStream_t stream) {
  if (rows == 0) return;
  int device = 0, multiprocessors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  const int all = (rows + kRows * kWarps - 1) / (kRows * kWarps), blocks = min(all, 2 * multiprocessors);
  gemv_q4_kernel<<<blocks, 32 * kWarps, columns / 32 * sizeof(Digits), stream>>>(w, scales, x, y, rows,
                                                                                 columns);
}
