// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race host-access
// The host fills the buffer for the next copy while the last one still reads it.
int main() {
  int *host, *x;
  cudaMallocHost(&host, 4096);
  cudaMalloc(&x, 4096);
  for (int step = 0; step < 2; ++step) {
    host[0] = step;
    cudaMemcpyAsync(x, host, 4096, cudaMemcpyHostToDevice);
#ifdef FIXED
    cudaStreamSynchronize(0);
#endif
  }
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFreeHost(host);
}
