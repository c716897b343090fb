// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "simulator/isa/address.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/cost.h"
#include "simulator/ptx/load_error.h"

/// "Asynchronous copy": cp.async from global to shared memory. The copy is done at once, which every correct
/// program allows; waiting for it only costs time.
namespace roofline::sim::isa {

namespace {

/// Operands in Instruction: a, immediate and flags are the shared address; b, extra->numbers[0] the global
/// one; c the bytes to read (the rest is zero), e the predicate that ignores the source.
constexpr std::size_t kSourceOffset = 0, kHasSize = 1, kHasIgnore = 2;

using Addresses = std::array<u64, kWarpSize>;

/// Lanes that copy less than all, but something, from sectors that no lane of `whole` fetches. A copy lies in
/// one sector.
u32 partial_lanes(const Warp& w, u32 whole, const Addresses& from, const std::array<u32, kWarpSize>& bytes) {
  std::array<u64, kWarpSize> sectors;
  u32 known = 0, fetching = 0;
  const auto is_new = [&](u32 lane) {
    const u64 sector = from[lane] / kSectorBytes;
    if (std::find(sectors.begin(), sectors.begin() + known, sector) != sectors.begin() + known) return false;
    sectors[known++] = sector;
    return true;
  };
  for (u32 lanes = whole; lanes != 0; lanes &= lanes - 1) is_new(static_cast<u32>(std::countr_zero(lanes)));
  for (u32 lanes = w.mask & ~whole; lanes != 0; lanes &= lanes - 1)
    if (const auto l = static_cast<u32>(std::countr_zero(lanes)); bytes[l] != 0 && is_new(l))
      fetching |= 1u << l;
  return fetching;
}

/// A copy of 4, 8 or 16 bytes: of a size that is only known here a compiler makes a loop, which takes longer
/// than all else.
void copy(u8* to, const u8* from, u32 width) {
  if (width == 16) {
    std::memcpy(to, from, 16);
  } else if (width == 8) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, 4);
  }
}

void copy_async(Warp& w, const Instruction& in) {
  const auto& numbers = in.extra->numbers;
  alignas(64) Addresses from{}, to{};
  std::array<u32, kWarpSize> bytes;
  const u64* source = w.row<u64>(in.b);
  const bool narrow = (in.flags & kAccessNarrow) != 0;
  u32 whole = 0;
  for (u32 l = 0; l < kWarpSize; ++l) {
    from[l] = source[l] + static_cast<u64>(numbers[kSourceOffset]);
    to[l] = narrow ? static_cast<u32>(w.row<u32>(in.a)[l] + static_cast<u32>(in.immediate))
                   : w.row<u64>(in.a)[l] + static_cast<u64>(in.immediate);
    bytes[l] = numbers[kHasSize] != 0 ? std::min<u32>(w.row<u32>(in.c)[l], in.width) : in.width;
    if (numbers[kHasIgnore] != 0 && (w.predicate(in.e) >> l & 1u) != 0) bytes[l] = 0;
    if (bytes[l] == in.width) whole |= 1u << l;
  }
  const u64 loaded = w.work[ResourceUse::kLoadedRegisters];
  u8 staged[kWarpSize][16];
  whole &= w.mask;
  if (whole != 0) {
    const Access load = begin_access(
        w, in,
        {AccessKind::kLoad, ptx::Space::kGlobal, whole, in.width, (in.flags & kAccessBypassL1) != 0, 0},
        from.data());
    for (u32 lanes = whole; lanes != 0; lanes &= lanes - 1) {
      const auto l = static_cast<u32>(std::countr_zero(lanes));
      copy(staged[l], load.lane(l), in.width);
    }
  }
  MemoryLevel level = whole != 0 ? w.memory_level : MemoryLevel::kNone;
  u32 passes = whole != 0 ? w.memory_passes : 0, transfers = whole != 0 ? w.memory_transfers : 0;
  u32 sectors = whole != 0 ? w.memory_sectors : 0;
  if (const u32 partial = partial_lanes(w, whole, from, bytes); partial != 0) {
    // What they read is checked below; a byte tells which sectors it is of.
    begin_access(w, in,
                 {AccessKind::kLoad, ptx::Space::kGlobal, partial, 1, (in.flags & kAccessBypassL1) != 0, 2},
                 from.data());
    passes += w.memory_passes;
    transfers += w.memory_transfers;
    sectors += w.memory_sectors;
    level = std::max(level, w.memory_level);
  }
  w.work[ResourceUse::kLoadedRegisters] = loaded;  // what is copied waits in shared memory
  for (u32 lanes = w.mask & ~whole; lanes != 0; lanes &= lanes - 1) {
    const auto l = static_cast<u32>(std::countr_zero(lanes));
    std::memset(staged[l], 0, sizeof staged[l]);
    if (bytes[l] != 0)
      std::memcpy(staged[l], lane_pointer(w, in, l, from[l], bytes[l], AccessKind::kLoad), bytes[l]);
  }
  const Access store =
      begin_access(w, in, {AccessKind::kStore, ptx::Space::kShared, w.mask, in.width, false, 1}, to.data());
  for (u32 lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto l = static_cast<u32>(std::countr_zero(lanes));
    copy(store.lane(l), staged[l], in.width);
  }
  if (level != MemoryLevel::kNone) w.memory_level = level;
  if (w.scoreboard != nullptr) w.scoreboard->note_copy();
  if (w.recording != nullptr) w.recording->note_copy(w.memory_level, {passes, transfers, sectors});
}

void bind_copy(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  Extra& extra = binder.extra();
  in.extra = &extra;
  Instruction source;
  bind_address(operands[1], ptx::Space::kGlobal, binder, source);
  in.b = source.a;
  extra.numbers = {source.immediate, 0, 0};
  bind_address(operands[0], ptx::Space::kShared, binder, in);
  const u64 bytes = operands[2].bits;
  const bool fits = match.has("cg") ? bytes == 16 : bytes == 4 || bytes == 8 || bytes == 16;
  if (operands[2].kind != ptx::Operand::Kind::kInteger || !fits) {
    LoadError error(match.has("cg") ? "cp.async.cg copies 16 bytes" : "cp.async.ca copies 4, 8 or 16 bytes");
    error.at = operands[2].at;
    throw error;
  }
  in.width = static_cast<u8>(bytes);
  if (match.has("cg")) in.flags |= kAccessBypassL1;
  const std::size_t policies = match.has("L2::cache_hint") ? 1 : 0;
  if (operands.size() > 3 + policies) {
    if (binder.type_of(operands[3]).kind == ptx::Type::Kind::kPredicate) {
      in.e = binder.predicate(operands[3]);
      extra.numbers[kHasIgnore] = 1;
    } else {
      in.c = binder.source(operands[3], U32::kType);
      extra.numbers[kHasSize] = 1;
    }
  }
  in.execute = copy_async;
}

void commit(Warp& w, const Instruction&) {
  if (w.scoreboard != nullptr) w.scoreboard->commit_copies();
  if (w.recording != nullptr) w.recording->commit_copies();
}

/// in.immediate: groups that may stay on their way; none, and copies of no group neither, when negative.
void wait(Warp& w, const Instruction& in) {
  if (w.scoreboard == nullptr) return;
  const u32 pending = in.immediate < 0 ? 0 : static_cast<u32>(in.immediate);
  w.scoreboard->wait_for_copies(pending, in.immediate < 0);
  if (w.recording != nullptr) w.recording->wait_for_copies(pending, in.immediate < 0);
}

void bind_commit(const Row&, const Match&, Binder&, Instruction& in) { in.execute = commit; }

void bind_wait(const Row&, const Match& match, Binder&, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.immediate = operands.empty() ? -1 : static_cast<s64>(operands[0].bits & 0x7fff'ffffu);
  in.execute = wait;
}

Row group_row(std::string_view syntax, Bind bind, CostFunction cost, AsyncCopy step) {
  return {.syntax = syntax,
          .types = {},
          .types2 = {},
          .bind = bind,
          .cost = cost,
          .traits = {.async_copy = step}};
}

}  // namespace

std::vector<Row> async_copy_rows() {
  return {
      {.syntax =
           "cp.async.{ca,cg}.{shared,shared::cta}.global{.L2::cache_hint}{.L2::64B,.L2::128B,.L2::256B} "
           "[d], [a], n{, s}{, p}",
       .types = {},
       .types2 = {},
       .bind = bind_copy,
       .cost = memory_cost,
       .space = ptx::Space::kGlobal,
       .is_load = true,
       .traits = {.async_copy = AsyncCopy::kCopy}},
      group_row("cp.async.commit_group", bind_commit, memory_cost, AsyncCopy::kCommit),
      group_row("cp.async.wait_group n", bind_wait, fixed_cost<Pipe::kControl>, AsyncCopy::kWaitGroups),
      group_row("cp.async.wait_all", bind_wait, fixed_cost<Pipe::kControl>, AsyncCopy::kWaitAll),
  };
}

}  // namespace roofline::sim::isa
