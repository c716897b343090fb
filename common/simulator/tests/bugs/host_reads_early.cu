// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race host-access
// The host looks at the result while the copy is still on its way.
int main() {
  int *host, *x;
  cudaMallocHost(&host, 4096);
  cudaMalloc(&x, 4096);
  cudaMemset(x, 0, 4096);
  cudaMemcpyAsync(host, x, 4096, cudaMemcpyDeviceToHost);
#ifdef FIXED
  cudaStreamSynchronize(0);
#endif
  const int status = host[10];
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFreeHost(host);
  return status;
}
