// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "worker/gpus.h"

namespace roofline::worker {

void Gpus::begin(bool load) {
  if (begun_) return;
  begun_ = true;
  int found = 0;
  if (cudaGetDeviceCount(&found) == cudaSuccess && found > 1) count_ = static_cast<unsigned>(found);
  if (load && count_ == 1) cudaDeviceSynchronize();
  if (count_ == 1) return;
  peers_ = true;
  for (unsigned gpu = 0; gpu < count_; ++gpu) {
    aim(gpu);
    if (load) cudaDeviceSynchronize();
    for (unsigned peer = 0; peer < count_; ++peer) {
      int reaches = 0;
      if (peer == gpu) continue;
      cudaDeviceCanAccessPeer(&reaches, static_cast<int>(gpu), static_cast<int>(peer));
      peers_ = peers_ && reaches != 0;
      if (reaches != 0) cudaDeviceEnablePeerAccess(static_cast<int>(peer), 0);
    }
  }
  cudaGetLastError();
  aim(0);
}

cudaError_t Gpus::synchronize() const {
  cudaError_t first = cudaSuccess;
  for (unsigned gpu = 0; gpu < count_; ++gpu) {
    aim(gpu);
    const cudaError_t error = cudaDeviceSynchronize();
    if (first == cudaSuccess) first = error;
  }
  aim(0);
  return first;
}

cudaError_t Gpus::make_streams() {
  if (!streams_.empty()) return cudaSuccess;
  std::vector<cudaStream_t> made(count_);
  for (unsigned gpu = 0; gpu < count_; ++gpu) {
    aim(gpu);
    const cudaError_t error = cudaStreamCreateWithFlags(&made[gpu], cudaStreamNonBlocking);
    if (error != cudaSuccess) return error;
  }
  aim(0);
  streams_ = std::move(made);
  return cudaSuccess;
}

}  // namespace roofline::worker
