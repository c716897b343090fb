// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, lines 6 and 10
// Threads of other warps write the texels that a thread reads, with no barrier between.
__global__ void shift(cudaSurfaceObject_t surface) {
  const int right = surf1Dread<int>(surface, (threadIdx.x + 1) % blockDim.x * 4);
#ifdef FIXED
  __syncthreads();
#endif
  surf1Dwrite(right, surface, threadIdx.x * 4);
}
int main() {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &format, 128, 0, cudaArraySurfaceLoadStore);
  const int zeros[128] = {};
  cudaMemcpy2DToArray(array, 0, 0, zeros, 512, 512, 1, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  shift<<<1, 128>>>(surface);
  cudaDeviceSynchronize();
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}
