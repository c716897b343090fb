// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace roofline::grader {
namespace {

[[noreturn]] void fail(const std::string& what, int fd) {
  const std::string reason = std::strerror(errno);
  if (fd >= 0) close(fd);
  throw std::runtime_error("shared memory: " + what + ": " + reason);
}

}  // namespace

SharedMemory::SharedMemory(const std::string& name, std::size_t bytes, Worker worker)
    : size_(std::max<std::size_t>(bytes, 4096)) {
  fd_ = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd_ < 0) fail("memfd_create", -1);
  if (ftruncate(fd_, static_cast<off_t>(size_)) != 0)
    fail("cannot take " + std::to_string(size_) + " bytes", fd_);
  void* address = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (address == MAP_FAILED) fail("mmap", fd_);
  data_ = static_cast<std::byte*>(address);
  if (worker == Worker::kReads) write_sealed_ = fcntl(fd_, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0;
  if (fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    munmap(data_, size_);
    fail("sealing", fd_);
  }
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
  if (fd_ >= 0) close(fd_);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(other.size_),
      write_sealed_(other.write_sealed_) {}

void SharedMemory::discard() { madvise(data_, size_, MADV_REMOVE); }

}  // namespace roofline::grader
