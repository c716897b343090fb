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
  return (!memory_.shared() || inside(record.source, record.image_bytes, source_size)) &&
         record.payload <= record.image_bytes && record.alias <= count_ && record.gpu < gpus_.count();
}

Outcome Buffers::load(const Request& request) {
  release();
  sets_ = std::max(1U, request.sets);
  has_spare_ = request.spare != 0;
  const unsigned copies = sets_ + (has_spare_ ? 1 : 0);
  arrays_.assign(std::size_t{copies} * count_, {});
  for (unsigned set = copies; set-- > 0;) {
    const Outcome outcome = load_set(request, set, copies - 1);
    if (outcome.status != Status::kOk) {
      release();
      return outcome;
    }
  }
  const cudaError_t error = gpus_.synchronize();
  if (error != cudaSuccess) return {Status::kCudaError, Stage::kUpload, error};
  return {};
}

Outcome Buffers::load_set(const Request& request, unsigned set, unsigned uploaded) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (!is_array(i)) continue;
    const ArrayRecord& record = request.arrays[i];
    if (!fits(record)) return {Status::kBadRequest, Stage::kAllocate, cudaErrorInvalidValue};
    if (record.alias != 0) continue;
    Array& array = arrays_[set * count_ + i];
    array.gpu = record.gpu;
    gpus_.aim(array.gpu);
    const cudaError_t allocated = cudaMalloc(&array.base, record.image_bytes);
    if (allocated == cudaErrorMemoryAllocation) return {Status::kNoMemory, Stage::kAllocate, allocated};
    if (allocated != cudaSuccess) return {Status::kCudaError, Stage::kAllocate, allocated};
    array.owned = true;
    array.payload = record.payload;
    array.bytes = record.image_bytes;
    if (!memory_.shared()) continue;
    const std::byte* image = (record.from_output != 0 ? memory_.output : memory_.input) + record.source;
    const cudaError_t copied = set == uploaded
                                   ? cudaMemcpy(array.base, image, array.bytes, cudaMemcpyHostToDevice)
                                   : cudaMemcpy(array.base, arrays_[uploaded * count_ + i].base, array.bytes,
                                                cudaMemcpyDeviceToDevice);
    if (copied != cudaSuccess) return {Status::kCudaError, Stage::kUpload, copied};
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (!is_array(i) || request.arrays[i].alias == 0) continue;
    arrays_[set * count_ + i] = arrays_[set * count_ + request.arrays[i].alias - 1];
    arrays_[set * count_ + i].owned = false;
  }
  return {};
}

Outcome Buffers::reset() const {
  for (std::size_t at = 0; has_spare_ && at < sets_ * count_; ++at) {
    const Array& array = arrays_[at];
    if (parameters_[at % count_].parameter != Parameter::kOutput || !array.owned) continue;
    gpus_.aim(array.gpu);
    const cudaError_t error = cudaMemcpyAsync(array.base, arrays_[sets_ * count_ + at % count_].base,
                                              array.bytes, cudaMemcpyDeviceToDevice, gpus_.stream(array.gpu));
    if (error != cudaSuccess) return {Status::kCudaError, Stage::kUpload, error};
  }
  gpus_.aim(0);
  return {};
}

cudaError_t Buffers::look(const Request& request, Pieces& pieces) const {
  if (request.fetch_set >= sets_ || arrays_.empty()) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < kPieces; ++i) {
    const PieceRecord& piece = request.pieces[i];
    if (piece.bytes == 0) continue;
    if (piece.parameter >= count_ || !is_array(piece.parameter) || piece.bytes > kPieceBytes)
      return cudaErrorInvalidValue;
    const auto* from =
        static_cast<const std::byte*>(pointer(request.fetch_set, piece.parameter)) + piece.offset;
    const unsigned gpu = arrays_[request.fetch_set * count_ + piece.parameter].gpu;
    gpus_.aim(gpu);
    const cudaError_t error =
        cudaMemcpyAsync(pieces.bytes[i], from, piece.bytes, cudaMemcpyDeviceToHost, gpus_.stream(gpu));
    if (error != cudaSuccess) return error;
  }
  gpus_.aim(0);
  cudaError_t first = cudaSuccess;
  for (const cudaStream_t stream : gpus_.streams())
    if (const cudaError_t error = cudaStreamSynchronize(stream); first == cudaSuccess) first = error;
  return first;
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
    gpus_.aim(arrays_[set * count_ + i].gpu);
    const cudaError_t error = cudaMemcpy(memory_.output + record.destination, arrays_[set * count_ + i].base,
                                         record.image_bytes, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return {Status::kCudaError, Stage::kDownload, error};
  }
  gpus_.aim(0);
  return {};
}

void Buffers::release() {
  for (const Array& array : arrays_) {
    if (!array.owned) continue;
    gpus_.aim(array.gpu);
    cudaFree(array.base);
  }
  if (!arrays_.empty()) gpus_.aim(0);
  arrays_.clear();
}

}  // namespace roofline::worker
