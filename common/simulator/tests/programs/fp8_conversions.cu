// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The 8-bit floats: device conversions agree with the host's, for every byte and for numbers that round or
// saturate.
//
// needs: compute_80
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "expect.h"

template <class Float8>
__global__ void convert(const float* in, Float8* narrow, float* wide, __half* half, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  narrow[i] = Float8(in[i]);
  wide[i] = float(narrow[i]);
  half[i] = __half(narrow[i]);
}

template <class Float8>
void check() {
  std::vector<float> in;
  for (int byte = 0; byte < 256; ++byte) {  // every number of the format, and beside it
    Float8 number;
    number.__x = static_cast<__nv_fp8_storage_t>(byte);
    for (float factor : {1.0f, 1.03f, 1.0625f, 0.9f}) in.push_back(float(number) * factor);
  }
  for (float v : {0.0f, -0.0f, 1e-9f, 448.0f, 464.0f, 465.0f, 57344.0f, 61440.0f, 1e9f, -1e9f, INFINITY, NAN})
    in.push_back(v);
  const int n = static_cast<int>(in.size());
  float *d_in, *d_wide;
  Float8* d_narrow;
  __half* d_half;
  OK(cudaMalloc(&d_in, n * sizeof(float)));
  OK(cudaMalloc(&d_wide, n * sizeof(float)));
  OK(cudaMalloc(&d_narrow, n));
  OK(cudaMalloc(&d_half, n * sizeof(__half)));
  OK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  convert<<<(n + 127) / 128, 128>>>(d_in, d_narrow, d_wide, d_half, n);
  std::vector<Float8> narrow(n);
  std::vector<float> wide(n);
  std::vector<__half> half(n);
  OK(cudaMemcpy(narrow.data(), d_narrow, n, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(wide.data(), d_wide, n * sizeof(float), cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(half.data(), d_half, n * sizeof(__half), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    const Float8 expected(in[i]);
    if (std::isnan(float(expected))) {
      EXPECT(std::isnan(wide[i]) && std::isnan(__half2float(half[i])));
      continue;
    }
    EXPECT(narrow[i].__x == expected.__x);
    EXPECT(wide[i] == float(expected) && __half2float(half[i]) == float(expected));
  }
  OK(cudaFree(d_in));
  OK(cudaFree(d_wide));
  OK(cudaFree(d_narrow));
  OK(cudaFree(d_half));
}

int main() {
  check<__nv_fp8_e4m3>();
  check<__nv_fp8_e5m2>();
}
