// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "simulator/program/counters.h"
#include "simulator/program/instruction.h"

/// Functions as they execute: bound code, rows, layouts. Everything here is immutable while a kernel runs,
/// except the launch rows, which are filled before it starts.
namespace roofline::sim {

struct Function;
struct Kernel;

/// Bytes aligned for vector rows.
struct AlignedDelete {
  void operator()(u8* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
};
using AlignedBytes = std::unique_ptr<u8[], AlignedDelete>;
inline AlignedBytes make_aligned(size_t bytes) {
  return AlignedBytes{static_cast<u8*>(::operator new[](bytes ? bytes : 64, std::align_val_t{64}))};
}

/// No instruction: a join that does not exist, a fragment that never parks.
inline constexpr u32 kNowhere = ~0u;

/// A row that is filled when a frame is entered (kTidX ... kLocalAddress) or before a launch (kParameter
/// ...).
struct FilledRow {
  enum class Kind : u8 {
    kTid,
    kCtaid,
    kLaneid,
    kWarpid,
    kSmid,
    kLanemaskEq,
    kLanemaskLe,
    kLanemaskLt,
    kLanemaskGe,
    kLanemaskGt,
    kLocalAddress,  // filled on entry to a frame
    kNtid,
    kNctaid,
    kNwarpid,
    kNsmid,
    kGridid,
    kDynamicShared,
    kTotalShared,
    kParameter,  // filled by the launch
    kClusterid,
    kClusterCtaid,
    kClusterRank,  // filled on entry to a frame
    kNclusterid,
    kClusterNctaid,
    kClusterSize,
    kIsCluster,
    kWorkspaceLow,
    kWorkspaceHigh  // filled by the launch
  };
  Kind kind;
  u8 component = 0;        ///< x, y, z
  u8 bytes = 4;            ///< a lane of the row
  u8 source_bytes = 0;     ///< kParameter: bytes read at `value`
  bool is_signed = false;  ///< kParameter: sign-extended
  Slot slot;
  u64 value = 0;  ///< kParameter: offset; kLocalAddress: offset in the frame's local memory
};

/// What every byte of a register or of local memory holds that nobody wrote: a NaN as a float of any width,
/// -1 as an integer. A card has there what an earlier kernel left, which may be 0 or not; here a missing
/// initialisation shows, and in the same way on every run. (Shared memory is 0: the init check watches it.)
inline constexpr int kUnwrittenByte = 0xff;

/// A row that may be read before it is written. It is filled on entry to a frame: with kUnwrittenByte, or
/// with 0 when it is a predicate.
struct UnwrittenRow {
  Slot slot;
  u32 bytes = 0;  ///< of all lanes
  bool is_predicate = false;
};

/// A call, `Instruction::extra->pointer` of its instruction. Arguments and results of the .param space are
/// bytes of the caller's local frame: lane l finds piece p at w.block->local + thread * w.block->local_bytes
/// + w.local_base + p.offset, see call_bytes().
struct CallSite {
  struct Piece {
    u32 offset = 0, bytes = 0;
    bool in_register = false;  ///< a .reg variable or a literal instead: its row is `slot`
    Slot slot;
  };
  std::vector<Piece> results, arguments;
  const Function* callee = nullptr;  ///< direct call of a function with a body
  Execute builtin = nullptr;         ///< vprintf, malloc, ...: runs instead of a call
  Slot target;                       ///< indirect call: row of 64-bit function addresses
  std::string name;
};

/// One function bound for one kernel: a device function reached from two kernels is bound twice, so that
/// shared memory offsets and counter indices are plain constants.
struct Function {
  std::string name;
  bool is_entry = false;
  const Kernel* kernel = nullptr;
  std::vector<Instruction> code;
  std::deque<Extra> extras;
  std::deque<CallSite> calls;
  /// Immediate post-dominator of each branch, by position in `code`; kNowhere when lanes meet only at the
  /// end.
  std::vector<u32> joins;

  u32 frame_bytes = 0;                ///< rows of bank 0
  std::vector<FilledRow> entry_rows;  ///< filled on entry to a frame
  std::vector<UnwrittenRow> unwritten;
  AlignedBytes constants;  ///< rows of bank 1
  u32 constant_bytes = 0;
  std::vector<FilledRow> launch_rows;

  /// Local memory of one frame of one thread: .local variables, then .param variables.
  u32 local_bytes = 0;
  struct Parameter {
    u32 offset = 0, bytes = 0;  ///< in the frame's local memory
    Slot slot;                  ///< .reg parameter
    bool in_register = false;
  };
  std::vector<Parameter> parameters, results;  ///< of a device function

  /// For messages about values: the text it was made of, and where its registers live.
  struct NamedRow {
    const std::string* name = nullptr;  ///< in `source`
    ptx::Type type;
    Slot slot;
  };
  const ptx::Function* source = nullptr;  ///< owned by the module
  u32 first_index = 0;                    ///< Instruction::index of source->instructions[0]
  std::vector<NamedRow> registers;

  u32 register_estimate = 0;  ///< 32-bit registers alive at once
  u64 address = 0;            ///< what a function pointer to it holds
};

/// A kernel with everything it can reach.
struct Kernel {
  std::string name;
  std::deque<Function> functions;     ///< the entry first
  std::vector<InstructionInfo> info;  ///< of all functions; Instruction::index points here
  /// Instructions that need no execution (copies): their counters are those of another one.
  struct Elided {
    u32 index, donor;
  };
  std::vector<Elided> elided;
  std::map<u64, const Function*> by_address;  ///< for indirect calls
  std::vector<u32> branches;                  ///< info indices of branches

  std::vector<u32> parameter_offsets, parameter_sizes;
  u32 parameter_bytes = 0;
  u64 static_shared_bytes = 0;
  u64 spilled_bytes = 0;  ///< of a stack frame, as far as registers are spilled into it
  Dim3 cluster{0, 0, 0};  ///< blocks of a cluster as compiled (__cluster_dims__), 0 when not
  std::string problem;    ///< why it cannot run: an instruction that it reaches is unknown
  ptx::TextPosition problem_at;
  KernelResources resources;
  u64 max_dynamic_shared = 0;        ///< as raised by set_max_dynamic_shared, 0: the device's default
  std::map<u32, std::string> files;  ///< `.file` index to path

  bool in_order = false;  ///< results depend on the order of blocks
  /// ... and not only by atomics that can wait for their block's turn (machine/deferred_atomics.h): blocks
  /// must run on one thread.
  bool takes_turns() const { return in_order && meets_otherwise; }
  bool meets_otherwise = false;   ///< it has flags, fences, other atomics: anything that orders blocks
  bool may_spin = false;          ///< waits for other lanes, warps or blocks through memory
  bool waits_for_blocks = false;  ///< may poll, in a loop, what another block writes
  /// Parallel to `info`: other blocks may wait for it, or it for them: a flag, an atomic, a fence.
  std::vector<bool> meets_blocks;
  bool uses_clock = false;
  bool has_calls = false, has_indirect_calls = false;
  bool uses_reserved_shared = false;  ///< reads %reserved_smem_offset_*
  bool uses_clusters = false;         ///< barrier.cluster, shared::cluster addresses

  const Function& entry() const { return functions.front(); }
};

}  // namespace roofline::sim
