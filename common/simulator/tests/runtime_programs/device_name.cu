// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Prints what the device calls itself; attributes must agree with properties.
#include "expect.h"

int main() {
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  std::printf("%s %d.%d\n", p.name, p.major, p.minor);
  const struct {
    cudaDeviceAttr attribute;
    size_t expected;
  } pairs[] = {{cudaDevAttrMultiProcessorCount, static_cast<size_t>(p.multiProcessorCount)},
               {cudaDevAttrMaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin},
               {cudaDevAttrMaxThreadsPerMultiProcessor, static_cast<size_t>(p.maxThreadsPerMultiProcessor)},
               {cudaDevAttrComputeCapabilityMajor, static_cast<size_t>(p.major)},
               {cudaDevAttrL2CacheSize, static_cast<size_t>(p.l2CacheSize)}};
  for (const auto& pair : pairs) {
    int value = -1;
    OK(cudaDeviceGetAttribute(&value, pair.attribute, 0));
    EXPECT(value > 0 && static_cast<size_t>(value) == pair.expected);
  }
  int clock = 0;
  OK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
  EXPECT(clock > 500000 && clock < 4000000);  // kHz
  int ratio = 0;
  OK(cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, 0));
  EXPECT(ratio >= 2);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaDeviceGetAttribute(&clock, static_cast<cudaDeviceAttr>(0), 0));
  return 0;
}
