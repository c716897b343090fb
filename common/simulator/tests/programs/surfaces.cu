// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Surface objects: reads and writes of arrays of every shape, and what happens outside of them.
#include <vector>

#include "expect.h"

namespace {

constexpr int kWidth = 24, kHeight = 10, kDepth = 3;

__global__ void fill(cudaSurfaceObject_t surface, bool layered) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
            z = static_cast<int>(blockIdx.y);
  const int2 value = make_int2(x + 100 * y + 10000 * z, -x);
  if (layered)
    surf2DLayeredwrite(value, surface, x * 8, y, z);
  else
    surf3Dwrite(value, surface, x * 8, y, z);
}

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
            z = static_cast<int>(blockIdx.y);
  const int2 value = surf3Dread<int2>(from, x * 8, y, z);
  surf2DLayeredwrite(make_int2(value.y, value.x), to, (kWidth - 1 - x) * 8, y, z);
}

/// Reads of bytes, past the edges by every rule.
__global__ void edges(cudaSurfaceObject_t surface, unsigned char* to) {
  to[0] = surf2Dread<unsigned char>(surface, 3, 1);
  to[1] = surf2Dread<unsigned char>(surface, 400, 1, cudaBoundaryModeZero);
  to[2] = surf2Dread<unsigned char>(surface, -1, 0, cudaBoundaryModeZero);
  to[3] = surf2Dread<unsigned char>(surface, 400, 9, cudaBoundaryModeClamp);
  to[4] = surf2Dread<unsigned char>(surface, -5, -5, cudaBoundaryModeClamp);
  surf2Dwrite<unsigned char>(99, surface, 400, 0, cudaBoundaryModeZero);
  surf2Dwrite<unsigned char>(77, surface, 400, 0, cudaBoundaryModeClamp);
}

__global__ void line(cudaSurfaceObject_t surface) {
  const int x = static_cast<int>(threadIdx.x);
  const float4 value = make_float4(1, 2, 3, static_cast<float>(x));
  surf1Dwrite(value, surface, x * 16);
  surf1Dwrite(surf1Dread<float>(surface, x * 16 + 12) * 2, surface, x * 16 + 4);
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  OK(cudaCreateSurfaceObject(&surface, &resource));
  cudaResourceDesc same{};
  OK(cudaGetSurfaceObjectResourceDesc(&same, surface));
  EXPECT(same.res.array.array == array);
  return surface;
}

void volumes() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int2>();
  const cudaExtent extent = make_cudaExtent(kWidth, kHeight, kDepth);
  cudaArray_t a, b;
  OK(cudaMalloc3DArray(&a, &format, extent, cudaArraySurfaceLoadStore));
  OK(cudaMalloc3DArray(&b, &format, extent, cudaArraySurfaceLoadStore | cudaArrayLayered));
  const cudaSurfaceObject_t volume = surface_of(a), layers = surface_of(b);
  const dim3 grid(kHeight, kDepth);
  fill<<<grid, kWidth>>>(volume, false);
  fill<<<grid, kWidth>>>(layers, true);
  turn<<<grid, kWidth>>>(volume, layers);
  std::vector<int2> got(static_cast<size_t>(kWidth * kHeight * kDepth));
  cudaMemcpy3DParms p{};
  p.srcArray = b;
  p.dstPtr = make_cudaPitchedPtr(got.data(), kWidth * sizeof(int2), kWidth, kHeight);
  p.extent = extent;
  p.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&p));
  for (int z = 0; z < kDepth; z++)
    for (int y = 0; y < kHeight; y++)
      for (int x = 0; x < kWidth; x++) {
        const int2 value = got[static_cast<size_t>((z * kHeight + y) * kWidth + x)];
        EXPECT_VALUE(x + 1 - kWidth, value.x);
        EXPECT_VALUE(kWidth - 1 - x + 100 * y + 10000 * z, value.y);
      }
  OK(cudaDestroySurfaceObject(volume));
  OK(cudaDestroySurfaceObject(layers));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
}

void boundaries() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, 5, 2, cudaArraySurfaceLoadStore));
  const unsigned char texels[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  OK(cudaMemcpy2DToArray(array, 0, 0, texels, 5, 5, 2, cudaMemcpyHostToDevice));
  const cudaSurfaceObject_t surface = surface_of(array);
  unsigned char *to, got[10];
  OK(cudaMalloc(&to, 5));
  edges<<<1, 1>>>(surface, to);
  OK(cudaMemcpy(got, to, 5, cudaMemcpyDeviceToHost));
  const int wanted[5] = {9, 0, 0, 10, 1};
  for (int i = 0; i < 5; i++) EXPECT_VALUE(wanted[i], got[i]);
  OK(cudaMemcpy2DFromArray(got, 5, array, 0, 0, 5, 2, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 10; i++) EXPECT_VALUE(i == 4 ? 77 : i + 1, got[i]);
  OK(cudaDestroySurfaceObject(surface));
  OK(cudaFreeArray(array));
  OK(cudaFree(to));
}

void lines() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, 40, 0, cudaArraySurfaceLoadStore));
  const cudaSurfaceObject_t surface = surface_of(array);
  line<<<1, 40>>>(surface);
  std::vector<float4> got(40);
  OK(cudaMemcpy2DFromArray(got.data(), 640, array, 0, 0, 640, 1, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 40; i++) {
    const float4 value = got[static_cast<size_t>(i)];
    EXPECT(value.x == 1 && value.z == 3 && value.w == static_cast<float>(i));
    EXPECT(value.y == static_cast<float>(2 * i));
  }
  OK(cudaDestroySurfaceObject(surface));
  OK(cudaFreeArray(array));
}

void without_flag() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  cudaSurfaceObject_t surface;
  EXPECT_RESULT(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &resource));
  static_cast<void>(format);
}

}  // namespace

int main() {
  volumes();
  boundaries();
  lines();
  without_flag();
  return 0;
}
