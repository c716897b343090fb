// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Compiled by the parser's and the image reader's tests; never run. It holds one of each thing that nvcc
// writes differently: calls, function pointers, shared and local memory, constants, atomics, half2, wmma,
// groups.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cassert>
#include <cstdio>

struct Mixed {
  float x;
  double y;
  char text[7];
};

__constant__ float coefficients[4] = {1.f, 2.f, 3.f, 4.f};
__device__ int table[3][5] = {{1, 2, 3}, {4, 5}};
__managed__ int managed = 7;
__device__ const char* names[2] = {"abc", "defg"};
__device__ int counter;

using Function = float (*)(float, Mixed);
__device__ __noinline__ float scaled(float a, Mixed s) { return a * s.x + s.text[3]; }
__device__ __noinline__ float shifted(float a, Mixed s) { return a - static_cast<float>(s.y); }
__device__ Function functions[2] = {scaled, shifted};

__global__ void __launch_bounds__(256, 2)
    calls(const float* __restrict__ a, float* b, int n, Mixed s, int which) {
  __shared__ float tile[32][33];
  extern __shared__ double dynamic[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x / 32][threadIdx.x % 32] = a[i];
  dynamic[threadIdx.x] = s.y;
  __syncthreads();
  if (i < n) {
    b[i] = functions[which](tile[threadIdx.x % 32][threadIdx.x / 32], s) * coefficients[i & 3] +
           static_cast<float>(dynamic[n & 7]) + table[i % 3][1];
  }
  switch (n) {
    case 0:
      b[0] = 1;
      break;
    case 1:
      b[1] = 5;
      break;
    case 2:
      b[2] = a[7];
      break;
    case 3:
      b[3] = 8;
      break;
    case 4:
      b[9] = a[3];
      break;
  }
  atomicAdd(&counter, 1);
  assert(i >= 0);
  printf("%d %s %f\n", i, names[n & 1], b[i]);
}

__global__ void vectors(__half2* h, float4* v, int n) {
  const int i = threadIdx.x;
  h[i] = __hfma2(h[i], h[i + 1], h[i + 2]);
  float4 q = v[i];
  q.x += 1;
  v[i + 1] = q;
  const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  v[i].x = warp.shfl_down(q.y, 4);
  cooperative_groups::this_grid().sync();
  managed += __popc(__ballot_sync(~0u, i > n));
}

__global__ void matrix(const __half* a, const __half* b, float* c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

// 32 registers a thread hold no 80 values, so ptxas must spill.
__global__ void __launch_bounds__(1024, 2) spilling(float* a, int n) {
  float v[80];
#pragma unroll
  for (int i = 0; i < 80; ++i) v[i] = a[i * n];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 80; ++i) a[i * n + 3] = v[(i * 7) % 80] + v[i];
}
