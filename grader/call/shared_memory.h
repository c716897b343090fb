// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace roofline::grader {

/// Memory that judge and worker share: a memfd of fixed size. Shrinking and growing are sealed, or a worker
/// could truncate it and kill the judge with SIGBUS.
class SharedMemory {
 public:
  enum class Worker : unsigned char { kReads, kWrites };

  /// Throws std::runtime_error. With Worker::kReads no mapping or write made from now on can change the
  /// content; only the judge's own mapping, made before the seal, can.
  SharedMemory(const std::string& name, std::size_t bytes, Worker worker);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;

  int fd() const { return fd_; }
  std::span<std::byte> bytes() const { return {data_, size_}; }
  /// False on kernels before 5.1: a worker could then write its input, so the judge must not trust it
  /// afterwards.
  bool write_sealed() const { return write_sealed_; }
  /// Gives the pages back; the content is zero afterwards.
  void discard();

 private:
  int fd_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool write_sealed_ = false;
};

}  // namespace roofline::grader
