// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/matrix/matrix.h"

/// "Matrix multiply-accumulate operation using wmma instructions": wmma.mma. Fragments are laid out as
/// ptxas lays them out for sm_80: m16n16 as two mma tiles side by side, m32n8 as two below each other, m8n32
/// as the transpose of m32n8.
namespace roofline::sim::isa {

namespace {

/// wmma.mma of f16 spells two types (d, c), all others four (d, a, b, c).
MatrixSpelling spelled(const Match& match) {
  MatrixSpelling result = matrix_spelling(match);
  const bool is_half = result.types.size() == 2;
  result.operation.a = is_half ? Element::kF16 : element_named(result.types.at(1));
  result.operation.b = is_half ? Element::kF16 : element_named(result.types.at(2));
  result.operation.half_out = result.types.front() == "f16";
  result.operation.half_in = result.types.back() == "f16";
  result.operation.swapped = result.operation.shape.n == 32;
  return result;
}

void bind_wmma(const Row&, const Match& match, Binder& binder, Instruction& in) {
  MatrixSpelling what = spelled(match);
  what.operation.permuted = permutes_fragments(binder);
  const Multiplication chosen = choose_multiplication(what.operation);
  const ptx::OperandList& operands = match.instruction->operands;
  const ptx::Type type = register_type(what.operation.a);
  Extra& extra = binder.extra();
  in.extra = &extra;
  bind_destinations(operands[0], chosen.d, type, binder, extra.slots);
  extra.written = static_cast<u32>(chosen.d);
  // An f16 fragment always has eight registers, as on the first Tensor Cores; ours repeat the distinct ones.
  const auto bind = [&](const ptx::Operand& operand, std::size_t distinct) {
    const std::size_t spelled_count = what.operation.a == Element::kF16 ? 8 : distinct;
    bind_sources(operand, spelled_count, distinct, type, binder, extra.slots);
  };
  const bool swapped = what.operation.swapped;
  bind(operands[swapped ? 2 : 1], chosen.a);
  bind(operands[swapped ? 1 : 2], chosen.b);
  bind_sources(operands[3], chosen.c, chosen.c, type, binder, extra.slots);
  const bool is_unsigned = what.operation.a == Element::kU8 || what.operation.a == Element::kU4;
  in.immediate = is_unsigned ? 3 : 0;
  if (what.saturate) in.flags |= kMatrixSaturate;
  in.execute = chosen.execute;
}

Cost wmma_cost(const Match& match) {
  const MatrixOperation operation = spelled(match).operation;
  return matrix_cost(operation.shape, operation.a, operation.half_out);
}

Row wmma(std::string_view syntax) {
  return {.syntax = syntax,
          .types = {},
          .types2 = {},
          .bind = bind_wmma,
          .cost = wmma_cost,
          .traits = {.typing = Typing::kOpaque, .gathers = Gathers::kWholeWarp}};
}

}  // namespace

std::vector<Row> wmma_rows() {
  return {
      wmma("wmma.mma.sync.aligned.{row,col}.{row,col}.{m16n16k16,m32n8k16,m8n32k16}.{f16,f32}.{f16,f32}"
           "{.satfinite} d, a, b, c"),
      wmma("wmma.mma.sync.aligned.{row,col}.{row,col}.{m16n16k16,m32n8k16,m8n32k16}.f32.bf16.bf16.f32 d, a, "
           "b, "
           "c"),
      wmma("wmma.mma.sync.aligned.{row,col}.{row,col}.m16n16k8.f32.tf32.tf32.f32 d, a, b, c"),
      wmma("wmma.mma.sync.aligned.{row,col}.{row,col}.m8n8k4.f64.f64.f64.f64{.rn} d, a, b, c"),
      wmma("wmma.mma.sync.aligned.{row,col}.{row,col}.{m16n16k16,m32n8k16,m8n32k16}.s32.{s8.s8,u8.u8}.s32"
           "{.satfinite} d, a, b, c"),
      wmma("wmma.mma.sync.aligned.row.col.m8n8k32.s32.{s4.s4,u4.u4}.s32{.satfinite} d, a, b, c"),
      wmma("wmma.mma.{xor,and}.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 d, a, b, c"),
  };
}

}  // namespace roofline::sim::isa
