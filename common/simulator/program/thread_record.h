// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "simulator/program/instruction.h"
#include "simulator/ptx/module.h"
#include "simulator/types.h"

/// One thread's path through a kernel: what `lab run --explain` shows. Plain data; it crosses the channel
/// from the machine to the observer.
namespace roofline::sim {

/// Which thread to follow. A coordinate that is `linear` counts in x (then y, then z) order, in its `x`.
struct ThreadRequest {
  std::string kernel;  ///< part of the kernel's name; empty: any kernel
  u32 launch = 1;      ///< of the launches with that name, counted from 1
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  bool block_is_linear = true, thread_is_linear = true;
  u64 most_steps = 200'000;  ///< further instructions are counted, not kept
};

/// What an instruction takes a register for. PTX registers are often just bits (.b32): what they hold follows
/// from the instructions that use them.
struct HeldType {
  std::string name;  ///< of the register
  bool is_address = false;
  ptx::Type type;  ///< kNone: an address, or the instruction does not say
};

struct ThreadRecord {
  /// One register, before (read) or after (written) the instruction.
  struct Value {
    u32 name = 0;  ///< into `registers`
    bool written = false;
    u64 low = 0, high = 0;  ///< `high` only of 128-bit registers
  };
  enum class Kind : u8 {
    kExecuted,
    kCopied,   ///< a move that costs nothing: its register names another one
    kSkipped,  ///< its guard predicate is false
    kInactive  ///< other threads of the warp executed `count` instructions, from `instruction` to `last`
  };
  struct Step {
    Kind kind = Kind::kExecuted;
    u32 instruction = 0;  ///< into `instructions`
    u32 last = 0;
    u32 depth = 0;  ///< of calls
    u32 lanes = 0;  ///< of the warp that executed it together
    u64 count = 0;
    std::vector<Value> values;
    bool has_address = false;
    u64 address = 0, offset = 0;  ///< `offset` from the beginning of `place`
    u32 place = 0;                ///< into `places`
  };
  struct Instruction {
    std::string text, function, file;
    u32 line = 0, ptx_line = 0;
    Guard guard = Guard::kNone;
    bool branches = false, is_barrier = false;
    std::vector<HeldType> held;  ///< by its operands
  };
  struct Register {
    std::string name;
    ptx::Type type;
  };
  struct Place {
    std::string what;  ///< "argument 1", "variable 'table'", "shared memory", ...
    u64 bytes = 0;     ///< how long it is; 0: unknown
  };

  bool found = false;   ///< the launch took place and has that thread
  std::string problem;  ///< why not, in a sentence
  std::string kernel;
  u64 launches = 0;  ///< with a fitting name
  u32 launch = 0;
  Dim3 grid, block_size, block, thread;
  std::vector<Instruction> instructions;
  std::vector<Register> registers;
  std::vector<Place> places;
  std::vector<Step> steps;
  u64 executed = 0;  ///< instructions of the thread, kept or not
};

}  // namespace roofline::sim
