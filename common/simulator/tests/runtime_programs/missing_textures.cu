// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// What the simulated GPU's textures lack says so, once each. (Not for a real GPU.)
#include "expect.h"

__global__ void by_gradients(cudaTextureObject_t texture, float* to) {
  *to = tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(0.5f, 0), make_float2(0, 0.5f));
}

int main() {
  cudaArray_t array;
  const cudaChannelFormatDesc bytes =
      cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsignedNormalized8X1);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT_RESULT(cudaErrorNotSupported, cudaMallocArray(&array, &bytes, 16));
  EXPECT_RESULT(cudaErrorNotSupported, cudaMallocArray(&array, &format, 64, 64, cudaArraySparse));

  OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(8, 8, 6), cudaArrayCubemap));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  cudaTextureObject_t texture;
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatUnsignedInt1;
  view.width = view.height = 8;
  EXPECT_RESULT(cudaErrorNotSupported, cudaCreateTextureObject(&texture, &resource, &how, &view));
  how.seamlessCubemap = 1;
  how.filterMode = cudaFilterModeLinear;
  EXPECT_RESULT(cudaErrorNotSupported, cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  cudaSurfaceObject_t surface;
  EXPECT_RESULT(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &resource));
  OK(cudaFreeArray(array));

  OK(cudaMallocArray(&array, &format, 8, 8));
  resource.res.array.array = array;
  how = {};
  how.normalizedCoords = 1;
  how.maxAnisotropy = 4;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  float* to;
  OK(cudaMalloc(&to, 4));
  by_gradients<<<1, 1>>>(texture, to);
  EXPECT(cudaDeviceSynchronize() != cudaSuccess);
  return 0;
}
