// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/types.h"

namespace roofline::sim {

/// What a stream does with one word of memory (cuStreamWaitValue32 and its family): writes it, or waits until
/// it has a value that the condition accepts.
struct WordOperation {
  enum class Kind : u32 {
    kWrite,
    kAwaitAtLeast,    ///< word - value >= 0 as signed numbers
    kAwaitEqual,      ///< word == value
    kAwaitAnyBit,     ///< (word & value) != 0
    kAwaitMissingBit  ///< ~(word | value) != 0
  } kind = Kind::kWrite;
  u64 address = 0, value = 0;
  u32 bytes = 4;  ///< 4 or 8
  void fields(auto& io) { io(kind, address, value, bytes); }
};

}  // namespace roofline::sim
