// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "simulator/types.h"

namespace roofline::sim::channel {

/// What one process can share with others.
enum class Shared : u32 {
  kMemory,  ///< an allocation
  kPiece,   ///< memory that was made without an address (CreateMemory)
  kEvent,
  kPool  ///< of which the machine knows nothing but that it is there
};

/// Names something that a process shares. The machines of all processes find it by this alone, so it may go
/// from one program to another in any way: it is what an IPC handle holds.
struct SharedHandle {
  std::array<u64, 2> machine{};  ///< drawn at random: who does not have a handle finds no machine
  u64 number = 0;                ///< among what that machine shares
  auto operator<=>(const SharedHandle&) const = default;
  void fields(auto& io) { io(machine[0], machine[1], number); }
};

}  // namespace roofline::sim::channel
