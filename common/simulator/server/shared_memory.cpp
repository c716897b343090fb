// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace roofline::sim::server {
namespace {

constexpr u64 kPage = 4096;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

SharedMemory::SharedMemory(const char* name, u64 bytes)
    : fd_(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)), bytes_(bytes) {
  if (!fd_) fail("memfd_create");
  if (ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0) fail("ftruncate of shared memory");
  if (fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    fail("sealing of shared memory");
}

SharedMemory::~SharedMemory() {
  if (data_) munmap(data_, bytes_);
}

std::byte* SharedMemory::map() {
  void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_.get(), 0);
  if (at == MAP_FAILED) fail("mapping of shared memory");
  return data_ = static_cast<std::byte*>(at);
}

void SharedMemory::map_at(u64 address) {
  void* const wanted = reinterpret_cast<void*>(address);
  void* const at = mmap(wanted, bytes_, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd_.get(), 0);
  if (at != wanted) fail("mapping of shared memory at its address");
  data_ = static_cast<std::byte*>(at);
}

void SharedMemory::discard(u64 offset, u64 bytes) {
  // A failure costs memory, nothing else.
  (void)!fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                   static_cast<off_t>(bytes));
}

HostWindow::HostWindow(u64 begin, u64 bytes) : begin_(begin), end_(begin + bytes) {}

u64 HostWindow::allocate(u64 bytes) {
  if (bytes == 0 || bytes > end_ - begin_) return 0;
  const u64 size = (bytes + kPage - 1) / kPage * kPage;
  u64 candidate = begin_;
  for (const auto& [address, taken] : used_) {
    if (address - candidate >= size) break;
    candidate = address + taken;
  }
  if (end_ - candidate < size) return 0;
  used_.emplace(candidate, size);
  in_use_ += size;
  return candidate;
}

std::optional<u64> HostWindow::release(u64 address) {
  const auto found = used_.find(address);
  if (found == used_.end()) return {};
  const u64 size = found->second;
  used_.erase(found);
  in_use_ -= size;
  return size;
}

void HostWindow::clear() {
  used_.clear();
  in_use_ = 0;
}

}  // namespace roofline::sim::server
