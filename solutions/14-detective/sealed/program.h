// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the twelve programs share. A learner gets them compiled, as 01 to 12 in an order of their own, with
// nothing in them that names what they do: all kernels are called `kernel`. With the argument 2 each has
// twice the data.
#pragma once
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

/// The number that `./lab diagnose` writes behind the end of a learner's copy; 0: nothing is written there.
static std::uint64_t seed_behind_the_program() {
  unsigned char bytes[16] = {};
  std::FILE* file = std::fopen("/proc/self/exe", "rb");
  if (file == nullptr) return 0;
  std::uint64_t seed = 0;
  if (std::fseek(file, -16, SEEK_END) == 0 && std::fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
      std::memcmp(bytes, "numbers:", 8) == 0)
    std::memcpy(&seed, bytes + 8, sizeof seed);
  std::fclose(file);
  return seed;
}

/// A number from `low` to `high`, each call another one; the same for the same learner. (splitmix64)
static int drawn(int low, int high) {
  static std::uint64_t state = seed_behind_the_program();
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return low + static_cast<int>((z ^ (z >> 31)) % static_cast<std::uint64_t>(high - low + 1));
}

/// How many times as much data the caller asks for, one digit. (Of the C library only what is in all of its
/// versions: these objects are linked on other machines.)
static int times(int argc, char** argv) {
  const int n = argc > 1 ? argv[1][0] - '0' : 1;
  return n < 1 || n > 8 ? 1 : n;
}

/// Brings so many KiB of pinned memory to the GPU, and waits for them: the part of each program that is not
/// its limit.
static void bring(int kib) {
  void *host = nullptr, *device = nullptr;
  const std::size_t bytes = static_cast<std::size_t>(kib) << 10;
  cudaMallocHost(&host, bytes);
  std::memset(host, 1, bytes);
  cudaMalloc(&device, bytes);
  cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
  cudaFree(device);
  cudaFreeHost(host);
}

static void* device_bytes(std::size_t bytes) {
  void* p = nullptr;
  cudaMalloc(&p, bytes);
  cudaMemset(p, 0, bytes);
  return p;
}

/// Every program imports what any of them calls: a list of its symbols tells nothing.
[[gnu::used]] static void* const kImports[] = {
    reinterpret_cast<void*>(&cudaDeviceSynchronize),
    reinterpret_cast<void*>(&cudaFree),
    reinterpret_cast<void*>(&cudaFreeHost),
    reinterpret_cast<void*>(&cudaMemcpy),
    reinterpret_cast<void*>(&cudaMemcpyAsync),
    reinterpret_cast<void*>(&cudaMemset),
    reinterpret_cast<void*>(&cudaStreamSynchronize),
    reinterpret_cast<void*>(&std::memset),
    reinterpret_cast<void*>(&usleep),
    reinterpret_cast<void*>(static_cast<cudaError_t (*)(void**, std::size_t)>(&cudaMallocHost)),
    reinterpret_cast<void*>(static_cast<cudaError_t (*)(void**, std::size_t)>(&cudaMalloc)),
    reinterpret_cast<void*>(static_cast<cudaError_t (*)(void**, std::size_t, unsigned)>(&cudaMallocManaged))};

/// The exit status: 1 where anything failed, with CUDA's sentence.
static int finished() {
  cudaDeviceSynchronize();
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
