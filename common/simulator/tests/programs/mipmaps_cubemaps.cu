// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Mipmapped arrays, levels between levels, and cubemaps.
#include <cmath>
#include <vector>

#include "expect.h"

namespace {

__global__ void at_level(cudaTextureObject_t texture, const float* lod, int n, float* to) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < n) to[i] = tex2DLod<float>(texture, 0.375f, 0.625f, lod[i]);
}

/// Derivatives of 4 texels in x: level 2.
__global__ void by_gradients(cudaTextureObject_t texture, float* to) {
  to[0] = tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(4.0f / 16, 0), make_float2(0, 1.0f / 16));
  to[1] = tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(0, 0), make_float2(0, 2.0f / 16));
}

__global__ void directions(cudaTextureObject_t cube, cudaTextureObject_t cubes, float* to) {
  const float3 at[6] = {{1, 0.25f, -0.25f},  {-1, 0.25f, 0.25f}, {0.25f, 1, 0.25f},
                        {0.25f, -1, -0.25f}, {0.25f, 0.25f, 1},  {-0.25f, 0.25f, -1}};
  const int i = static_cast<int>(threadIdx.x);
  if (i >= 6) return;
  to[i] = texCubemap<float>(cube, at[i].x, at[i].y, at[i].z);
  to[6 + i] = texCubemapLayered<float>(cubes, at[i].x, at[i].y, at[i].z, 1);
}

cudaTextureDesc nearest() {
  cudaTextureDesc how{};
  for (int i = 0; i < 3; i++) how.addressMode[i] = cudaAddressModeClamp;
  how.normalizedCoords = 1;
  return how;
}

/// Each level holds its number times 100 everywhere.
void levels() {
  constexpr unsigned kLevels = 5;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t mipmapped;
  OK(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(16, 8, 0), kLevels));
  for (unsigned level = 0; level < kLevels; level++) {
    cudaArray_t array;
    OK(cudaGetMipmappedArrayLevel(&array, mipmapped, level));
    cudaExtent extent{};
    OK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
    EXPECT_VALUE(16 >> level, extent.width);
    EXPECT_VALUE(level < 4 ? 8 >> level : 1, extent.height);
    const std::vector<float> texels(extent.width * extent.height, 100.0f * static_cast<float>(level));
    OK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), extent.width * 4, extent.width * 4, extent.height,
                           cudaMemcpyHostToDevice));
  }
  cudaArray_t none;
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&none, mipmapped, kLevels));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmapped;
  const std::vector<float> lods{-1, 0, 0.25f, 0.75f, 1.5f, 2, 3.9375f, 4, 9};
  const int n = static_cast<int>(lods.size());
  float *d_lods, *to;
  OK(cudaMalloc(&d_lods, lods.size() * 4));
  OK(cudaMalloc(&to, lods.size() * 4));
  OK(cudaMemcpy(d_lods, lods.data(), lods.size() * 4, cudaMemcpyHostToDevice));
  for (const cudaTextureFilterMode between : {cudaFilterModePoint, cudaFilterModeLinear}) {
    cudaTextureDesc how = nearest();
    how.filterMode = cudaFilterModeLinear;
    how.mipmapFilterMode = between;
    how.maxMipmapLevelClamp = 4;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    at_level<<<1, 32>>>(texture, d_lods, n, to);
    std::vector<float> got(lods.size());
    OK(cudaMemcpy(got.data(), to, lods.size() * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < lods.size(); i++) {
      const float held = std::fmin(std::fmax(lods[i], 0.0f), 4.0f);
      if (between == cudaFilterModePoint && lods[i] == 1.5f) continue;  // either
      const float level = between == cudaFilterModeLinear ? held : std::floor(held + 0.5f);
      EXPECT(std::fabs(got[i] - 100 * level) < 1e-3f);
    }
    if (between == cudaFilterModePoint) {
      by_gradients<<<1, 1>>>(texture, to);
      OK(cudaMemcpy(got.data(), to, 8, cudaMemcpyDeviceToHost));
      EXPECT(got[0] == 200 && got[1] == 0);
    }
    OK(cudaDestroyTextureObject(texture));
  }
  OK(cudaFree(d_lods));
  OK(cudaFree(to));
  OK(cudaFreeMipmappedArray(mipmapped));
}

/// Faces of 4 texels in a square: a texel is its cube, its face and its place.
void cubes() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  std::vector<float> texels;
  for (int face = 0; face < 12; face++)
    for (int i = 0; i < 16; i++) texels.push_back(static_cast<float>(100 * face + i));
  cudaArray_t arrays[2];
  cudaTextureObject_t textures[2];
  for (int i = 0; i < 2; i++) {
    const cudaExtent extent = make_cudaExtent(4, 4, i ? 12 : 6);
    OK(cudaMalloc3DArray(&arrays[i], &format, extent,
                         cudaArrayCubemap | (i ? cudaArrayLayered : cudaArrayDefault)));
    cudaMemcpy3DParms p{};
    p.srcPtr = make_cudaPitchedPtr(texels.data(), 16, 4, 4);
    p.dstArray = arrays[i];
    p.extent = extent;
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = arrays[i];
    const cudaTextureDesc how = nearest();
    OK(cudaCreateTextureObject(&textures[i], &resource, &how, nullptr));
  }
  float *to, got[12];
  OK(cudaMalloc(&to, sizeof got));
  directions<<<1, 32>>>(textures[0], textures[1], to);
  OK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
  // s and t of the guide's table, each 1/4 from the middle: column 2 (s = 5/8), row 1 or 2 (t = 3/8 or 5/8).
  const int wanted[6] = {6, 106, 210, 310, 406, 506};
  for (int i = 0; i < 6; i++) {
    EXPECT_VALUE(wanted[i], got[i]);
    EXPECT_VALUE(wanted[i] + 600, got[6 + i]);
  }
  for (int i = 0; i < 2; i++) {
    OK(cudaDestroyTextureObject(textures[i]));
    OK(cudaFreeArray(arrays[i]));
  }
  OK(cudaFree(to));
}

}  // namespace

int main() {
  levels();
  cubes();
  return 0;
}
