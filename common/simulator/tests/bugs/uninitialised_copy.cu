// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init copy
// One block is missing: half of the result was never written.
#include <vector>
__global__ void square(int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = i * i;
}
int main() {
  int* y;
  std::vector<int> host(256);
  cudaMalloc(&y, 256 * sizeof(int));
#ifdef FIXED
  square<<<2, 128>>>(y);
#else
  square<<<1, 128>>>(y);
#endif
  cudaMemcpy(host.data(), y, 256 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(y);
}
