// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory misaligned, line 10
// The last float4 of a shifted pointer: it is misaligned before it is out of bounds.
__global__ void sum(const float* x, float* y) {
#ifdef FIXED
  const float4 v = *reinterpret_cast<const float4*>(x + 4);
#else
  // x has 8 floats.
  const float4 v = *reinterpret_cast<const float4*>(x + 5);
#endif
  *y = v.x + v.y + v.z + v.w;
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 32);
  cudaMalloc(&y, 4);
  cudaMemset(x, 0, 32);
  sum<<<1, 1>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
