// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Half and bfloat16 arithmetic, single and packed: each operation is rounded once to the format.
// needs: compute_80
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <vector>

#include "expect.h"

struct Out {
  __half sum, product, fused;
  __half2 pair, least;
  __nv_bfloat16 b_fused, b_root;
  __nv_bfloat162 b_pair;
  bool less, is_nan;
};

__global__ void compute(const float* x, const float* y, Out* out) {
  const int i = threadIdx.x;
  const __half a = __float2half(x[i]), b = __float2half(y[i]);
  const __nv_bfloat16 p = __float2bfloat16(x[i]), q = __float2bfloat16(y[i]);
  Out o;
  o.sum = a + b;
  o.product = a * b;
  o.fused = __hfma(a, b, a);
  o.pair = __hfma2(__halves2half2(a, b), __halves2half2(b, b), __halves2half2(a, a));
  o.least = __hmin2(__halves2half2(a, b), __halves2half2(b, a));
  o.b_fused = __hfma(p, q, p);
  o.b_root = hsqrt(__habs(p));
  o.b_pair = __hmul2(__halves2bfloat162(p, q), __halves2bfloat162(q, q));
  o.less = __hlt(a, b);
  o.is_nan = __hisnan(__hdiv(__hsub(a, a), __hsub(b, b)));
  out[i] = o;
}

int main() {
  constexpr int n = 64;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = (i - 20) * 0.37f, y[i] = 3.0f / (i + 1);
  float *d_x, *d_y;
  Out* d_out;
  OK(cudaMalloc(&d_x, n * sizeof(float)));
  OK(cudaMalloc(&d_y, n * sizeof(float)));
  OK(cudaMalloc(&d_out, n * sizeof(Out)));
  OK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  compute<<<1, n>>>(d_x, d_y, d_out);
  std::vector<Out> out(n);
  OK(cudaMemcpy(out.data(), d_out, n * sizeof(Out), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    // Sums and products of two halves are exact in double; rounding them once is the right answer.
    const double a = __half2float(__float2half(x[i])), b = __half2float(__float2half(y[i]));
    const double p = __bfloat162float(__float2bfloat16(x[i])), q = __bfloat162float(__float2bfloat16(y[i]));
    const auto half = [](double v) { return __half2float(__double2half(v)); };
    const auto bfloat = [](double v) { return __bfloat162float(__double2bfloat16(v)); };
    EXPECT(__half2float(out[i].sum) == half(a + b) && __half2float(out[i].product) == half(a * b));
    EXPECT(__half2float(out[i].fused) == half(a * b + a));
    EXPECT(__low2float(out[i].pair) == half(a * b + a) && __high2float(out[i].pair) == half(b * b + a));
    EXPECT(__low2float(out[i].least) == std::fmin(a, b) && __high2float(out[i].least) == std::fmin(a, b));
    EXPECT(__bfloat162float(out[i].b_fused) == bfloat(p * q + p));
    EXPECT(std::fabs(__bfloat162float(out[i].b_root) - std::sqrt(std::fabs(p))) <=
           0.01 * std::sqrt(std::fabs(p)));
    EXPECT(__low2float(out[i].b_pair) == bfloat(p * q) && __high2float(out[i].b_pair) == bfloat(q * q));
    EXPECT(out[i].less == (a < b) && out[i].is_nan);
  }
  OK(cudaFree(d_x));
  OK(cudaFree(d_y));
  OK(cudaFree(d_out));
}
