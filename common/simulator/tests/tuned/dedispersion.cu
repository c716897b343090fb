// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Dedispersion as the published tuning runs have it: every thread sums samples of all channels, each delayed
// by what its dispersion measure asks for, for one output after the other. `dedispersion PART
// CHANNELS,CHANNELS... BXxBY/TXxTY/SX,SY ...` makes one in PART of the published grid's blocks for
// each number of channels, of which the published kernel has 1536.
// needs: compute_80
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../programs/expect.h"

constexpr int kMeasures = 2048, kSamples = 25000, kPublishedChannels = 1536, kMostShift = 650;
constexpr int kPitch = kSamples + kMostShift;
constexpr float kMeasureStep = 0.02f;

/// Outputs of a thread: tile_x x tile_y of them, next to each other (0) or a block's width apart (1).
struct Configuration {
  int block_x, block_y, tile_x, tile_y, apart_x, apart_y;
};

__global__ void dedisperse(const unsigned char* input, float* output, const float* shifts, int channels,
                           Configuration c, unsigned columns, unsigned part) {
  const unsigned block = blockIdx.x * part, bx = block % columns, by = block / columns;
  const int x = bx * c.block_x * c.tile_x + threadIdx.x * (c.apart_x ? 1 : c.tile_x);
  const int y = by * c.block_y * c.tile_y + threadIdx.y * (c.apart_y ? 1 : c.tile_y);
  for (int i = 0; i < c.tile_x; ++i) {
    const int sample = x + i * (c.apart_x ? c.block_x : 1);
    if (sample >= kSamples) continue;
    for (int j = 0; j < c.tile_y; ++j) {
      const int measure = y + j * (c.apart_y ? c.block_y : 1);
      if (measure >= kMeasures) continue;
      float sum = 0;
      for (int channel = 0; channel < channels; ++channel) {
        const unsigned shift = measure * kMeasureStep * shifts[channel];
        sum += input[channel * kPitch + (sample + shift)];
      }
      output[measure * kSamples + sample] = sum;
    }
  }
}

/// Samples that a unit of dispersion delays each channel of 1425 MHz and up, 0.195 MHz wide.
std::vector<float> delays(int channels) {
  constexpr double kLow = 1425, kWidth = 0.1953125, kConstant = 4148.808, kSampleTime = 0.00004096;
  const double high = kLow + (kPublishedChannels - 1) * kWidth;
  std::vector<float> all(channels);
  for (int i = 0; i < channels; ++i) {
    const double frequency = kLow + double(i) * kPublishedChannels / channels * kWidth;
    all[i] = float(kConstant * (1 / (frequency * frequency) - 1 / (high * high)) / kSampleTime);
  }
  all[channels - 1] = 0;
  return all;
}

int main(int argc, char** argv) {
  const unsigned part = unsigned(std::atoi(argv[1]));
  std::vector<int> channels;
  for (char* at = argv[2]; *at; at += *at == ',') channels.push_back(int(std::strtol(at, &at, 10)));
  const int most = channels.back();
  unsigned char* input;
  float *output, *shifts;
  OK(cudaMalloc(&input, size_t(most) * kPitch));
  OK(cudaMemset(input, 3, size_t(most) * kPitch));
  OK(cudaMalloc(&output, size_t(kMeasures) * kSamples * sizeof(float)));
  OK(cudaMalloc(&shifts, most * sizeof(float)));
  for (int i = 3; i < argc; ++i) {
    Configuration c;
    EXPECT(std::sscanf(argv[i], "%dx%d/%dx%d/%d,%d", &c.block_x, &c.block_y, &c.tile_x, &c.tile_y, &c.apart_x,
                       &c.apart_y) == 6);
    const unsigned columns = (kSamples + c.block_x * c.tile_x - 1) / (c.block_x * c.tile_x);
    const unsigned rows = (kMeasures + c.block_y * c.tile_y - 1) / (c.block_y * c.tile_y);
    for (const int n : channels) {
      OK(cudaMemcpy(shifts, delays(n).data(), n * sizeof(float), cudaMemcpyHostToDevice));
      dedisperse<<<(columns * rows + part - 1) / part, dim3(c.block_x, c.block_y)>>>(input, output, shifts, n,
                                                                                     c, columns, part);
      OK(cudaGetLastError());
      float first;
      OK(cudaMemcpy(&first, output, sizeof first, cudaMemcpyDeviceToHost));
      EXPECT(first == 3.0f * n);
    }
  }
}
