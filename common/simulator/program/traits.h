// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "simulator/ptx/module.h"

/// What code outside of isa/ must know of an instruction. Its row in the instruction table says it, so that
/// nothing else has to know opcodes.
namespace roofline::sim {

/// Where a thread goes from an instruction.
enum class Flow : u8 {
  kNext,
  kBranch,      ///< to the label that is its operand; it tests its guard itself
  kBranchList,  ///< to a label of the list that is its second operand
  kCall,
  kLeave,  ///< out of the function, or the thread ends
  kTrap
};

/// Whether the destination may be another name for what is read.
enum class Copies : u8 {
  kNothing,
  kValue,     ///< mov
  kAddress,   ///< cvta between spaces that share their addresses
  kParameter  ///< ld: a kernel's parameter is a row already
};

/// What is computed, for those who look for patterns.
enum class Arithmetic : u8 {
  kOther,
  kProduct,
  kSum,
  kDifference,
  kNegation,
  kQuotient,
  kRemainder,
  kReciprocal,
  kRoot
};

/// How many zero bits the result ends with, by those of the operands.
enum class Zeros : u8 {
  kNone,               ///< nothing is known
  kFewer,              ///< as the one with fewer: add, or
  kMore,               ///< as the one with more: and
  kTogether,           ///< mul
  kTogetherThenFewer,  ///< mad
  kShifted,            ///< shl
  kSame                ///< as the operand: cvt between integers
};

/// Which types of the spelling the operands have.
enum class Typing : u8 {
  kAlike,      ///< all have the last one
  kConverted,  ///< the destination has the first of two
  kShifted,    ///< the third operand is a count
  kAddresses,
  kOpaque  ///< no rule
};

/// Whom the threads that execute it wait for.
enum class Gathers : u8 {
  kNone,
  kMembers,      ///< the lanes that a mask names: Traits::members
  kWarpBarrier,  ///< the same, and they may stand at different ones
  kWholeWarp,    ///< every lane of the warp, without a mask
  kBarrier,      ///< the block
  kBarrierArrive,
  kClusterBarrier
};

/// Whether it is one of the barriers, whoever meets there.
constexpr bool is_barrier(Gathers gathers) {
  return gathers == Gathers::kWarpBarrier || gathers >= Gathers::kBarrier;
}

/// Which slot of the bound instruction holds the mask of members.
enum class Members : u8 { kNone, kA, kB, kExtra /**< extra->slots[0] */ };

enum class Shuffle : u8 { kNone, kUp, kDown, kButterfly, kIndex };

/// cp.async, which copies in the background.
enum class AsyncCopy : u8 {
  kNone,
  kCopy,
  kCommit,
  kWaitGroups,  ///< until only Instruction::immediate groups are on their way
  kWaitAll,
  kHandOn  ///< to an mbarrier: who waits for its phase waits for the thread's copies
};

/// What an atomic does with what it finds.
enum class AtomicOperation : u8 {
  kNone,       ///< it is none
  kSum,        ///< add
  kReduction,  ///< min, max, and, or, xor: several values can be one before
  kSwap,       ///< exch, cas
  kOther
};

/// How strong an access to memory is.
enum class Strength : u8 {
  kPlain,
  kVolatile,
  kAtomic  ///< atomics, and .relaxed, .acquire, .release, .mmio
};

/// Whom a fence is for.
enum class Fence : u8 { kNone, kBlock, kWider };

struct Traits {
  Flow flow = Flow::kNext;
  bool writes_first = false;  ///< the first operand, or each part of it, is a destination
  Copies copies = Copies::kNothing;
  Arithmetic arithmetic = Arithmetic::kOther;
  Zeros zeros = Zeros::kNone;
  Typing typing = Typing::kAlike;
  Gathers gathers = Gathers::kNone;
  Members members = Members::kNone;
  bool aligned = false;  ///< all threads of a warp execute it together, of a barrier
  Shuffle shuffle = Shuffle::kNone;
  AsyncCopy async_copy = AsyncCopy::kNone;
  Strength strength = Strength::kPlain;
  Fence fence = Fence::kNone;
  Fence releases = Fence::kNone;  ///< of a strong access that is its own fence
  bool block_scope = false;       ///< a strong access that means something to its own block only: .cta
  bool system_scope = false;      ///< a strong access that host code may follow: .sys, volatile
  bool plain_store = false;       ///< st: its values are in registers
  bool read_only = false;         ///< a load of what nobody writes meanwhile: ld.nc
  AtomicOperation atomic = AtomicOperation::kNone;
  bool swaps = false;           ///< compares and swaps
  bool barrier_object = false;  ///< works on an mbarrier
  bool polls = false;           ///< asks whether something has happened
  bool needs_stack = false;
  bool object = false;             ///< what stands in brackets is a texture or surface object, no address
  bool takes_parts = false;        ///< of registers: video instructions
  std::string_view fused = {};     ///< of a product: the opcode that it and a sum become together
  ptx::Type type = {}, from = {};  ///< the types that the row's `.type` and `.type2` stand for
};

/// The traits of an instruction; an unknown one has none. Implemented by isa/.
using TraitsOf = Traits (*)(const ptx::Instruction&);

}  // namespace roofline::sim
