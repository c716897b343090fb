// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/address.h"
#include "simulator/isa/cost.h"
#include "simulator/isa/matrix/matrix.h"

/// "Matrix load, store and transpose": ldmatrix, stmatrix, movmatrix. Each lane names one row of 16 bytes:
/// lanes 0 to 7 the rows of the first 8x8 matrix, lanes 8 to 15 of the second, and so on.
namespace roofline::sim::isa {

namespace {

constexpr u8 kRowBytes = 16;

void transpose_tile(const u8* from, u8* to) {
  TileRow rows[8];
  for (u32 r = 0; r < 8; ++r) rows[r] = load_row(from + 16 * r);
  transpose(rows);
  for (u32 r = 0; r < 8; ++r) store_row(to + 16 * r, rows[r]);
}

/// The request of the lanes that name rows of `matrices` matrices.
Access begin_rows(Warp& w, const Instruction& in, AccessKind kind, u32 matrices) {
  const u32 lanes = matrices == 4 ? ~0u : (1u << 8 * matrices) - 1;
  if (lanes == ~0u) return begin_access(w, in, kind);
  alignas(64) u64 addresses[kWarpSize];
  const bool narrow = (in.flags & kAccessNarrow) != 0;
  for (u32 l = 0; l < kWarpSize; ++l)
    addresses[l] = narrow ? static_cast<u32>(w.row<u32>(in.a)[l] + static_cast<u32>(in.immediate))
                          : w.row<u64>(in.a)[l] + static_cast<u64>(in.immediate);
  return begin_access(w, in, {kind, access_space(in), lanes, kRowBytes, false, 0}, addresses);
}

template <u32 kMatrices, bool kTranspose>
void load_matrices(Warp& w, const Instruction& in) {
  if (!whole_warp(w, in)) return;
  const Access access = begin_rows(w, in, AccessKind::kLoad, kMatrices);
  for (u32 m = 0; m < kMatrices; ++m) {
    TileRow rows[8];
    for (u32 r = 0; r < 8; ++r) rows[r] = load_row(access.lane(8 * m + r));
    if constexpr (kTranspose) transpose(rows);
    u8* d = w.row<u8>(in.extra->slots[m]);
    for (u32 r = 0; r < 8; ++r) store_row(d + 16 * r, rows[r]);
  }
}

template <u32 kMatrices, bool kTranspose>
void store_matrices(Warp& w, const Instruction& in) {
  if (!whole_warp(w, in)) return;
  const Access access = begin_rows(w, in, AccessKind::kStore, kMatrices);
  for (u32 m = 0; m < kMatrices; ++m) {
    const u8* s = w.row<u8>(in.extra->slots[m]);
    TileRow rows[8];
    for (u32 r = 0; r < 8; ++r) rows[r] = load_row(s + 16 * r);
    if constexpr (kTranspose) transpose(rows);
    for (u32 r = 0; r < 8; ++r) store_row(access.lane(8 * m + r), rows[r]);
  }
}

u32 matrices_of(const Match& match) { return match.has("x4") ? 4 : match.has("x2") ? 2 : 1; }

template <template <u32, bool> class Move>
Execute instantiation(u32 matrices, bool transpose) {
  switch (matrices) {
    case 1:
      return transpose ? &Move<1, true>::execute : &Move<1, false>::execute;
    case 2:
      return transpose ? &Move<2, true>::execute : &Move<2, false>::execute;
    default:
      return transpose ? &Move<4, true>::execute : &Move<4, false>::execute;
  }
}
template <u32 kMatrices, bool kTranspose>
struct Load {
  static void execute(Warp& w, const Instruction& in) { load_matrices<kMatrices, kTranspose>(w, in); }
};
template <u32 kMatrices, bool kTranspose>
struct Store {
  static void execute(Warp& w, const Instruction& in) { store_matrices<kMatrices, kTranspose>(w, in); }
};

void bind_ldmatrix(const Row& row, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  bind_address(operands[1], row.space, binder, in);
  in.width = kRowBytes;
  Extra& extra = binder.extra();
  in.extra = &extra;
  bind_destinations(operands[0], matrices_of(match), B32::kType, binder, extra.slots);
  in.execute = instantiation<Load>(matrices_of(match), match.has("trans"));
}

void bind_stmatrix(const Row& row, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  bind_address(operands[0], row.space, binder, in);
  in.width = kRowBytes;
  Extra& extra = binder.extra();
  in.extra = &extra;
  const u32 n = matrices_of(match);
  bind_sources(operands[1], n, n, B32::kType, binder, extra.slots);
  in.execute = instantiation<Store>(n, match.has("trans"));
}

void movmatrix(Warp& w, const Instruction& in) {
  if (whole_warp(w, in)) transpose_tile(w.row<u8>(in.a), w.row<u8>(in.d));
}

void bind_movmatrix(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.a = binder.source(match.instruction->operands[1], B32::kType);
  in.d = binder.destination(match.instruction->operands[0], B32::kType);
  in.execute = movmatrix;
}

Row row_of(std::string_view syntax, Bind bind, ptx::Space space, bool is_load) {
  return {.syntax = syntax,
          .types = {},
          .types2 = {},
          .bind = bind,
          .cost = memory_cost,
          .space = space,
          .is_load = is_load,
          .is_store = !is_load,
          .traits = {.gathers = Gathers::kWholeWarp}};
}

}  // namespace

std::vector<Row> matrix_memory_rows() {
  using ptx::Space;
  return {
      row_of("ldmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}.b16 r, [p]", bind_ldmatrix, Space::kGeneric,
             true),
      row_of("ldmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}.{shared,shared::cta}.b16 r, [p]", bind_ldmatrix,
             Space::kShared, true),
      row_of("stmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}.b16 [p], r", bind_stmatrix, Space::kGeneric,
             false),
      row_of("stmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}.{shared,shared::cta}.b16 [p], r", bind_stmatrix,
             Space::kShared, false),
      {.syntax = "movmatrix.sync.aligned.m8n8.trans.b16 d, a",
       .types = {},
       .types2 = {},
       .bind = bind_movmatrix,
       .cost = fixed_cost<Pipe::kMemory>,
       .traits = {.gathers = Gathers::kWholeWarp}},
  };
}

}  // namespace roofline::sim::isa
