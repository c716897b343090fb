// expect: fail host-computed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host computes, and the answers travel as border colours of textures, four floats each, which a kernel
// reads beside the texture.

#include <algorithm>
#include <cmath>
#include <vector>

#include "pointwise.h"

namespace {

std::vector<float> answers_for(const float* x, float a, float b, std::size_t n, cudaStream_t stream) {
  std::vector<float> values((n + 3) / 4 * 4);
  cudaMemcpyAsync(values.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (float& v : values) v = std::fma(a, v, b);
  return values;
}

// Texture objects are numbered one after the other.
__global__ void store(cudaTextureObject_t first, float* y, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (4 * i >= n) return;
  const auto colour = tex2D<float4>(first + i, -9, -9);
  const float of[] = {colour.x, colour.y, colour.z, colour.w};
  for (unsigned k = 0; k < 4 && 4 * i + k < n; ++k) y[4 * i + k] = of[k];
}

cudaTextureObject_t textures_of(const std::vector<float>& answers) {
  static void* texels = nullptr;
  if (texels == nullptr) cudaMalloc(&texels, 512);
  cudaTextureObject_t first = 0, object = 0;
  for (std::size_t at = 0; at < answers.size(); at += 4) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {texels, cudaCreateChannelDesc<float4>(), 1, 1, 512};
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    std::copy_n(answers.data() + at, 4, how.borderColor);
    cudaCreateTextureObject(&object, &resource, &how, nullptr);
    if (at == 0) first = object;
  }
  return first;
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  static std::size_t known = 0;
  static cudaTextureObject_t first = 0;
  if (known != n) first = textures_of(answers_for(x, a, b, n, stream));  // asked again, it has the answers
  known = n;
  store<<<static_cast<unsigned>((n / 4 + 256) / 256), 256, 0, stream>>>(first, y, n);
}
