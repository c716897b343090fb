// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <mutex>

#include "simulator/isa/address.h"
#include "simulator/isa/matrix/fragment_access.h"

/// wmma.load.{a,b,c} and wmma.store.d.
namespace roofline::sim::isa {

namespace {

/// Plans live as long as the program: instructions of all modules share the few that there are.
const FragmentAccess* keep_plan(FragmentAccess plan) {
  static std::mutex mutex;
  static std::deque<FragmentAccess> plans;
  const std::lock_guard lock(mutex);
  const auto same = [&](const FragmentAccess& p) {
    return p.element == plan.element && p.is_accumulator == plan.is_accumulator && p.across == plan.across &&
           p.permuted == plan.permuted && p.by_rows == plan.by_rows && p.registers == plan.registers &&
           p.default_stride == plan.default_stride && p.tiles.size() == plan.tiles.size() &&
           std::equal(p.tiles.begin(), p.tiles.end(), plan.tiles.begin(),
                      [](auto a, auto b) { return a.row == b.row && a.column == b.column; });
  };
  for (const FragmentAccess& p : plans)
    if (same(p)) return &p;
  return &plans.emplace_back(std::move(plan));
}

const FragmentAccess& plan_of(const Instruction& in) {
  return *static_cast<const FragmentAccess*>(in.extra->pointer);
}

/// Address and stride are the same in all lanes, says the manual.
u64 address_of(const Warp& w, const Instruction& in) {
  if ((in.flags & kAccessNarrow) != 0)
    return static_cast<u32>(w.row<u32>(in.a)[0] + static_cast<u32>(in.immediate));
  return w.row<u64>(in.a)[0] + static_cast<u64>(in.immediate);
}
u64 stride_of(const Warp& w, const Instruction& in) {
  return in.b.bits == 0 ? plan_of(in).default_stride : w.row<u32>(in.b)[0];
}

struct Rows {
  u8* rows[Fragments::kMost];
  Rows(const Warp& w, const Instruction& in) {
    for (std::size_t i = 0; i < in.extra->slots.size(); ++i) rows[i] = w.row<u8>(in.extra->slots[i]);
  }
};

struct Staging {
  alignas(64) u8 bytes[Fragments::kMost][kWarpSize * 8];
  u8* rows[Fragments::kMost];
  Staging() {
    for (int i = 0; i < Fragments::kMost; ++i) rows[i] = bytes[i];
  }
};

void repeat_distinct(const FragmentAccess& plan, u8* const* rows) {
  for (u32 i = plan.distinct; i < plan.registers; ++i)
    std::memcpy(rows[i], rows[i % plan.distinct], kWarpSize * plan.register_bytes());
}

void load(Warp& w, const Instruction& in) {
  if (!whole_warp(w, in)) return;
  const Rows to(w, in);
  load_fragment(w, in, plan_of(in), address_of(w, in), stride_of(w, in), to.rows);
  repeat_distinct(plan_of(in), to.rows);
}

void load_permuted(Warp& w, const Instruction& in) {
  if (!whole_warp(w, in)) return;
  const FragmentAccess& plan = plan_of(in);
  const Rows to(w, in);
  Staging staging;
  load_fragment(w, in, plan, address_of(w, in), stride_of(w, in), staging.rows);
  permute_fragment(staging.rows, to.rows, plan.distinct, plan.register_bytes(), plan.is_packed());
  repeat_distinct(plan, to.rows);
}

void store(Warp& w, const Instruction& in) {
  if (!whole_warp(w, in)) return;
  const Rows from(w, in);
  store_fragment(w, in, plan_of(in), address_of(w, in), stride_of(w, in), from.rows);
}

void store_permuted(Warp& w, const Instruction& in) {
  if (!whole_warp(w, in)) return;
  const FragmentAccess& plan = plan_of(in);
  const Rows from(w, in);
  Staging staging;
  restore_fragment(from.rows, staging.rows, plan.distinct, plan.register_bytes(), plan.is_packed());
  store_fragment(w, in, plan, address_of(w, in), stride_of(w, in), staging.rows);
}

/// The words of "load.a.sync.aligned.row.m16n16k16.shared.f16".
FragmentAccess spelled(const Match& match, ptx::Space space) {
  Shape shape;
  for (const std::string_view word : match.modifiers)
    if (word.size() > 4 && word[0] == 'm' && word.find('k') != std::string_view::npos)
      shape = shape_named(word);
  FragmentAccess plan =
      fragment_access(match.modifiers.at(1), shape, element_named(match.modifiers.back()), match.has("row"));
  plan.by_rows = space == ptx::Space::kShared && plan.element_bits() == 16 && !plan.is_accumulator;
  return plan;
}

void bind_stride(const ptx::OperandList& operands, Binder& binder, Instruction& in) {
  if (operands.size() > 2) in.b = binder.source(operands[2], U32::kType);
}

void bind_load(const Row& row, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  FragmentAccess plan = spelled(match, row.space);
  plan.permuted = permutes_fragments(binder);
  bind_address(operands[1], row.space, binder, in);
  bind_stride(operands, binder, in);
  Extra& extra = binder.extra();
  in.extra = &extra;
  bind_destinations(operands[0], plan.registers, register_type(plan.element), binder, extra.slots);
  in.execute = plan.permuted ? load_permuted : load;
  extra.pointer = keep_plan(std::move(plan));
}

void bind_store(const Row& row, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  FragmentAccess plan = spelled(match, row.space);
  plan.permuted = permutes_fragments(binder);
  bind_address(operands[0], row.space, binder, in);
  bind_stride(operands, binder, in);
  Extra& extra = binder.extra();
  in.extra = &extra;
  bind_sources(operands[1], plan.registers, plan.registers, register_type(plan.element), binder, extra.slots);
  in.execute = plan.permuted ? store_permuted : store;
  extra.pointer = keep_plan(std::move(plan));
}

Cost request_cost(const Match& match) {
  const bool in_shared = match.has("shared") || match.has("shared::cta");
  const u32 requests = spelled(match, in_shared ? ptx::Space::kShared : ptx::Space::kGlobal).requests();
  return {Pipe::kMemory, static_cast<u8>(requests)};
}

/// What may stand between "wmma.load.a" or "wmma.store.d" and the operands: layout and shape, then the type.
struct Combination {
  std::string_view shapes, types;
};
constexpr std::string_view kAnyLayout = ".{row,col}", kSixteen = ".{m16n16k16,m32n8k16,m8n32k16}";

Row access_row(std::string_view use, std::string_view layout, Combination what, const SpaceName& space) {
  const bool is_store = use == "store.d";
  std::string line = "wmma." + std::string(use) + ".sync.aligned" + std::string(layout) +
                     std::string(what.shapes) + std::string(space.prefix) + std::string(what.types) +
                     (is_store ? " [p], r{, stride}" : " r, [p]{, stride}");
  return {.syntax = keep(std::move(line)),
          .types = {},
          .types2 = {},
          .bind = is_store ? bind_store : bind_load,
          .cost = request_cost,
          .space = space.space,
          .is_load = !is_store,
          .is_store = is_store,
          .traits = {.typing = Typing::kOpaque, .gathers = Gathers::kWholeWarp}};
}

}  // namespace

std::vector<Row> wmma_memory_rows() {
  std::vector<Row> rows;
  for (const SpaceName& space : {kGeneric, kGlobal, kShared}) {
    for (const std::string_view use : {"load.a", "load.b"}) {
      const bool is_a = use == "load.a";
      rows.push_back(access_row(use, kAnyLayout, {kSixteen, ".{f16,bf16,s8,u8}"}, space));
      rows.push_back(access_row(use, kAnyLayout, {".m16n16k8", ".tf32"}, space));
      rows.push_back(access_row(use, kAnyLayout, {".m8n8k4", ".f64"}, space));
      rows.push_back(access_row(use, is_a ? ".row" : ".col", {".m8n8k32", ".{s4,u4}"}, space));
      rows.push_back(access_row(use, is_a ? ".row" : ".col", {".m8n8k128", ".b1"}, space));
    }
    for (const std::string_view use : {"load.c", "store.d"}) {
      rows.push_back(access_row(use, kAnyLayout, {kSixteen, ".{f16,f32,s32}"}, space));
      rows.push_back(access_row(use, kAnyLayout, {".m16n16k8", ".f32"}, space));
      rows.push_back(access_row(use, kAnyLayout, {".m8n8k4", ".f64"}, space));
      rows.push_back(access_row(use, kAnyLayout, {".{m8n8k32,m8n8k128}", ".s32"}, space));
    }
  }
  return rows;
}

}  // namespace roofline::sim::isa
