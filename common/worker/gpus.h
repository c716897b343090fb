// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

#include <vector>

namespace roofline::worker {

/// The GPUs that the program finds: one for most labs. Where there is only one, nothing here calls anything
/// but cudaGetDeviceCount. begin() comes first.
class Gpus {
 public:
  unsigned count() const { return count_; }
  /// Each GPU's kernels may touch the memory of every other: so it is from the first call of begin() on.
  bool peers() const { return peers_; }
  /// Commands from now on are for this GPU.
  void aim(unsigned gpu) const {
    if (count_ > 1) cudaSetDevice(static_cast<int>(gpu));
  }
  /// Counts them, which may wake the driver, loads the program's code on all of them where `load` says so,
  /// lets them reach each other's memory, and aims at the first.
  void begin(bool load);
  /// Waits for all work on all of them, and aims at the first.
  cudaError_t synchronize() const;

  /// A stream of each, made when it is first asked for.
  cudaError_t make_streams();
  cudaStream_t stream(unsigned gpu = 0) const { return streams_[gpu]; }
  const std::vector<cudaStream_t>& streams() const { return streams_; }

 private:
  unsigned count_ = 1;
  bool begun_ = false, peers_ = false;
  std::vector<cudaStream_t> streams_;
};

}  // namespace roofline::worker
