// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "worker/gpus.h"
#include "worker/protocol.h"
#include "worker/worker.h"

namespace roofline::worker {

/// The two memfds, mapped; none on a simulated device, whose arrays the judge fills and reads itself.
struct Memory {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::size_t input_bytes = 0, output_bytes = 0;
  bool shared() const { return input != nullptr; }
};

struct Outcome {
  Status status = Status::kOk;
  Stage stage = Stage::kStart;
  cudaError_t error = cudaSuccess;
};

/// Device memory of the arrays, in one or more copies (sets), and a spare one.
class Buffers {
 public:
  /// `gpus` must outlive this.
  Buffers(const ParameterType* parameters, std::size_t count, Memory memory, const Gpus& gpus)
      : parameters_(parameters), count_(count), memory_(memory), gpus_(gpus) {}
  ~Buffers() { release(); }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  /// Replaces what was there: allocates every copy; one is uploaded, the others are made from it.
  Outcome load(const Request& request);
  /// Queues that every output becomes what it was after Load, each in its GPU's stream; does nothing without
  /// a spare copy.
  Outcome reset() const;
  /// Copies pieces of one copy's arrays to `pieces`, and waits.
  cudaError_t look(const Request& request, Pieces& pieces) const;
  /// Copies the images of one set back into `output`.
  Outcome fetch(const Request& request) const;
  void release();

  /// Of an array's image in the first copy; nullptr where the parameter is none.
  void* base(std::size_t parameter) const { return arrays_[parameter].base; }
  unsigned sets() const { return sets_; }
  void* pointer(unsigned set, std::size_t parameter) const {
    const Array& array = arrays_[set * count_ + parameter];
    return static_cast<std::byte*>(array.base) + array.payload;
  }

 private:
  struct Array {
    void* base = nullptr;
    std::uint64_t payload = 0, bytes = 0;
    unsigned gpu = 0;
    bool owned = false;
  };
  bool is_array(std::size_t parameter) const {
    return parameters_[parameter].parameter == Parameter::kInput ||
           parameters_[parameter].parameter == Parameter::kOutput;
  }
  Outcome load_set(const Request& request, unsigned set, unsigned uploaded);
  bool fits(const ArrayRecord& record) const;

  const ParameterType* parameters_;
  std::size_t count_;
  Memory memory_;
  const Gpus& gpus_;
  unsigned sets_ = 1;
  bool has_spare_ = false;
  std::vector<Array> arrays_;  ///< [set][parameter]; the spare copy is the last
};

}  // namespace roofline::worker
