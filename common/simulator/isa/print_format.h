// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "simulator/types.h"

namespace roofline::sim::isa {

/// The arguments of a device printf: vprintf gets them packed like a C struct.
class PrintArguments {
 public:
  /// `read(at, bytes)`: the bytes at an offset of the argument buffer, as an integer.
  explicit PrintArguments(std::function<u64(u64 at, u32 bytes)> read) : read_(std::move(read)) {}
  u64 next(u32 bytes) {
    at_ = (at_ + bytes - 1) / bytes * bytes;
    const u64 value = read_(at_, bytes);
    at_ += bytes;
    ++taken_;
    return value;
  }
  int taken() const { return taken_; }

 private:
  std::function<u64(u64, u32)> read_;
  u64 at_ = 0;
  int taken_ = 0;
};

/// What printf(format, ...) writes; `text` reads the string behind a device pointer. Widths and precisions
/// are limited to 4096. A conversion that printf does not know is written as it stands.
std::string print_format(std::string_view format, PrintArguments& arguments,
                         const std::function<std::string(u64 address)>& text);

}  // namespace roofline::sim::isa
