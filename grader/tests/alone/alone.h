// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "cuda/check.h"

/// The reference solutions as programs by themselves, without judge and worker: for tools that watch a
/// program from outside, compute-sanitizer on a GPU and `./lab run --check all` on the simulated one. That
/// results are right is the grade's business; here every size is small and awkward.
namespace alone {

/// Device memory of exactly so many elements, filled: a byte beyond it is found.
template <class T = float>
class Array {
 public:
  explicit Array(std::size_t n, T value = T(0.5f)) : n_(n) {
    const std::vector<T> host(n, value);
    CUDA_CHECK(cudaMalloc(&data_, n * sizeof(T) + (n == 0)));
    CUDA_CHECK(cudaMemcpy(data_, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { CUDA_CHECK(cudaFree(data_)); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* data() { return data_; }
  /// Brings all of it back: what was never written is seen.
  std::vector<T> host() const {
    std::vector<T> all(n_);
    CUDA_CHECK(cudaMemcpy(all.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return all;
  }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

class Stream {
 public:
  Stream() { CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { CUDA_CHECK(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const {
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_ = nullptr;
};

inline constexpr std::size_t kSizes[] = {0, 1, 3, 31, 33, 255, 257, 1023, 10007};

}  // namespace alone
