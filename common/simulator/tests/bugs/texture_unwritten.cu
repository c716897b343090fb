// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init global-memory, line 6
// The last row of an array was never copied, and a filter reads it.
__global__ void copy(cudaTextureObject_t texture, float* to) {
  to[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 3.25f);
}
int main() {
#ifdef FIXED
  constexpr int kRows = 4;
#else
  constexpr int kRows = 3;
#endif
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 32, 4);
  const float zeros[128] = {};
  cudaMemcpy2DToArray(array, 0, 0, zeros, 128, 128, kRows, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  float* to;
  cudaMalloc(&to, 128);
  copy<<<1, 32>>>(texture, to);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
  cudaFree(to);
}
