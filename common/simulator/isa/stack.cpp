// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "simulator/isa/chapters.h"
#include "simulator/isa/shapes.h"
#include "simulator/machine/frame.h"
#include "simulator/ptx/load_error.h"

/// "Stack Manipulation Instructions". The lanes of a frame share one stack pointer: each has room for what
/// the lane that asked for most asked for.
namespace roofline::sim::isa {

namespace {

constexpr u64 kMostAlignment = 4096;

void allocate(Warp& w, const Instruction& in) {
  const u64* bytes = w.row<u64>(in.a);
  u64 most = 0;
  for (u32 mask = w.mask; mask != 0; mask &= mask - 1)
    most = std::max(most, bytes[static_cast<u32>(std::countr_zero(mask))]);
  const u64 alignment = static_cast<u64>(in.immediate);
  Frame& frame = *w.frame;
  const u64 own = frame.local_base + w.function->local_bytes;
  const u64 address = (own + frame.stack_bytes + alignment - 1) / alignment * alignment;
  if (most > w.block->local_bytes || address + most > w.block->local_bytes)
    w.trap(TrapKind::kStackOverflow, static_cast<u32>(std::countr_zero(w.mask)), in,
           "alloca of " + std::to_string(most) + " bytes: a thread has " +
               std::to_string(w.block->local_bytes) + " bytes of local memory; raise cudaLimitStackSize");
  frame.stack_bytes = address + most - own;
  open_local(w, w.mask, address, most);
  each_lane(
      w.mask, w.row<u64>(in.d), [address](u64) { return address; }, bytes);
}

void bind_allocate(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.a = binder.source(operands[1], U64::kType);
  in.immediate = operands.size() > 2 ? static_cast<s64>(operands[2].bits) : 8;
  if (in.immediate <= 0 || static_cast<u64>(in.immediate) > kMostAlignment) {
    LoadError error("alloca takes an alignment from 1 to 4096");
    error.at = operands[2].at;
    throw error;
  }
  in.d = binder.destination(operands[0], U64::kType);
  in.execute = allocate;
}

void save(Warp& w, const Instruction& in) {
  const u64 used = w.frame->stack_bytes;
  each_lane(
      w.mask, w.row<u64>(in.d), [used](u64) { return used; }, w.row<u64>(in.d));
}

/// Lanes that are elsewhere in the frame may still use what they allocated: then it stays until the return.
void restore(Warp& w, const Instruction& in) {
  if (w.mask == w.frame->lanes)
    w.frame->stack_bytes = std::min(w.frame->stack_bytes, w.row<u64>(in.a)[std::countr_zero(w.mask)]);
}

void bind_save(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.d = binder.destination(match.instruction->operands[0], U64::kType);
  in.execute = save;
}

void bind_restore(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.a = binder.source(match.instruction->operands[0], U64::kType);
  in.execute = restore;
}

Row row(std::string_view syntax, Bind bind) {
  return {
      .syntax = syntax, .types = {U64::kType}, .types2 = {}, .bind = bind, .cost = fixed_cost<Pipe::kAlu>};
}

}  // namespace

std::vector<Row> stack_rows() {
  return {
      row("stacksave.type d", bind_save),
      row("stackrestore.type a", bind_restore),
      row("alloca.type d, a{, n}", bind_allocate).with({.needs_stack = true}),
  };
}

}  // namespace roofline::sim::isa
