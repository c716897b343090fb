// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory failed-launch
// says: the launch of kernel 'lab::clear<float>' in main fails
// A launch with too many threads a block fails, and nobody asks.
namespace lab {
template <class T>
__global__ void clear(T* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
}  // namespace lab
int main() {
  float* x;
  cudaMalloc(&x, 2048 * sizeof(float));
#ifdef FIXED
  lab::clear<<<2, 1024>>>(x);
#else
  lab::clear<<<1, 2048>>>(x);
#endif
  cudaDeviceSynchronize();
  cudaFree(x);
}
