// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race stream-order
// Two streams use one buffer; the second copy may overwrite what the first one still sends.
int main() {
  char *in, *out, *x;
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaMallocHost(&in, 4096);
  cudaMallocHost(&out, 4096);
  cudaMalloc(&x, 4096);
  cudaMemset(x, 0, 4096);
  cudaMemcpyAsync(out, x, 4096, cudaMemcpyDeviceToHost, a);
#ifdef FIXED
  cudaEvent_t sent;
  cudaEventCreate(&sent);
  cudaEventRecord(sent, a);
  cudaStreamWaitEvent(b, sent, 0);
#endif
  cudaMemcpyAsync(x, in, 4096, cudaMemcpyHostToDevice, b);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFreeHost(in);
  cudaFreeHost(out);
}
