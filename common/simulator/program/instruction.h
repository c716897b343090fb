// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "simulator/program/traits.h"
#include "simulator/ptx/module.h"
#include "simulator/types.h"

namespace roofline::sim {

struct Warp;
struct Instruction;

/// Executes one instruction for all active lanes of a warp. `w.mask` is never 0.
using Execute = void (*)(Warp& w, const Instruction& in);

/// Where a row of 32 lanes lives: a byte offset into the current frame (bank 0) or into the function's
/// constants (bank 1). Rows are 64-byte aligned. A register of N bytes is N*32 bytes in structure-of-arrays
/// form (8-bit registers: 1 byte a lane; .b128: 16 bytes a lane). A predicate is one u32, a bit a lane.
struct Slot {
  u32 bits = 0;
  static constexpr u32 kConstantBank = 0x8000'0000u;
  u32 bank() const { return bits >> 31; }
  u32 offset() const { return bits & 0x7fff'ffffu; }
  bool operator==(const Slot&) const = default;
};

enum class Guard : u8 { kNone, kIf, kUnless };

/// Out-of-line operands of the few instructions that need more than five rows (vectors, calls, matrix).
struct Extra {
  std::vector<Slot> slots;
  std::vector<s64> numbers;
  std::vector<std::string> strings;
  u32 written = 0;                ///< how many leading slots it writes (mma: d); a load with 0 writes all
  const void* pointer = nullptr;  ///< callee (program/function.h) and the like; owned elsewhere
};

/// The execution unit that limits an instruction's rate (per SM sub-partition, see devices/*.toml).
enum class Pipe : u8 {
  kNone,  ///< costs nothing on hardware (mov, cvta, ld.param become operands)
  kAlu,   ///< integer add, logic, compare, select, min/max, shifts, f32 min/max/compare
  kFma,   ///< f32 add, mul, fma; integer mul/mad
  kHalf,  ///< f16, f16x2, bf16x2 arithmetic
  kFp64,
  kSfu,     ///< rcp, rsqrt, sin, ex2, ...; conversions
  kMemory,  ///< global, local, shared, generic, atomics, shuffles
  kTensor,
  kControl,  ///< branches, barriers, votes
  kCount
};

constexpr Pipe kPipesThatCost[] = {Pipe::kAlu, Pipe::kFma,    Pipe::kHalf,   Pipe::kFp64,
                                   Pipe::kSfu, Pipe::kMemory, Pipe::kTensor, Pipe::kControl};

/// One bound instruction: decoding is over, running it is one indirect call.
struct Instruction {
  Execute execute = nullptr;
  Slot d, a, b, c, e;  ///< destination, sources; e: second destination ("d|p") or fourth source
  Slot guard;
  Guard guard_kind = Guard::kNone;
  u8 width = 0;             ///< bytes a lane moved by a memory access (v4.f32: 16)
  u16 flags = 0;            ///< meaning belongs to the row that set it
  bool hidden = false;      ///< inserted by the binder (narrowing, extending): not counted
  bool joins = false;       ///< warp-wide: lanes at another place that execute the same take part (sm_70)
  Pipe pipe = Pipe::kNone;  ///< as Cost::pipe
  u16 work = 0;             ///< issue slots of the pipe; Tensor Cores: clocks / kTensorUnit (resource_use.h)
  u32 index = 0;            ///< into Function::info, for counters and messages
  s64 immediate = 0;        ///< address offset, branch target, ...
  const Extra* extra = nullptr;
};

/// What an operation computes with; the tensor types have a rate of their own each.
enum class FlopType : u8 {
  kNone,
  kF16,
  kF32,
  kF64,
  kTensorF16,     ///< f16 inputs, f16 accumulators
  kTensorF16F32,  ///< f16 inputs, f32 accumulators
  kTensorBf16,
  kTensorTf32,
  kTensorF64,
  kTensorF8,  ///< e4m3, e5m2
  kTensorS8,  ///< s8, u8
  kTensorS4,  ///< s4, u4
  kTensorB1,
  kCount
};
constexpr bool is_tensor(FlopType type) { return type >= FlopType::kTensorF16 && type < FlopType::kCount; }

/// What keeps a warp from its next instruction, whatever that reads.
enum class Holds : u8 {
  kNothing,
  kResult,  ///< there is a branch in what the instruction becomes: the warp goes on when all of it is done
  kL2       ///< the warp goes on when L2 has answered
};

/// What an instruction costs on hardware, from its row in the instruction table.
struct Cost {
  Pipe pipe = Pipe::kAlu;
  u8 issue = 1;  ///< issue slots a warp needs for it (SASS instructions it typically becomes)
  FlopType flop_type = FlopType::kNone;
  u32 flops = 0;  ///< FLOPs an active lane (tensor types: a warp)
  u8 slots = 0;   ///< of the pipe, where they are not as many: the others are moves and tests around it
  u8 steps = 0;   ///< ALU latencies that its result takes beside the pipe's own
  Holds holds = Holds::kNothing;

  u32 pipe_slots() const { return slots != 0 ? slots : issue; }
};

/// What an atomic becomes in machine code, as far as time depends on it.
enum class AtomicForm : u8 {
  kEachLane,  ///< lanes that meet on an address take turns
  kOneLane,   ///< the address is the same for all lanes: they add up first, and one goes for all
  kCounted,   ///< in shared memory, from compute capability 8.0 on: counts the lanes that meet, and adds the
              ///< count once (ATOMS.POPC.INC)
  kCountedOrOneLane,  ///< the same with one address; before 8.0 one lane goes for all
  kLoop               ///< in shared memory: read, compute, compare and swap until nobody was in between
};

/// A branch that machine code does not have, because what it skips gets a predicate (analysis/predication.h).
struct Predication {
  u32 until = 0;  ///< the first instruction that is not skipped, as in Instruction::index; 0: it is a branch
  u32 slots = 0;  ///< issue slots of what is skipped
};

/// Static facts about one instruction, parallel to Function::code; read by counters, timing and messages.
struct InstructionInfo {
  std::string text;        ///< the PTX spelling with operands, for messages
  ptx::TextPosition at;    ///< in the PTX
  ptx::SourceLine source;  ///< in the CUDA source
  u32 function = 0;        ///< place in Kernel::functions
  Cost cost;
  ptx::Space space = ptx::Space::kNone;  ///< of a memory access (kGeneric when unknown)
  bool is_load = false, is_store = false, is_atomic = false;
  bool is_spill = false;       ///< ptxas added it: PTX has no such instruction
  bool old_unread = false;     ///< an atomic operation of which nobody reads the old value
  u8 width = 0;                ///< bytes a lane moved by a memory access
  Guard guard = Guard::kNone;  ///< as it is written; a branch tests it itself
  Traits traits;
  Predication predication;
  AtomicForm atomic_form = AtomicForm::kEachLane;
  bool three_register_sources = false;  ///< FMA that reads three distinct registers, none reused from the
                                        ///< previous instruction's same position (operand-port limit)
};

}  // namespace roofline::sim
