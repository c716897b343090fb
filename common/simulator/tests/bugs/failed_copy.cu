// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory failed-call
// says: is refused: its direction does not fit the two pointers
// The direction of a copy does not fit its pointers: the copy fails, and nobody looks.
int main() {
  float host[32] = {};
  float* device;
  cudaMalloc(&device, sizeof host);
#ifdef FIXED
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
#else
  cudaMemcpy(host, device, sizeof host, cudaMemcpyHostToDevice);
#endif
  cudaDeviceSynchronize();
  cudaFree(device);
}
