// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "simulator/isa/chapters.h"
#include "simulator/isa/cost.h"
#include "simulator/isa/lanewise.h"
#include "simulator/isa/member_groups.h"
#include "simulator/isa/types.h"
#include "simulator/program/shuffle.h"

/// Instructions that see all lanes of a warp: vote, shuffle, match, redux, activemask, elect.
namespace roofline::sim::isa {

namespace {

/// At the rate of the special functions on an H200 (1.94 and 2.03 clocks); what REDUX finds goes through a
/// uniform register, 48 clocks in all.
constexpr CostFunction kMatchCost = fixed_cost<Pipe::kSfu>;
Cost redux_cost(const Match&) { return {.pipe = Pipe::kSfu, .steps = 7}; }
constexpr CostFunction kVoteCost = fixed_cost<Pipe::kControl>;
constexpr CostFunction kShuffleCost = fixed_cost<Pipe::kMemory>;

template <class F>
void for_lanes(u32 mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<u32>(std::countr_zero(mask)));
}

void write_predicate(Warp& w, Slot slot, u32 value) {
  u32& d = w.predicate(slot);
  d = (d & ~w.mask) | (value & w.mask);
}

void write_all(Warp& w, Slot slot, u32 value) {
  each_lane(
      w.mask, w.row<u32>(slot), [value](u32) { return value; }, w.row<u32>(slot));
}

// ---- vote ----

enum class Vote { kAll, kAny, kUni, kBallot };

template <Vote kVote>
void vote(Warp& w, const Instruction& in) {
  if (!gathered(w, in, in.b)) return;
  const u32 votes = w.predicate(in.a) & w.mask;
  if constexpr (kVote == Vote::kBallot) {
    write_all(w, in.d, votes);
  } else {
    const bool result = kVote == Vote::kAll   ? votes == w.mask
                        : kVote == Vote::kAny ? votes != 0
                                              : votes == w.mask || votes == 0;
    write_predicate(w, in.d, result ? ~0u : 0);
  }
}

template <Vote kVote>
void bind_vote(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.a = binder.predicate(operands[1]);
  if (operands.size() > 2) in.b = binder.source(operands[2], U32::kType);
  in.d = kVote == Vote::kBallot ? binder.destination(operands[0], U32::kType)
                                : binder.predicate_destination(operands[0]);
  in.joins = operands.size() > 2;
  if (kVote != Vote::kBallot) in.flags = kWarpPredicateResult;
  in.execute = by_members<vote<kVote>>;
}

// ---- shuffle ----

alignas(64) constexpr auto kLaneNumbers = [] {
  std::array<u32, kWarpSize> numbers{};
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}();

/// result[i] = values[lanes[i]], on rows.
void permute(u32* result, const u32* values, const u32* lanes) {
#if defined(__AVX512F__)
  const __m512i low = _mm512_load_si512(values), high = _mm512_load_si512(values + 16);
  for (u32 l = 0; l < kWarpSize; l += 16)
    _mm512_store_si512(result + l, _mm512_permutex2var_epi32(low, _mm512_load_si512(lanes + l), high));
#else
  for (u32 l = 0; l < kWarpSize; ++l) result[l] = values[lanes[l]];
#endif
}

template <Shuffle kShuffle>
void shuffle(Warp& w, const Instruction& in) {
  const Slot members = in.extra->slots[0], valid = in.extra->slots[1];
  if (!gathered(w, in, members)) return;
  const u32 *a = w.row<u32>(in.a), *b = w.row<u32>(in.b), *c = w.row<u32>(in.c);
  alignas(64) u32 given[kWarpSize], from[kWarpSize], result[kWarpSize];
  if (w.mask != ~u32{0}) {
    // What the register of a lane that takes no part holds would depend on what ran before (kUnwrittenByte).
    for (u32 lane = 0; lane < kWarpSize; ++lane) given[lane] = (w.mask >> lane) & 1 ? a[lane] : ~u32{0};
    a = given;
  }
  every_lane(
      from, [](u32 lane, u32 by, u32 limits) { return shuffle_source(kShuffle, lane, by, limits); },
      kLaneNumbers.data(), b, c);
  const u32 outside = lanes_where([](u32 source) { return source == kOutside; }, from);
  every_lane(
      from, [](u32 source, u32 lane) { return source == kOutside ? lane : source; }, from,
      kLaneNumbers.data());
  permute(result, a, from);
  each_lane(
      w.mask, w.row<u32>(in.d), [](u32 v) { return v; }, result);
  if (valid.bits != 0) write_predicate(w, valid, ~outside);
}

template <Shuffle kShuffle>
void bind_shuffle(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  const bool pair = operands[0].kind == ptx::Operand::Kind::kPair;
  in.a = binder.source(operands[1], B32::kType);
  in.b = binder.source(operands[2], U32::kType);
  in.c = binder.source(operands[3], U32::kType);
  Extra& extra = binder.extra();
  extra.slots.resize(2);
  if (operands.size() > 4) extra.slots[0] = binder.source(operands[4], U32::kType);
  in.d = binder.destination(pair ? operands[0].elements[0] : operands[0], B32::kType);
  if (pair) extra.slots[1] = binder.predicate_destination(operands[0].elements[1]);
  in.extra = &extra;
  in.width = 4;
  in.joins = operands.size() > 4;
  in.execute = by_members<shuffle<kShuffle>>;
}

// ---- match ----

template <class T, bool kAll>
void match_lanes(Warp& w, const Instruction& in) {
  if (!gathered(w, in, in.b)) return;
  alignas(64) T value[kWarpSize];
  std::copy_n(w.row<T>(in.a), kWarpSize, value);
  u32* d = w.row<u32>(in.d);
  u32 common = 0;
  for_lanes(w.mask, [&](u32 lane) {
    u32 same = 0;
    for_lanes(w.mask, [&](u32 other) { same |= u32{value[other] == value[lane]} << other; });
    common = same;
    if constexpr (!kAll) d[lane] = same;
  });
  if constexpr (kAll) {
    const bool all = common == w.mask;
    write_all(w, in.d, all ? common : 0);
    if (in.e.bits != 0) write_predicate(w, in.e, all ? ~0u : 0);
  }
}

template <bool kAll>
void bind_match(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  const bool pair = operands[0].kind == ptx::Operand::Kind::kPair;
  in.a = binder.source(operands[1], match.type);
  in.b = binder.source(operands[2], U32::kType);
  in.d = binder.destination(pair ? operands[0].elements[0] : operands[0], U32::kType);
  if (pair) in.e = binder.predicate_destination(operands[0].elements[1]);
  in.width = static_cast<u8>(match.type.bytes());
  in.joins = true;
  in.execute =
      match.type.bits == 64 ? by_members<match_lanes<u64, kAll>> : by_members<match_lanes<u32, kAll>>;
}

// ---- redux, activemask, elect ----

template <class T, class F>
void reduce(Warp& w, const Instruction& in) {
  if (!gathered(w, in, in.b)) return;
  const T* a = w.row<T>(in.a);
  T result = a[std::countr_zero(w.mask)];
  for_lanes(w.mask & (w.mask - 1), [&](u32 lane) { result = F{}(result, a[lane]); });
  write_all(w, in.d, std::bit_cast<u32>(result));
}

template <class T, class F>
Row redux(std::string_view syntax, ptx::Type type, F) {
  return {.syntax = syntax,
          .types = {type},
          .types2 = {},
          .bind =
              [](const Row& row, const Match& match, Binder& binder, Instruction& in) {
                const ptx::OperandList& operands = match.instruction->operands;
                in.a = binder.source(operands[1], row.types.front());
                in.b = binder.source(operands[2], U32::kType);
                in.d = binder.destination(operands[0], row.types.front());
                in.width = 4;
                in.joins = true;
                in.execute = by_members<reduce<T, F>>;
              },
          .cost = redux_cost,
          .traits = {.gathers = Gathers::kMembers, .members = Members::kB}};
}

void active_mask(Warp& w, const Instruction& in) { write_all(w, in.d, w.mask); }

void bind_active_mask(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.d = binder.destination(match.instruction->operands[0], B32::kType);
  in.execute = active_mask;
}

void elect(Warp& w, const Instruction& in) {
  if (!gathered(w, in, in.a)) return;
  const u32 leader = static_cast<u32>(std::countr_zero(w.mask));
  write_all(w, in.d, leader);
  if (in.e.bits != 0) write_predicate(w, in.e, 1u << leader);
}

void bind_elect(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  const bool pair = operands[0].kind == ptx::Operand::Kind::kPair;
  in.a = binder.source(operands[1], U32::kType);
  in.d = binder.destination(pair ? operands[0].elements[0] : operands[0], B32::kType);
  if (pair) in.e = binder.predicate_destination(operands[0].elements[1]);
  in.width = 4;
  in.joins = true;
  in.execute = by_members<elect, true>;
}

Row warp_row(std::string_view syntax, Bind bind, CostFunction cost, std::vector<ptx::Type> types = {}) {
  return {.syntax = syntax, .types = std::move(types), .types2 = {}, .bind = bind, .cost = cost};
}

/// With the slot of the member mask.
constexpr Traits members_in(Members slot, Shuffle shuffle = Shuffle::kNone) {
  return {.gathers = Gathers::kMembers, .members = slot, .shuffle = shuffle};
}

template <Shuffle kShuffle>
Row shuffle_row(std::string_view syntax) {
  return warp_row(syntax, bind_shuffle<kShuffle>, kShuffleCost);
}
/// The form with a mask: the lanes that it names wait for each other.
template <Shuffle kShuffle>
Row shuffle_sync_row(std::string_view syntax) {
  return shuffle_row<kShuffle>(syntax).with(members_in(Members::kExtra, kShuffle));
}
template <Vote kVote>
Row vote_sync_row(std::string_view syntax) {
  return warp_row(syntax, bind_vote<kVote>, kVoteCost).with(members_in(Members::kB));
}

template <class T>
struct SmallerOf {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct LargerOf {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

}  // namespace

std::vector<Row> warp_rows() {
  const std::vector<ptx::Type> words = {B32::kType, B64::kType};
  return {
      shuffle_row<Shuffle::kUp>("shfl.up.b32 d, a, b, c"),
      shuffle_row<Shuffle::kDown>("shfl.down.b32 d, a, b, c"),
      shuffle_row<Shuffle::kButterfly>("shfl.bfly.b32 d, a, b, c"),
      shuffle_row<Shuffle::kIndex>("shfl.idx.b32 d, a, b, c"),
      shuffle_sync_row<Shuffle::kUp>("shfl.sync.up.b32 d, a, b, c, membermask"),
      shuffle_sync_row<Shuffle::kDown>("shfl.sync.down.b32 d, a, b, c, membermask"),
      shuffle_sync_row<Shuffle::kButterfly>("shfl.sync.bfly.b32 d, a, b, c, membermask"),
      shuffle_sync_row<Shuffle::kIndex>("shfl.sync.idx.b32 d, a, b, c, membermask"),
      warp_row("vote.all.pred d, a", bind_vote<Vote::kAll>, kVoteCost),
      warp_row("vote.any.pred d, a", bind_vote<Vote::kAny>, kVoteCost),
      warp_row("vote.uni.pred d, a", bind_vote<Vote::kUni>, kVoteCost),
      warp_row("vote.ballot.b32 d, a", bind_vote<Vote::kBallot>, kVoteCost),
      vote_sync_row<Vote::kAll>("vote.sync.all.pred d, a, membermask"),
      vote_sync_row<Vote::kAny>("vote.sync.any.pred d, a, membermask"),
      vote_sync_row<Vote::kUni>("vote.sync.uni.pred d, a, membermask"),
      vote_sync_row<Vote::kBallot>("vote.sync.ballot.b32 d, a, membermask"),
      warp_row("match.any.sync.type d, a, membermask", bind_match<false>, kMatchCost, words)
          .with(members_in(Members::kB)),
      warp_row("match.all.sync.type d, a, membermask", bind_match<true>, kMatchCost, words)
          .with(members_in(Members::kB)),
      warp_row("activemask.b32 d", bind_active_mask, kVoteCost),
      redux<u32>("redux.sync.add.u32 d, a, membermask", U32::kType, [](u32 a, u32 b) { return a + b; }),
      redux<u32>("redux.sync.add.s32 d, a, membermask", S32::kType, [](u32 a, u32 b) { return a + b; }),
      redux<u32>("redux.sync.min.u32 d, a, membermask", U32::kType, SmallerOf<u32>{}),
      redux<s32>("redux.sync.min.s32 d, a, membermask", S32::kType, SmallerOf<s32>{}),
      redux<u32>("redux.sync.max.u32 d, a, membermask", U32::kType, LargerOf<u32>{}),
      redux<s32>("redux.sync.max.s32 d, a, membermask", S32::kType, LargerOf<s32>{}),
      redux<u32>("redux.sync.and.b32 d, a, membermask", B32::kType, [](u32 a, u32 b) { return a & b; }),
      redux<u32>("redux.sync.or.b32 d, a, membermask", B32::kType, [](u32 a, u32 b) { return a | b; }),
      redux<u32>("redux.sync.xor.b32 d, a, membermask", B32::kType, [](u32 a, u32 b) { return a ^ b; }),
      warp_row("elect.sync d, membermask", bind_elect, kVoteCost).with(members_in(Members::kA)),
  };
}

}  // namespace roofline::sim::isa
