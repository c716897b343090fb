// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "simulator/isa/address.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/cost.h"
#include "simulator/isa/mbarrier.h"
#include "simulator/ptx/load_error.h"

/// "Asynchronous copy" of sm_90 without tensor maps: cp.async.bulk, and st.async and red.async into the
/// shared memory of another block. All are done at once; the memory barrier is told.
namespace roofline::sim::isa {

namespace {

/// An address operand kept in Extra: its register at slots[i], its offset at numbers[i].
void keep_address(const ptx::Operand& operand, ptx::Space space, Binder& binder, Extra& extra) {
  Instruction bound;
  bind_address(operand, space, binder, bound);
  extra.slots.push_back(bound.a);
  extra.numbers.push_back(bound.immediate * 2 + ((bound.flags & kAccessNarrow) != 0 ? 1 : 0));
}

u64 address_of(const Warp& w, const Instruction& in, std::size_t i, u32 lane) {
  const Slot slot = in.extra->slots[i];
  const s64 number = in.extra->numbers[i];
  const bool narrow = (number & 1) != 0;
  const u64 base = narrow ? w.row<u32>(slot)[lane] : w.row<u64>(slot)[lane];
  const u64 address = base + static_cast<u64>((number - (narrow ? 1 : 0)) / 2);
  return narrow ? static_cast<u32>(address) : address;
}

constexpr std::size_t kTo = 0, kFrom = 1, kBarrier = 2;
constexpr u32 kPiece = 16;

/// One thread's copy, as requests of a whole warp: so it is checked and counted by lines and sectors.
void copy_bytes(Warp& w, const Instruction& in, u32 lane, u32 bytes, ptx::Space to, ptx::Space from) {
  const u64 source = address_of(w, in, kFrom, lane), target = address_of(w, in, kTo, lane);
  if (bytes % kPiece != 0 || source % kPiece != 0 || target % kPiece != 0)
    w.trap(TrapKind::kMisalignedAddress, lane, in,
           "cp.async.bulk: addresses and size are multiples of 16, the size is " + std::to_string(bytes));
  alignas(64) u64 loads[kWarpSize] = {}, stores[kWarpSize] = {};
  u8 staged[kWarpSize][kPiece];
  for (u32 at = 0; at < bytes; at += kPiece * kWarpSize) {
    const u32 lanes = std::min<u32>((bytes - at) / kPiece, kWarpSize);
    const u32 mask = lanes == kWarpSize ? ~0u : (1u << lanes) - 1;
    for (u32 l = 0; l < lanes; ++l) {
      loads[l] = source + at + l * kPiece;
      stores[l] = target + at + l * kPiece;
    }
    const Access load = begin_access(w, in, {AccessKind::kLoad, from, mask, kPiece, true, 0}, loads);
    for (u32 l = 0; l < lanes; ++l) std::memcpy(staged[l], load.lane(l), kPiece);
    const Access store = begin_access(w, in, {AccessKind::kStore, to, mask, kPiece, true, 1}, stores);
    for (u32 l = 0; l < lanes; ++l) std::memcpy(store.lane(l), staged[l], kPiece);
  }
}

template <ptx::Space kToSpace, ptx::Space kFromSpace, bool kCompletes>
void bulk_copy(Warp& w, const Instruction& in) {
  for (u32 mask = w.mask; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(mask));
    const u32 bytes = w.row<u32>(in.b)[lane];
    copy_bytes(w, in, lane, bytes, kToSpace, kFromSpace);
    if constexpr (kCompletes) complete_bytes(w, in, lane, address_of(w, in, kBarrier, lane), bytes, 2);
  }
}

template <ptx::Space kToSpace, ptx::Space kFromSpace, bool kCompletes>
void bind_bulk(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  Extra& extra = binder.extra();
  in.extra = &extra;
  keep_address(operands[0], kToSpace, binder, extra);
  keep_address(operands[1], kFromSpace, binder, extra);
  in.b = binder.source(operands[2], U32::kType);
  if (kCompletes) keep_address(operands[3], ptx::Space::kShared, binder, extra);
  in.execute = bulk_copy<kToSpace, kFromSpace, kCompletes>;
}

template <ptx::Space kToSpace, ptx::Space kFromSpace, bool kCompletes>
Row bulk(std::string_view syntax) {
  return {.syntax = syntax,
          .types = {},
          .types2 = {},
          .bind = bind_bulk<kToSpace, kFromSpace, kCompletes>,
          .cost = memory_cost,
          .space = ptx::Space::kGlobal,
          .is_load = kFromSpace == ptx::Space::kGlobal,
          .is_store = kToSpace == ptx::Space::kGlobal,
          .traits = {.releases = kCompletes ? Fence::kBlock : Fence::kNone}};
}

// ---- st.async, red.async ----

/// d = f(old, value) at every lane's address, then the bytes are reported to the barrier. kElements values a
/// lane, whose rows follow the two addresses.
template <class T, std::size_t kElements, class F>
void update_async(Warp& w, const Instruction& in) {
  alignas(64) u64 addresses[kWarpSize] = {};
  for (u32 l = 0; l < kWarpSize; ++l) addresses[l] = address_of(w, in, 0, l);
  constexpr u32 kBytes = sizeof(T) * kElements;
  const Access access =
      begin_access(w, in, {AccessKind::kAtomic, ptx::Space::kShared, w.mask, kBytes, false, 0}, addresses);
  for (u32 mask = w.mask; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(mask));
    T values[kElements];
    std::memcpy(values, access.lane(lane), kBytes);
    for (std::size_t k = 0; k < kElements; ++k)
      values[k] = F{}(values[k], w.row<T>(in.extra->slots[2 + k])[lane]);
    std::memcpy(access.lane(lane), values, kBytes);
  }
  for (u32 mask = w.mask; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(mask));
    complete_bytes(w, in, lane, address_of(w, in, 1, lane), kBytes, 1);
  }
}

template <class L, std::size_t kElements, class F>
void bind_async(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  Extra& extra = binder.extra();
  in.extra = &extra;
  keep_address(operands[0], ptx::Space::kShared, binder, extra);
  keep_address(operands[2], ptx::Space::kShared, binder, extra);
  if (operands[1].kind == ptx::Operand::Kind::kVector) {
    for (const ptx::Operand& element : operands[1].elements)
      extra.slots.push_back(binder.source(element, match.type));
  } else {
    extra.slots.push_back(binder.source(operands[1], match.type));
  }
  if (extra.slots.size() != 2 + kElements) {
    LoadError error("a vector of " + std::to_string(kElements) + " elements is spelled");
    error.at = operands[1].at;
    throw error;
  }
  L::select(match.type, [&]<class T>() { in.execute = update_async<typename T::Lane, kElements, F>; });
}

template <class L, std::size_t kElements, class F>
Row async_row(std::string_view syntax, F) {
  return {.syntax = syntax,
          .types = L::all(),
          .types2 = {},
          .bind = bind_async<L, kElements, F>,
          .cost = memory_cost,
          .space = ptx::Space::kShared,
          .is_atomic = true,
          .traits = {.releases = Fence::kBlock}};
}

constexpr auto replaced = [](auto, auto b) { return b; };
constexpr auto sum = []<class T>(T a, T b) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
};

using StoreTypes = TypeList<B32, B64, U32, U64, S32, S64, F32, F64>;
using StoreWords = TypeList<B32, U32, S32, F32>;
using AddTypes = TypeList<U32, S32, U64>;

void nothing(Warp&, const Instruction&) {}

void bind_nothing(const Row&, const Match&, Binder&, Instruction& in) { in.execute = nothing; }

Row wait(std::string_view syntax) {
  return {
      .syntax = syntax, .types = {}, .types2 = {}, .bind = bind_nothing, .cost = fixed_cost<Pipe::kControl>};
}

}  // namespace

std::vector<Row> bulk_copy_rows() {
  return {
      bulk<ptx::Space::kShared, ptx::Space::kGlobal, true>(
          "cp.async.bulk.{shared::cluster,shared::cta}.global."
          "mbarrier::complete_tx::bytes{.L2::cache_hint} [d], [a], n, [m]{, p}"),
      bulk<ptx::Space::kShared, ptx::Space::kShared, true>(
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [d], [a], n, [m]"),
      bulk<ptx::Space::kGlobal, ptx::Space::kShared, false>(
          "cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint} [d], [a], n{, p}"),
      wait("cp.async.bulk.commit_group"),
      wait("cp.async.bulk.wait_group{.read} n"),
      wait("cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [a], n{, p}"),
      async_row<StoreTypes, 1>(
          "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes.type [a], b, [m]", replaced),
      async_row<StoreTypes, 2>(
          "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes.v2.type [a], b, [m]", replaced),
      async_row<StoreWords, 4>(
          "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes.v4.type [a], b, [m]", replaced),
      async_row<AddTypes, 1>("red.async{.relaxed}{.cluster}{.shared::cluster}.mbarrier::complete_tx::bytes"
                             ".add.type [a], b, [m]",
                             sum),
      async_row<TypeList<U32, S32>, 1>("red.async{.relaxed}{.cluster}{.shared::cluster}."
                                       "mbarrier::complete_tx::bytes.min.type [a], b, [m]",
                                       [](auto a, auto b) { return b < a ? b : a; }),
      async_row<TypeList<U32, S32>, 1>("red.async{.relaxed}{.cluster}{.shared::cluster}."
                                       "mbarrier::complete_tx::bytes.max.type [a], b, [m]",
                                       [](auto a, auto b) { return a < b ? b : a; }),
      async_row<TypeList<B32>, 1>("red.async{.relaxed}{.cluster}{.shared::cluster}."
                                  "mbarrier::complete_tx::bytes.and.type [a], b, [m]",
                                  [](auto a, auto b) { return a & b; }),
      async_row<TypeList<B32>, 1>("red.async{.relaxed}{.cluster}{.shared::cluster}."
                                  "mbarrier::complete_tx::bytes.or.type [a], b, [m]",
                                  [](auto a, auto b) { return a | b; }),
      async_row<TypeList<B32>, 1>("red.async{.relaxed}{.cluster}{.shared::cluster}."
                                  "mbarrier::complete_tx::bytes.xor.type [a], b, [m]",
                                  [](auto a, auto b) { return a ^ b; }),
  };
}

}  // namespace roofline::sim::isa
