// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>

#include "simulator/channel/socket.h"

namespace roofline::sim::server {

/// Anonymous memory that the program maps too. Its size is sealed: a program that shrank it could kill the
/// machine.
class SharedMemory {
 public:
  /// Throws std::system_error.
  SharedMemory(const char* name, u64 bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  int descriptor() const { return fd_.get(); }
  u64 size() const { return bytes_; }
  /// Maps it here, at any address.
  std::byte* map();
  /// Maps it here, at this very address.
  void map_at(u64 address);
  std::byte* data() const { return data_; }
  /// Gives the pages of a range back to the host; they read as zero afterwards.
  void discard(u64 offset, u64 bytes);

 private:
  channel::Descriptor fd_;
  u64 bytes_ = 0;
  std::byte* data_ = nullptr;
};

/// Which ranges of the host window are in use: first fit, page granularity.
class HostWindow {
 public:
  HostWindow(u64 begin, u64 bytes);
  /// 0 when there is no room.
  u64 allocate(u64 bytes);
  /// The size of the range that began at `address`, when there was one.
  std::optional<u64> release(u64 address);
  u64 bytes_in_use() const { return in_use_; }
  bool contains(u64 address) const { return address >= begin_ && address < end_; }
  void clear();

 private:
  u64 begin_, end_, in_use_ = 0;
  std::map<u64, u64> used_;  ///< address to size
};

}  // namespace roofline::sim::server
