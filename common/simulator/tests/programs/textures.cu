// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Texture objects over arrays, pitched and linear memory: nearest and filtered values, every address mode,
// formats.
#include <cuda_fp16.h>

#include <cmath>
#include <vector>

#include "expect.h"

namespace {

/// Where the kernels read: fractions of a texel that eight bits hold, so that weights are exact.
struct At {
  float x, y, z;
};

template <int kDimensions, bool kLayered>
__global__ void fetch(cudaTextureObject_t texture, const At* at, int n, float* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const At a = at[i];
  if (kLayered)
    to[i] = kDimensions == 1 ? tex1DLayered<float>(texture, a.x, static_cast<int>(a.z))
                             : tex2DLayered<float>(texture, a.x, a.y, static_cast<int>(a.z));
  else
    to[i] = kDimensions == 1   ? tex1D<float>(texture, a.x)
            : kDimensions == 2 ? tex2D<float>(texture, a.x, a.y)
                               : tex3D<float>(texture, a.x, a.y, a.z);
}

__global__ void fetch_linear(cudaTextureObject_t texture, int first, int n, int2* to) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < n) to[i] = tex1Dfetch<int2>(texture, first + i);
}

__global__ void fetch_bytes(cudaTextureObject_t texture, float4* floats) {
  *floats = tex2D<float4>(texture, 1.5f, 0.5f);
}
__global__ void fetch_integers(cudaTextureObject_t texture, short4* values) {
  *values = tex2D<short4>(texture, 1.5f, 0.5f);
}
__global__ void fetch_gathered(cudaTextureObject_t texture, float4* to, float x, float y) {
  to[0] = tex2Dgather<float4>(texture, x, y, 0);
  to[1] = tex2Dgather<float4>(texture, x, y, 1);
}

struct Volume {
  int width, height, depth;
  std::vector<float> texels;
  float at(int x, int y, int z) const { return texels[static_cast<size_t>((z * height + y) * width + x)]; }
};

Volume volume(int width, int height, int depth) {
  Volume v{width, height, depth, {}};
  for (int i = 0; i < width * height * depth; i++)
    v.texels.push_back(static_cast<float>((i * 37 + i / 7) % 101) - 20);
  return v;
}

/// -1: outside, where the border's 0 stands.
int index_of(int i, int n, cudaTextureAddressMode mode) {
  if (i >= 0 && i < n) return i;
  const int wrapped = ((i % n) + n) % n;
  switch (mode) {
    case cudaAddressModeWrap:
      return wrapped;
    case cudaAddressModeMirror:
      return ((i - wrapped) / n) % 2 == 0 ? wrapped : n - 1 - wrapped;
    case cudaAddressModeClamp:
      return i < 0 ? 0 : n - 1;
    default:
      return -1;
  }
}

/// One dimension of the guide's appendix "Texture Fetching": two texels and the weight of the second.
struct Pair {
  int first, second;
  double weight;
};
Pair pair_of(double x, int n, cudaTextureAddressMode mode, bool linear) {
  if (!linear) {
    const int i = index_of(static_cast<int>(std::floor(x)), n, mode);
    return {i, i, 0};
  }
  const double base = std::floor(x - 0.5);
  const int i = static_cast<int>(base);
  return {index_of(i, n, mode), index_of(i + 1, n, mode), x - 0.5 - base};
}

double expected(const Volume& v, const At& a, int dimensions, bool layered, const cudaTextureDesc& d) {
  const auto scale = [&](float x, int n) { return d.normalizedCoords ? double{x} * n : double{x}; };
  const bool linear = d.filterMode == cudaFilterModeLinear;
  const Pair none{0, 0, 0};
  const Pair x = pair_of(scale(a.x, v.width), v.width, d.addressMode[0], linear);
  const Pair y = dimensions > 1 ? pair_of(scale(a.y, v.height), v.height, d.addressMode[1], linear) : none;
  const int layer = static_cast<int>(a.z) < v.depth ? static_cast<int>(a.z) : v.depth - 1;
  const Pair z = layered          ? Pair{layer, layer, 0}
                 : dimensions > 2 ? pair_of(scale(a.z, v.depth), v.depth, d.addressMode[2], linear)
                                  : none;
  double sum = 0;
  for (int k = 0; k < 8; k++) {
    const int i = k & 1 ? x.second : x.first, j = k & 2 ? y.second : y.first, l = k & 4 ? z.second : z.first;
    const double weight = (k & 1 ? x.weight : 1 - x.weight) * (k & 2 ? y.weight : 1 - y.weight) *
                          (k & 4 ? z.weight : 1 - z.weight);
    if (i >= 0 && j >= 0 && l >= 0) sum += weight * double{v.at(i, j, l)};
  }
  return sum;
}

std::vector<At> places(const Volume& v, bool normalised, bool layered) {
  std::vector<At> at;
  unsigned state = 12345;
  const auto next = [&](int n) {  // from -n to 2n in steps of 1/16 texel
    state = state * 1664525u + 1013904223u;
    const float x =
        static_cast<float>(static_cast<int>((state >> 8) % static_cast<unsigned>(48 * n)) - 16 * n) / 16;
    return normalised ? x / static_cast<float>(n) : x;
  };
  for (int i = 0; i < 500; i++) {
    At a{next(v.width), next(v.height), next(v.depth)};
    if (layered) a.z = static_cast<float>(i % (v.depth + 1));  // one too many is the last
    at.push_back(a);
  }
  return at;
}

/// `row`: a line becomes an array of one row.
cudaArray_t array_of(const Volume& v, int dimensions, bool layered, bool row) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const auto width = static_cast<size_t>(v.width), height = static_cast<size_t>(v.height),
             depth = static_cast<size_t>(v.depth);
  cudaArray_t array;
  const cudaExtent extent =
      make_cudaExtent(width, dimensions > 1 || row ? height : 0, layered || dimensions > 2 ? depth : 0);
  OK(cudaMalloc3DArray(&array, &format, extent, layered ? cudaArrayLayered : cudaArrayDefault));
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(const_cast<float*>(v.texels.data()), width * 4, width, height);
  p.dstArray = array;
  p.extent = make_cudaExtent(width, height, depth);
  p.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&p));
  return array;
}

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

template <int kDimensions, bool kLayered>
void check(const Volume& v, const cudaResourceDesc& resource, const cudaTextureDesc& how) {
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  const std::vector<At> at = places(v, how.normalizedCoords, kLayered);
  const int n = static_cast<int>(at.size());
  At* d_at;
  float* d_to;
  OK(cudaMalloc(&d_at, at.size() * sizeof(At)));
  OK(cudaMalloc(&d_to, at.size() * sizeof(float)));
  OK(cudaMemcpy(d_at, at.data(), at.size() * sizeof(At), cudaMemcpyHostToDevice));
  fetch<kDimensions, kLayered><<<(n + 63) / 64, 64>>>(texture, d_at, n, d_to);
  std::vector<float> got(at.size());
  OK(cudaMemcpy(got.data(), d_to, at.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < at.size(); i++) {
    const double wanted = expected(v, at[i], kDimensions, kLayered, how);
    if (std::fabs(got[i] - wanted) <= 1e-4) continue;
    std::fprintf(stderr, "%dD, layers %d, filter %d, modes %d %d, normalised %d: at %g %g %g: %g, not %g\n",
                 kDimensions, kLayered, how.filterMode, how.addressMode[0], how.addressMode[1],
                 how.normalizedCoords, at[i].x, at[i].y, at[i].z, got[i], wanted);
    not_as_expected();
  }
  OK(cudaDestroyTextureObject(texture));
  OK(cudaFree(d_at));
  OK(cudaFree(d_to));
}

template <int kDimensions, bool kLayered>
void all_modes(const Volume& v, bool row = false) {
  const cudaArray_t array = array_of(v, kDimensions, kLayered, row);
  constexpr cudaTextureAddressMode kModes[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                               cudaAddressModeMirror, cudaAddressModeBorder};
  for (int m = 0; m < 4; m++)
    for (const cudaTextureFilterMode filter : {cudaFilterModePoint, cudaFilterModeLinear})
      for (const int normalised : {0, 1}) {
        // Wrap and mirror are for normalised coordinates.
        if (!normalised && m % 2 == 0) continue;
        cudaTextureDesc how{};
        how.addressMode[0] = how.addressMode[2] = kModes[m];
        how.addressMode[1] = kModes[normalised ? (m + 1) % 4 : (m + 2) % 4];
        how.filterMode = filter;
        how.normalizedCoords = normalised;
        check<kDimensions, kLayered>(v, resource_of(array), how);
      }
  OK(cudaFreeArray(array));
}

void pitched() {
  const Volume v = volume(19, 6, 1);
  float* d;
  size_t pitch;
  OK(cudaMallocPitch(&d, &pitch, 19 * 4, 6));
  OK(cudaMemcpy2D(d, pitch, v.texels.data(), 19 * 4, 19 * 4, 6, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {d, cudaCreateChannelDesc<float>(), 19, 6, pitch};
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  check<2, false>(v, resource, how);
  how.normalizedCoords = 1;
  how.addressMode[0] = cudaAddressModeWrap;
  check<2, false>(v, resource, how);
  OK(cudaFree(d));
}

/// Outside of linear memory stands 0.
void linear() {
  const std::vector<int2> all{{1, -2}, {3, -4}, {5, -6}};
  int2 *d, *to;
  OK(cudaMalloc(&d, all.size() * sizeof(int2)));
  OK(cudaMalloc(&to, 8 * sizeof(int2)));
  OK(cudaMemcpy(d, all.data(), all.size() * sizeof(int2), cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {d, cudaCreateChannelDesc<int2>(), all.size() * sizeof(int2)};
  cudaTextureDesc how{};
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  fetch_linear<<<1, 32>>>(texture, -2, 8, to);
  int2 got[8];
  OK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; i++) {
    const bool inside = i >= 2 && i < 5;
    EXPECT_VALUE(inside ? all[static_cast<size_t>(i - 2)].x : 0, got[i].x);
    EXPECT_VALUE(inside ? all[static_cast<size_t>(i - 2)].y : 0, got[i].y);
  }
  cudaResourceDesc same{};
  cudaTextureDesc mode{};
  OK(cudaGetTextureObjectResourceDesc(&same, texture));
  EXPECT(same.resType == cudaResourceTypeLinear && same.res.linear.devPtr == d);
  OK(cudaGetTextureObjectTextureDesc(&mode, texture));
  EXPECT(mode.readMode == cudaReadModeElementType);
  OK(cudaDestroyTextureObject(texture));
  OK(cudaFree(d));
  OK(cudaFree(to));
}

template <class T>
cudaTextureObject_t texture_of(const T* texels, cudaArray_t& array, const cudaTextureDesc& how) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  OK(cudaMallocArray(&array, &format, 2, 2));
  OK(cudaMemcpy2DToArray(array, 0, 0, texels, 2 * sizeof(T), 2 * sizeof(T), 2, cudaMemcpyHostToDevice));
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

template <class T, class Result, class Kernel>
Result read_one(const T (&texels)[4], Kernel kernel, const cudaTextureDesc& how) {
  cudaArray_t array;
  const cudaTextureObject_t texture = texture_of(texels, array, how);
  Result *to, got;
  OK(cudaMalloc(&to, sizeof(Result)));
  kernel<<<1, 1>>>(texture, to);
  OK(cudaMemcpy(&got, to, sizeof got, cudaMemcpyDeviceToHost));
  OK(cudaFree(to));
  OK(cudaDestroyTextureObject(texture));
  OK(cudaFreeArray(array));
  return got;
}

bool is_near(float a, double b) { return std::fabs(a - b) < 1e-6; }

void formats() {
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.readMode = cudaReadModeNormalizedFloat;
  const uchar4 bytes[4] = {{}, {0, 51, 255, 128}};
  float4 f = read_one<uchar4, float4>(bytes, fetch_bytes, how);
  EXPECT(f.x == 0 && is_near(f.y, 0.2) && f.z == 1 && is_near(f.w, 128 / 255.0));
  const short4 shorts[4] = {{}, {-32768, -32767, 32767, 16384}};
  f = read_one<short4, float4>(shorts, fetch_bytes, how);
  EXPECT(f.x == -1 && f.y == -1 && f.z == 1 && is_near(f.w, 16384 / 32767.0));
  const char4 chars[4] = {{}, {-128, -127, 127, 64}};
  f = read_one<char4, float4>(chars, fetch_bytes, how);
  EXPECT(f.x == -1 && f.y == -1 && f.z == 1 && is_near(f.w, 64 / 127.0));
  how.readMode = cudaReadModeElementType;
  const short4 s = read_one<short4, short4>(shorts, fetch_integers, how);
  EXPECT(s.x == -32768 && s.y == -32767 && s.z == 32767 && s.w == 16384);

  // Halves are read as floats.
  const __half halves[4] = {__float2half(0), __float2half(-1.5f), __float2half(0), __float2half(0)};
  cudaArray_t array;
  const cudaChannelFormatDesc half = cudaCreateChannelDescHalf();
  OK(cudaMallocArray(&array, &half, 2, 2));
  OK(cudaMemcpy2DToArray(array, 0, 0, halves, 4, 4, 2, cudaMemcpyHostToDevice));
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  float4 *to, got;
  OK(cudaMalloc(&to, sizeof got));
  fetch_bytes<<<1, 1>>>(texture, to);
  OK(cudaMemcpy(&got, to, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got.x == -1.5f);
  OK(cudaDestroyTextureObject(texture));
  OK(cudaFreeArray(array));

  // Integers are never filtered.
  const cudaChannelFormatDesc integers = cudaCreateChannelDesc<int>();
  OK(cudaMallocArray(&array, &integers, 2, 2));
  const cudaResourceDesc of_integers = resource_of(array);
  how.filterMode = cudaFilterModeLinear;
  EXPECT(cudaCreateTextureObject(&texture, &of_integers, &how, nullptr) != cudaSuccess);
  (void)cudaGetLastError();
  OK(cudaFreeArray(array));
  OK(cudaFree(to));
}

void gathered() {
  const float2 texels[4] = {{1, 10}, {2, 20}, {3, 30}, {4, 40}};
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, 2, 2, cudaArrayTextureGather));
  OK(cudaMemcpy2DToArray(array, 0, 0, texels, 16, 16, 2, cudaMemcpyHostToDevice));
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  float4 *to, got[2];
  OK(cudaMalloc(&to, sizeof got));
  fetch_gathered<<<1, 1>>>(texture, to, 1.0f, 1.0f);
  OK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got[0].x == 3 && got[0].y == 4 && got[0].z == 2 && got[0].w == 1);
  EXPECT(got[1].x == 30 && got[1].y == 40 && got[1].z == 20 && got[1].w == 10);
  OK(cudaDestroyTextureObject(texture));
  OK(cudaFreeArray(array));
  OK(cudaFree(to));
}

}  // namespace

int main() {
  all_modes<1, false>(volume(16, 1, 1));
  all_modes<1, false>(volume(16, 1, 1), true);
  all_modes<2, false>(volume(16, 8, 1));
  all_modes<3, false>(volume(8, 4, 16));
  all_modes<1, true>(volume(16, 1, 5));
  all_modes<2, true>(volume(16, 8, 3));
  pitched();
  linear();
  formats();
  gathered();
  return 0;
}
