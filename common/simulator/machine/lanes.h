// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/program/instruction.h"
#include "simulator/types.h"

namespace roofline::sim {

/// The part of a warp that arithmetic sees: 32 lanes of registers and the mask of those that execute.
struct Lanes {
  u8* bank[2] = {nullptr, nullptr};  ///< current frame; constants of the current function
  u32 mask = 0;                      ///< active lanes of the running instruction (guard already applied)
  u32 carry = 0;                     ///< CC.CF of every lane, for add.cc, addc, ...

  /// The 32 values of a register; T must have the width that the slot was allocated with.
  template <class T>
  T* row(Slot slot) const {
    return static_cast<T*>(__builtin_assume_aligned(bank[slot.bank()] + slot.offset(), 64));
  }
  /// A predicate register: bit i is lane i.
  u32& predicate(Slot slot) const { return *reinterpret_cast<u32*>(bank[slot.bank()] + slot.offset()); }
};

}  // namespace roofline::sim
