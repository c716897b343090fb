// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "simulator/checks/finding.h"
#include "simulator/machine/warp.h"
#include "simulator/names.h"

/// What the checks must know of a kernel's instructions, read once a launch from their text.
namespace roofline::sim {

/// How an instruction brings lanes together or orders memory.
enum class Watch : u8 {
  kNone,
  kMembersA,     ///< .sync whose member mask is operand a
  kMembersB,     ///< in operand b
  kShuffle,      ///< in extra->slots[0]
  kWarpBarrier,  ///< bar.warp.sync: operand a; lanes may stand at different ones
  kWholeWarp,    ///< .sync.aligned without a mask: mma, ldmatrix, wmma
  kBarrier,      ///< bar.sync, barrier.sync, bar.red
  kBarrierArrive,
  kAsyncCommit,
  kAsyncWait
};

/// How strong an access to memory is.
enum class Strength : u8 {
  kPlain,
  kVolatile,
  kAtomic  ///< atom, red, mbarrier, and ld/st with .relaxed, .acquire, .release, .mmio
};

struct CodeFact {
  Watch watch = Watch::kNone;
  Strength strength = Strength::kPlain;
  bool aligned = false;         ///< of a barrier
  bool async_copy = false;      ///< cp.async
  bool plain_store = false;     ///< st: its values are in registers
  bool barrier_object = false;  ///< mbarrier.*
  enum class Shuffle : u8 { kUp, kDown, kButterfly, kIndex } shuffle = Shuffle::kIndex;
  s64 groups = -1;  ///< cp.async.wait_group N; -1: all
};

/// The spelling without its guard: "ld.global.f32 %f1, [%rd1]".
std::string_view spelling(const InstructionInfo& info);
CodeFact fact_of(const InstructionInfo& info);

std::string thread_text(const Grid& grid, u32 linear_thread);
std::string block_text(const Grid& grid, u64 linear_block);
/// The place of an instruction, for a finding.
Finding::Place place_of(const Kernel& kernel, u32 instruction, std::string what);
/// "1 byte", "3 bytes".
std::string count_of(u64 n, const char* noun);

}  // namespace roofline::sim
