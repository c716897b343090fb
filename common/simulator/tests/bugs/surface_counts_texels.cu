// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory misaligned, line 11
// x of a surface function counts bytes, not texels.
#ifndef FIXED
#define X(x) (x)
#else
#define X(x) ((x)*4)
#endif
__global__ void clear(cudaSurfaceObject_t surface) {
  surf2Dwrite(0.0f, surface, X(threadIdx.x), blockIdx.x);
}
int main() {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 32, 8, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  clear<<<8, 32>>>(surface);
  cudaDeviceSynchronize();
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}
