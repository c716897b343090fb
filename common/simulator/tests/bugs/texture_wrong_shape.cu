// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory wrong-object, line 8
// A 3D array is read with the function for planes.
__global__ void copy(cudaTextureObject_t texture, float* to) {
#ifndef FIXED
  const float x = threadIdx.x + 0.5f;
  to[threadIdx.x] = tex2D<float>(texture, x, x);
#else
  to[threadIdx.x] = tex3D<float>(texture, 0.5f, 0.5f, 0.5f);
#endif
}
int main() {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 4, 4));
  float zeros[64] = {};
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(zeros, 16, 4, 4);
  p.dstArray = array;
  p.extent = make_cudaExtent(4, 4, 4);
  p.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&p);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
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
