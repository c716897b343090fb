// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Vectorised access: float4, int2, uchar4, double2, short4 and a union over them; the tail element by
// element.
#include "expect.h"

__global__ void scale(float* p, int n, float a) {
  auto* vectors = reinterpret_cast<float4*>(p);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = vectors[i];
    v.x *= a, v.y *= a, v.z *= a, v.w *= a;
    vectors[i] = v;
  }
  if (i < n % 4) p[n / 4 * 4 + i] *= a;
}

__global__ void shuffle_bytes(const uchar4* in, uchar4* out, const short4* s, short4* s_out, const double2* d,
                              double2* d_out, const int2* pairs, longlong2* sums) {
  const int i = threadIdx.x;
  const uchar4 c = in[i];
  out[i] = make_uchar4(c.w, c.z, c.y, c.x);
  const short4 v = s[i];
  s_out[i] = make_short4(v.y, v.x, v.w, v.z);
  const double2 x = d[i];
  d_out[i] = {x.x + x.y, x.x - x.y};
  const int2 pair = pairs[i];
  sums[i] = {static_cast<long long>(pair.x) * pair.y, static_cast<long long>(pair.x) + pair.y};
}

template <class T>
T* managed(int n) {
  T* p;
  OK(cudaMallocManaged(&p, n * sizeof(T)));
  return p;
}

int main() {
  const int n = 1003;
  float* p = managed<float>(n);
  for (int i = 0; i < n; i++) p[i] = static_cast<float>(i);
  scale<<<8, 32>>>(p, n, 3.0f);
  auto *c = managed<uchar4>(32), *c_out = managed<uchar4>(32);
  auto *s = managed<short4>(32), *s_out = managed<short4>(32);
  auto *d = managed<double2>(32), *d_out = managed<double2>(32);
  auto* pairs = managed<int2>(32);
  auto* sums = managed<longlong2>(32);
  for (int i = 0; i < 32; i++) {
    c[i] = make_uchar4(i, i + 50, i + 100, i + 150);
    s[i] = make_short4(-i, i * 100, -i * 100, i);
    d[i] = make_double2(0.5 * i, 100);
    pairs[i] = make_int2(i * 60000000, -i * 7);
  }
  shuffle_bytes<<<1, 32>>>(c, c_out, s, s_out, d, d_out, pairs, sums);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(p[i] == 3.0f * static_cast<float>(i));
  for (int i = 0; i < 32; i++) {
    EXPECT(c_out[i].x == c[i].w && c_out[i].y == c[i].z && c_out[i].z == c[i].y && c_out[i].w == c[i].x);
    EXPECT(s_out[i].x == s[i].y && s_out[i].y == s[i].x && s_out[i].z == s[i].w && s_out[i].w == s[i].z);
    EXPECT(d_out[i].x == 0.5 * i + 100 && d_out[i].y == 0.5 * i - 100);
    EXPECT(sums[i].x == 1ll * pairs[i].x * pairs[i].y && sums[i].y == 0ll + pairs[i].x + pairs[i].y);
  }
  return 0;
}
