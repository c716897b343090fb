// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory use-after-free, line 6
// A texture object is destroyed before the kernel that reads it is launched.
__global__ void copy(cudaTextureObject_t texture, float* to) {
  to[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}
int main() {
  float *from, *to;
  cudaMalloc(&from, 128);
  cudaMalloc(&to, 128);
  cudaMemset(from, 0, 128);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = from;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 128;
  cudaTextureDesc how{};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
#ifdef FIXED
  copy<<<1, 32>>>(texture, to);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(texture);
#else
  cudaDestroyTextureObject(texture);
  copy<<<1, 32>>>(texture, to);
#endif
  cudaDeviceSynchronize();
  cudaFree(from);
  cudaFree(to);
}
