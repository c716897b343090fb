// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/cluster.h"

#include <bit>

#include "simulator/isa/address.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/cost.h"
#include "simulator/isa/lanewise.h"

/// Thread block clusters: their barrier, and addresses in the shared memory of their blocks.
namespace roofline::sim::isa {

namespace {

[[noreturn]] void misuse(Warp& w, const Instruction& in, const std::string& what) {
  w.trap(TrapKind::kIllegalInstruction, static_cast<u32>(std::countr_zero(w.mask)), in, what);
}

/// A launch without clusters has one block in each; its barrier still waits for all of its threads.
void arrive(Warp& w, const Instruction& in) {
  if (in.flags != 0 && !w.gather(w.live(), in)) return;
  if (((w.cluster_arrived | w.cluster_passed) & w.mask) != 0)
    misuse(w, in, "barrier.cluster.arrive twice without barrier.cluster.wait between");
  w.block->cluster->arrive(w, w.mask, in);
}

void wait(Warp& w, const Instruction& in) {
  if (((w.cluster_arrived | w.cluster_passed) & w.mask) != w.mask)
    misuse(w, in, "barrier.cluster.wait before barrier.cluster.arrive");
  w.wait_at_cluster_barrier(in);
}

template <Execute kExecute>
void bind_barrier(const Row&, const Match& match, Binder&, Instruction& in) {
  in.execute = kExecute;
  in.flags = match.has("aligned") && match.has("arrive") ? 1 : 0;
}

/// mapa: the same place in the shared memory of the block of rank b. Generic addresses keep their window.
template <class T>
void map_address(Warp& w, const Instruction& in) {
  const u32* rank = w.row<u32>(in.b);
  const u64 blocks = w.block->grid->cluster.count();
  for (u32 mask = w.mask; mask != 0; mask &= mask - 1) {
    const u32 r = rank[std::countr_zero(mask)];
    if (r >= blocks)
      misuse(w, in, "mapa: block " + std::to_string(r) + " of a cluster of " + std::to_string(blocks));
  }
  each_lane(
      w.mask, w.row<T>(in.d),
      [](T a, u32 r) {
        constexpr T kKept = ~T{0xffu << kClusterRankShift};
        return static_cast<T>((a & kKept) | T{r + 1} << kClusterRankShift);
      },
      w.row<T>(in.a), rank);
}

template <class T>
void rank_of_address(Warp& w, const Instruction& in) {
  const u32 own = w.block->cluster_rank;
  each_lane(
      w.mask, w.row<u32>(in.d),
      [own](T a) {
        const u32 rank = static_cast<u32>(a) >> kClusterRankShift;
        return rank == 0 ? own : rank - 1;
      },
      w.row<T>(in.a));
}

void bind_map(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.a = binder.source(operands[1], match.type);
  in.b = binder.source(operands[2], U32::kType);
  in.d = binder.destination(operands[0], match.type);
  in.execute = match.type.bits == 64 ? map_address<u64> : map_address<u32>;
}

void bind_rank(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.a = binder.source(operands[1], match.type);
  in.d = binder.destination(operands[0], U32::kType);
  in.execute = match.type.bits == 64 ? rank_of_address<u64> : rank_of_address<u32>;
}

Row row(std::string_view syntax, Bind bind, CostFunction cost, std::vector<ptx::Type> types = {}) {
  return {.syntax = syntax, .types = std::move(types), .types2 = {}, .bind = bind, .cost = cost};
}

}  // namespace

std::vector<Row> cluster_rows() {
  const std::vector<ptx::Type> addresses = {U32::kType, U64::kType};
  constexpr CostFunction kBarrier = fixed_cost<Pipe::kControl>;
  constexpr Traits kGathers = {.gathers = Gathers::kClusterBarrier};
  return {
      row("barrier.cluster.arrive{.release,.relaxed}{.aligned}", bind_barrier<arrive>, kBarrier)
          .with(kGathers),
      row("barrier.cluster.wait{.acquire}{.aligned}", bind_barrier<wait>, kBarrier).with(kGathers),
      row("mapa{.shared::cluster}.type d, a, b", bind_map, logic_cost, addresses),
      row("getctarank{.shared::cluster}.type d, a", bind_rank, logic_cost, addresses),
  };
}

}  // namespace roofline::sim::isa
