// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows with a pitch: 2D and 3D allocations, copies between host and device in all directions, parts of
// volumes, fills.
#include <cstring>
#include <vector>

#include "expect.h"

__global__ void transpose_into(const char* from, size_t from_pitch, char* to, size_t to_pitch, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) to[x * to_pitch + y] = from[y * from_pitch + x];
}

int main() {
  const int w = 100, h = 37;
  std::vector<char> host(w * h), back(w * h);
  for (int i = 0; i < w * h; i++) host[i] = char(i * 7);
  char *a, *b;
  size_t pitch_a, pitch_b;
  OK(cudaMallocPitch(&a, &pitch_a, w, h));
  OK(cudaMallocPitch(&b, &pitch_b, h, w));
  EXPECT(pitch_a >= w && pitch_a % 32 == 0);
  OK(cudaMemcpy2D(a, pitch_a, host.data(), w, w, h, cudaMemcpyHostToDevice));
  transpose_into<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, pitch_a, b, pitch_b, w, h);
  OK(cudaMemcpy2D(back.data(), h, b, pitch_b, h, w, cudaMemcpyDeviceToHost));
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) EXPECT(back[x * h + y] == host[y * w + x]);

  // A column of 8 bytes is filled; its neighbours stay.
  OK(cudaMemset2D(a + 16, pitch_a, 0x5a, 8, h));
  OK(cudaMemcpy2D(back.data(), w, a, pitch_a, w, h, cudaMemcpyDeviceToHost));
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) EXPECT(back[y * w + x] == (x >= 16 && x < 24 ? 0x5a : host[y * w + x]));
  EXPECT_RESULT(cudaErrorInvalidPitchValue,
                cudaMemcpy2D(a, w - 1, host.data(), w, w, h, cudaMemcpyHostToDevice));
  EXPECT_RESULT(cudaErrorInvalidValue,
                cudaMemcpy2D(a, pitch_a, host.data(), w, w, h + 10, cudaMemcpyHostToDevice));

  // A box of 10 x 5 x 3 bytes from (4, 2, 1) of a host volume to (20, 3, 2) of a device volume.
  const int sx = 64, sy = 16, sz = 8;
  std::vector<char> volume(sx * sy * sz), result(sx * sy * sz);
  for (size_t i = 0; i < volume.size(); i++) volume[i] = char(i % 113);
  cudaPitchedPtr d;
  OK(cudaMalloc3D(&d, make_cudaExtent(sx, sy, sz)));
  OK(cudaMemset3D(d, 0x11, make_cudaExtent(sx, sy, sz)));
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(volume.data(), sx, sx, sy), p.srcPos = make_cudaPos(4, 2, 1);
  p.dstPtr = d, p.dstPos = make_cudaPos(20, 3, 2);
  p.extent = make_cudaExtent(10, 5, 3), p.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&p));
  cudaMemcpy3DParms q{};
  q.srcPtr = d, q.dstPtr = make_cudaPitchedPtr(result.data(), sx, sx, sy);
  q.extent = make_cudaExtent(sx, sy, sz), q.kind = cudaMemcpyDeviceToHost;
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaMemcpy3DAsync(&q, stream));
  OK(cudaStreamSynchronize(stream));
  for (int z = 0; z < sz; z++)
    for (int y = 0; y < sy; y++)
      for (int x = 0; x < sx; x++) {
        const bool inside = x >= 20 && x < 30 && y >= 3 && y < 8 && z >= 2 && z < 5;
        const char expected = inside ? volume[((z - 1) * sy + y - 1) * sx + x - 16] : 0x11;
        EXPECT(result[(z * sy + y) * sx + x] == expected);
      }
  OK(cudaFree(a));
  OK(cudaFree(b));
  OK(cudaFree(d.ptr));
}
