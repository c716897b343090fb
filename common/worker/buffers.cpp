// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "worker/buffers.h"

#include <algorithm>

namespace roofline::worker {
namespace {

bool inside(std::uint64_t offset, std::uint64_t bytes, std::size_t size) {
  return offset <= size && bytes <= size - offset;
}

}  // namespace

bool Buffers::fits(const ArrayRecord& record) const {
  const std::size_t source_size = record.from_output != 0 ? memory_.output_bytes : memory_.input_bytes;
  return inside(record.source, record.image_bytes, source_size) && record.payload <= record.image_bytes &&
         record.alias <= count_;
}

Outcome Buffers::load(const Request& request) {
  release();
  sets_ = std::max(1U, request.sets);
  arrays_.assign(std::size_t{sets_} * count_, {});
  for (unsigned set = 0; set < sets_; ++set) {
    const Outcome outcome = load_set(request, set);
    if (outcome.status != Status::kOk) {
      release();
      return outcome;
    }
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) return {Status::kCudaError, Stage::kUpload, error};
  return {};
}

Outcome Buffers::load_set(const Request& request, unsigned set) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (!is_array(i)) continue;
    const ArrayRecord& record = request.arrays[i];
    if (!fits(record)) return {Status::kBadRequest, Stage::kAllocate, cudaErrorInvalidValue};
    if (record.alias != 0) continue;
    Array& array = arrays_[set * count_ + i];
    const cudaError_t allocated = cudaMalloc(&array.base, record.image_bytes);
    if (allocated == cudaErrorMemoryAllocation) return {Status::kNoMemory, Stage::kAllocate, allocated};
    if (allocated != cudaSuccess) return {Status::kCudaError, Stage::kAllocate, allocated};
    array.owned = true;
    array.payload = record.payload;
    const std::byte* image = (record.from_output != 0 ? memory_.output : memory_.input) + record.source;
    const cudaError_t copied = cudaMemcpy(array.base, image, record.image_bytes, cudaMemcpyHostToDevice);
    if (copied != cudaSuccess) return {Status::kCudaError, Stage::kUpload, copied};
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (!is_array(i) || request.arrays[i].alias == 0) continue;
    arrays_[set * count_ + i] = arrays_[set * count_ + request.arrays[i].alias - 1];
    arrays_[set * count_ + i].owned = false;
  }
  return {};
}

Outcome Buffers::fetch(const Request& request) const {
  const unsigned set = request.fetch_set;
  if (set >= sets_ || arrays_.empty()) return {Status::kBadRequest, Stage::kDownload, cudaErrorInvalidValue};
  for (std::size_t i = 0; i < count_; ++i) {
    const ArrayRecord& record = request.arrays[i];
    if (!is_array(i) || record.fetch == 0) continue;
    if (!inside(record.destination, record.image_bytes, memory_.output_bytes)) {
      return {Status::kBadRequest, Stage::kDownload, cudaErrorInvalidValue};
    }
    const cudaError_t error = cudaMemcpy(memory_.output + record.destination, arrays_[set * count_ + i].base,
                                         record.image_bytes, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return {Status::kCudaError, Stage::kDownload, error};
  }
  return {};
}

void Buffers::release() {
  for (const Array& array : arrays_) {
    if (array.owned) cudaFree(array.base);
  }
  arrays_.clear();
}

}  // namespace roofline::worker
