// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/cost.h"
#include "simulator/isa/matrix/matrix.h"
#include "simulator/ptx/load_error.h"

/// "Matrix multiply-accumulate operation using mma instruction": mma.sync with the documented layouts.
namespace roofline::sim::isa {

namespace {

/// The types are those of d, a, b, c.
MatrixSpelling spelled(const Match& match) {
  MatrixSpelling result = matrix_spelling(match);
  result.operation.half_out = result.types.at(0) == "f16";
  result.operation.a = element_named(result.types.at(1));
  result.operation.b = element_named(result.types.at(2));
  result.operation.half_in = result.types.at(3) == "f16";
  return result;
}

void bind_mma(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const MatrixSpelling what = spelled(match);
  const Multiplication chosen = choose_multiplication(what.operation);
  if (chosen.execute == nullptr) {
    LoadError error("mma has no such combination of shape and types");
    error.at = match.instruction->at;
    throw error;
  }
  const ptx::OperandList& operands = match.instruction->operands;
  const ptx::Type type = register_type(what.operation.a);
  Extra& extra = binder.extra();
  in.extra = &extra;
  bind_destinations(operands[0], chosen.d, type, binder, extra.slots);
  extra.written = static_cast<u32>(chosen.d);
  bind_sources(operands[1], chosen.a, chosen.a, type, binder, extra.slots);
  bind_sources(operands[2], chosen.b, chosen.b, type, binder, extra.slots);
  bind_sources(operands[3], chosen.c, chosen.c, type, binder, extra.slots);
  const auto is_unsigned = [](Element e) { return e == Element::kU8 || e == Element::kU4; };
  in.immediate = (is_unsigned(what.operation.a) ? 1 : 0) | (is_unsigned(what.operation.b) ? 2 : 0);
  if (what.saturate) in.flags |= kMatrixSaturate;
  in.execute = chosen.execute;
}

Cost mma_cost(const Match& match) {
  const MatrixOperation operation = spelled(match).operation;
  return matrix_cost(operation.shape, operation.a, operation.half_out);
}

Row mma(std::string_view syntax) {
  return {.syntax = syntax,
          .types = {},
          .types2 = {},
          .bind = bind_mma,
          .cost = mma_cost,
          .traits = {.typing = Typing::kOpaque, .gathers = Gathers::kWholeWarp}};
}

}  // namespace

std::vector<Row> mma_rows() {
  return {
      mma("mma.sync.aligned.{m16n8k8,m16n8k16}.row.col.{f16.f16.f16.f16,f32.f16.f16.f32} d, a, b, c"),
      mma("mma.sync.aligned.{m16n8k8,m16n8k16}.row.col.f32.bf16.bf16.f32 d, a, b, c"),
      mma("mma.sync.aligned.{m16n8k4,m16n8k8}.row.col.f32.tf32.tf32.f32 d, a, b, c"),
      mma("mma.sync.aligned.{m16n8k16,m16n8k32}.row.col{.kind::f8f6f4}.f16.{e4m3,e5m2}.{e4m3,e5m2}.f16 d, a, "
          "b, "
          "c"),
      mma("mma.sync.aligned.{m16n8k16,m16n8k32}.row.col{.kind::f8f6f4}.f32.{e4m3,e5m2}.{e4m3,e5m2}.f32 d, a, "
          "b, "
          "c"),
      mma("mma.sync.aligned.{m8n8k4,m16n8k4,m16n8k8,m16n8k16}.row.col.f64.f64.f64.f64{.rn} d, a, b, c"),
      mma("mma.sync.aligned.{m8n8k16,m16n8k16,m16n8k32}.row.col{.satfinite}.s32.{s8,u8}.{s8,u8}.s32 d, a, b, "
          "c"),
      mma("mma.sync.aligned.{m8n8k32,m16n8k32,m16n8k64}.row.col{.satfinite}.s32.{s4,u4}.{s4,u4}.s32 d, a, b, "
          "c"),
      mma("mma.sync.aligned.{m8n8k128,m16n8k128,m16n8k256}.row.col.s32.b1.b1.s32.{xor,and}.popc d, a, b, c"),
  };
}

}  // namespace roofline::sim::isa
