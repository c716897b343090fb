// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/control_flow.h"

#include <bit>

#include "simulator/isa/chapters.h"
#include "simulator/isa/cost.h"
#include "simulator/isa/member_groups.h"
#include "simulator/isa/types.h"
#include "simulator/machine/warp.h"
#include "simulator/ptx/load_error.h"
#include "simulator/timing/device_description.h"

/// Branches, calls, barriers: "Control Flow Instructions" and the barriers of "Parallel Synchronization".
namespace roofline::sim {

void return_from_function(Warp& w, const Instruction&) { w.leave(w.mask); }

namespace isa {

namespace {

constexpr CostFunction kControlCost = fixed_cost<Pipe::kControl>;

// ---- branches ----

void jump(Warp& w, const Instruction& in) { w.pc = static_cast<u32>(in.immediate); }

template <bool kUnless>
void branch(Warp& w, const Instruction& in) {
  const u32 condition = w.predicate(in.a);
  const u32 taken = w.mask & (kUnless ? ~condition : condition);
  const u32 target = static_cast<u32>(in.immediate);
  if (taken == 0) return;
  if (taken == w.mask) {
    w.pc = target;
  } else if (target != w.pc) {
    w.diverge(taken, target, w.pc - 1);
  }
}

void bind_branch(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::Instruction& text = *match.instruction;
  binder.branch_to(text.operands[0].name, in);
  if (text.guard.empty()) {
    in.execute = jump;
    return;
  }
  ptx::Operand guard;
  guard.kind = ptx::Operand::Kind::kRegister;
  guard.name = text.guard;
  guard.at = text.at;
  in.a = binder.predicate(guard);
  in.execute = text.guard_negated ? branch<true> : branch<false>;
}

/// Lanes with the index of the first go together; the others come to this instruction again.
void branch_indexed(Warp& w, const Instruction& in) {
  const u32* index = w.row<u32>(in.a);
  const auto& targets = in.extra->numbers;
  w.isolate(w.mask);
  const u32 lane = static_cast<u32>(std::countr_zero(w.mask));
  if (index[lane] >= targets.size())
    w.trap(TrapKind::kInvalidPc, lane, in,
           "brx.idx: index " + std::to_string(index[lane]) + " of a list of " +
               std::to_string(targets.size()) + " targets");
  u32 same = 0;
  for (u32 l = 0; l < kWarpSize; ++l) same |= u32{index[l] == index[lane]} << l;
  same &= w.mask;
  const u32 target = static_cast<u32>(targets[index[lane]]);
  if (same == w.mask) {
    w.pc = target;
  } else {
    --w.pc;
    w.diverge(same, target, w.pc);
  }
}

void bind_branch_indexed(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.a = binder.source(operands[0], U32::kType);
  in.extra = &binder.extra();
  in.execute = branch_indexed;
  for (const ptx::BranchTargets& list : binder.function().branch_targets) {
    if (list.name != operands[1].name) continue;
    for (std::size_t i = 0; i < list.labels.size(); ++i)
      binder.branch_to(list.labels[i], in, static_cast<int>(i));
    return;
  }
  load_error(operands[1].at, "no .branchtargets list '" + operands[1].name + "'");
}

// ---- calls ----

const CallSite& site_of(const Instruction& in) { return *static_cast<const CallSite*>(in.extra->pointer); }

void call_direct(Warp& w, const Instruction& in) {
  const CallSite& site = site_of(in);
  w.call(w.mask, *site.callee, site, in);
}

/// Lanes with the same target call together; the others come to this instruction again.
void call_indirect(Warp& w, const Instruction& in) {
  const CallSite& site = site_of(in);
  const u64* target = w.row<u64>(site.target);
  const u32 lane = static_cast<u32>(std::countr_zero(w.mask));
  u32 same = 0;
  for (u32 l = 0; l < kWarpSize; ++l)
    if (((w.mask >> l) & 1) && target[l] == target[lane]) same |= 1u << l;
  const auto& functions = w.block->grid->kernel->by_address;
  const auto callee = functions.find(target[lane]);
  if (callee == functions.end())
    w.trap(TrapKind::kInvalidPc, lane, in, "call of an address that is no function");
  w.call(same, *callee->second, site, in);
}

void bind_call(const Row&, const Match&, Binder& binder, Instruction& in) {
  binder.bind_call(in);
  const CallSite& site = site_of(in);
  in.execute = site.builtin != nullptr ? site.builtin : site.callee != nullptr ? call_direct : call_indirect;
}

void exit_thread(Warp& w, const Instruction&) { w.exit(w.mask); }

void trap(Warp& w, const Instruction& in) {
  w.trap(TrapKind::kTrap, static_cast<u32>(std::countr_zero(w.mask)), in, "the program executed trap");
}

void no_operation(Warp&, const Instruction&) {}

void sleep(Warp& w, const Instruction& in) {
  if (w.scoreboard != nullptr) {
    const double cycles = static_cast<double>(w.row<u32>(in.a)[std::countr_zero(w.mask)]) *
                          w.block->grid->device->clock_mhz * 1e-3;
    const Scoreboard::Cycles now = w.scoreboard->now();
    w.scoreboard->advance_to({now.l2 + cycles, now.dram + cycles});
    if (w.recording != nullptr) w.recording->sleep(cycles, in);
  }
  w.yield = true;
}

template <Execute kExecute>
void bind_plain(const Row&, const Match&, Binder&, Instruction& in) {
  in.execute = kExecute;
}

void bind_sleep(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.a = binder.source(match.instruction->operands[0], U32::kType);
  in.execute = sleep;
}

// ---- barriers ----

/// Barrier number and thread count are the same for all lanes that execute the instruction together.
struct BarrierOperands {
  u8 id;
  u32 expected;
};

BarrierOperands barrier_operands(Warp& w, const Instruction& in) {
  const u32 lane = static_cast<u32>(std::countr_zero(w.mask));
  const u32 id = w.row<u32>(in.a)[lane];
  const u32 expected = in.b.bits != 0 ? w.row<u32>(in.b)[lane] : 0;
  if (id > 15)
    w.trap(TrapKind::kIllegalInstruction, lane, in, "barrier " + std::to_string(id) + ": there are 16");
  if (expected % kWarpSize != 0)
    w.trap(TrapKind::kIllegalInstruction, lane, in,
           "a barrier's thread count is a multiple of 32, not " + std::to_string(expected));
  return {static_cast<u8>(id), expected};
}

template <bool kAligned>
void barrier_sync(Warp& w, const Instruction& in) {
  const BarrierOperands operands = barrier_operands(w, in);
  u32 votes = 0;
  if (in.flags != kBarrierPlain) votes = static_cast<u32>(std::popcount(w.predicate(in.c) & w.mask));
  w.wait_at_barrier(in, operands.id, operands.expected, kAligned, votes);
}

void barrier_arrive(Warp& w, const Instruction& in) {
  const BarrierOperands operands = barrier_operands(w, in);
  w.block->arrive(w, w.mask, operands.id, operands.expected, in, 0, true);
}

bool is_aligned(const ptx::Instruction& text) {
  if (text.opcode == "bar") return true;
  for (const std::string& modifier : text.modifiers)
    if (modifier == "aligned") return true;
  return false;
}

void bind_barrier(const Row& row, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.a = binder.source(operands[0], U32::kType);
  if (operands.size() > 1) in.b = binder.source(operands[1], U32::kType);
  if (row.syntax.find("arrive") != std::string_view::npos) {
    in.execute = barrier_arrive;
  } else {
    in.execute = is_aligned(*match.instruction) ? barrier_sync<true> : barrier_sync<false>;
  }
}

template <BarrierReduction kReduction>
void bind_barrier_reduction(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.a = binder.source(operands[1], U32::kType);
  if (operands.size() > 3) in.b = binder.source(operands[2], U32::kType);
  in.c = binder.predicate(operands.back());
  in.d = kReduction == kBarrierPopc ? binder.destination(operands[0], U32::kType)
                                    : binder.predicate_destination(operands[0]);
  in.flags = kReduction;
  in.execute = is_aligned(*match.instruction) ? barrier_sync<true> : barrier_sync<false>;
}

void synchronise_warp(Warp& w, const Instruction& in) { gathered(w, in, in.a); }

void bind_warp_barrier(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.a = binder.source(match.instruction->operands[0], U32::kType);
  in.width = 4;
  in.joins = true;
  in.execute = by_members<synchronise_warp, true>;
}

Row control(std::string_view syntax, Bind bind, Traits traits = {}) {
  return {.syntax = syntax, .types = {}, .types2 = {}, .bind = bind, .cost = kControlCost, .traits = traits};
}

/// For the whole warp it is a NOP: lanes of one warp are together anyway where ptxas knows no branch.
Cost warp_barrier_cost(const Match& match) {
  const ptx::Operand& members = match.instruction->operands[0];
  const bool is_all =
      members.kind == ptx::Operand::Kind::kInteger && static_cast<u32>(members.bits) == ~u32{0};
  return {.pipe = is_all ? Pipe::kAlu : Pipe::kControl};
}

Row warp_barrier(std::string_view syntax) {
  return {.syntax = syntax,
          .types = {},
          .types2 = {},
          .bind = bind_warp_barrier,
          .cost = warp_barrier_cost,
          .traits = {.gathers = Gathers::kWarpBarrier, .members = Members::kA}};
}

constexpr Traits kBranches = {.flow = Flow::kBranch}, kLeaves = {.flow = Flow::kLeave};
/// bar is aligned as it is, barrier when it says so.
constexpr Traits kWaits = {.gathers = Gathers::kBarrier}, kArrives = {.gathers = Gathers::kBarrierArrive};
constexpr Traits kWaitsAligned = {.gathers = Gathers::kBarrier, .aligned = true};
constexpr Traits kArrivesAligned = {.gathers = Gathers::kBarrierArrive, .aligned = true};

}  // namespace

std::vector<Row> control_flow_rows() {
  return {
      control("bra{.uni} target", bind_branch, kBranches),
      control("brx.idx{.uni} index, targets", bind_branch_indexed, {.flow = Flow::kBranchList}),
      control("call{.uni} ...", bind_call, {.flow = Flow::kCall, .typing = Typing::kOpaque}),
      control("ret{.uni}", bind_plain<return_from_function>, kLeaves),
      control("exit", bind_plain<exit_thread>, kLeaves),
      control("trap", bind_plain<trap>, {.flow = Flow::kTrap}),
      control("brkpt", bind_plain<no_operation>),
      control("nanosleep.u32 t", bind_sleep),
      control("bar{.cta}.sync a{, b}", bind_barrier, kWaitsAligned),
      control("bar{.cta}.arrive a, b", bind_barrier, kArrivesAligned),
      control("bar{.cta}.red.popc.u32 d, a{, b}, p", bind_barrier_reduction<kBarrierPopc>, kWaitsAligned),
      control("bar{.cta}.red.and.pred d, a{, b}, p", bind_barrier_reduction<kBarrierAnd>, kWaitsAligned),
      control("bar{.cta}.red.or.pred d, a{, b}, p", bind_barrier_reduction<kBarrierOr>, kWaitsAligned),
      control("barrier{.cta}.sync{.aligned} a{, b}", bind_barrier, kWaits),
      control("barrier{.cta}.arrive{.aligned} a, b", bind_barrier, kArrives),
      control("barrier{.cta}.red.popc{.aligned}.u32 d, a{, b}, p", bind_barrier_reduction<kBarrierPopc>,
              kWaits),
      control("barrier{.cta}.red.and{.aligned}.pred d, a{, b}, p", bind_barrier_reduction<kBarrierAnd>,
              kWaits),
      control("barrier{.cta}.red.or{.aligned}.pred d, a{, b}, p", bind_barrier_reduction<kBarrierOr>, kWaits),
      warp_barrier("bar.warp.sync membermask"),
  };
}

}  // namespace isa

}  // namespace roofline::sim
