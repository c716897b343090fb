// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/address.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/shapes.h"
#include "simulator/machine/cluster.h"
#include "simulator/program/address_windows.h"

/// "Data Movement and Conversion Instructions", the part about addresses: prefetch, cache hints, isspacep,
/// cvta.
namespace roofline::sim::isa {

namespace {

void nothing(Warp&, const Instruction&) {}

/// Hints change no result, and the cache model takes no advice.
void bind_hint(const Row&, const Match&, Binder&, Instruction& in) { in.execute = nothing; }

Row hint(std::string_view syntax) {
  return {.syntax = syntax, .types = {}, .types2 = {}, .bind = bind_hint, .cost = memory_cost};
}

/// A cache policy is an opaque handle that only hints take.
void no_policy(Warp& w, const Instruction& in) {
  each_lane(
      w.mask, w.row<u64>(in.d), [](u64) { return u64{0}; }, w.row<u64>(in.d));
}

void bind_policy(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.d = binder.destination(match.instruction->operands[0], U64::kType);
  in.execute = no_policy;
}

Row policy(std::string_view syntax) {
  return {.syntax = syntax, .types = {}, .types2 = {}, .bind = bind_policy, .cost = kNoCost};
}

template <ptx::Space kSpace>
void is_space(Warp& w, const Instruction& in) {
  const u64* a = w.row<u64>(in.a);
  u32 inside = 0;
  for (u32 l = 0; l < kWarpSize; ++l) inside |= (space_of(a[l]) == kSpace ? 1u : 0u) << l;
  u32& d = w.predicate(in.d);
  d = (d & ~w.mask) | (inside & w.mask);
}

template <ptx::Space kSpace>
void bind_is_space(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.a = binder.source(match.instruction->operands[1], U64::kType);
  in.d = binder.predicate_destination(match.instruction->operands[0]);
  in.execute = is_space<kSpace>;
}

template <ptx::Space kSpace>
Row is_space_row(std::string_view syntax) {
  return {.syntax = syntax, .types = {}, .types2 = {}, .bind = bind_is_space<kSpace>, .cost = logic_cost};
}

/// Shared memory of the block itself: a block of a cluster also has the windows of the others.
void is_own_shared(Warp& w, const Instruction& in) {
  const u64* a = w.row<u64>(in.a);
  u32 inside = 0;
  for (u32 l = 0; l < kWarpSize; ++l) {
    const u64 rank = (a[l] - kSharedWindow) >> kClusterRankShift;
    const bool own = rank == 0 || (w.block->cluster != nullptr && rank == w.block->cluster_rank + 1);
    inside |= (space_of(a[l]) == ptx::Space::kShared && own ? 1u : 0u) << l;
  }
  u32& d = w.predicate(in.d);
  d = (d & ~w.mask) | (inside & w.mask);
}

void bind_is_own_shared(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.a = binder.source(match.instruction->operands[1], U64::kType);
  in.d = binder.predicate_destination(match.instruction->operands[0]);
  in.execute = is_own_shared;
}

/// Generic addresses of global, constant and parameter memory are the addresses themselves.
constexpr auto same = [](u64 a) { return a; };

template <bool kSame, class F>
Row address(std::string_view syntax, F convert) {
  return unary<TypeList<U64>>(syntax, convert, kNoCost)
      .with({.copies = kSame ? Copies::kAddress : Copies::kNothing, .typing = Typing::kAddresses});
}

}  // namespace

std::vector<Row> address_rows() {
  return {
      hint("prefetch{.global,.local}.{L1,L2,L2::evict_last,L2::evict_normal} [a]"),
      hint("prefetch{.const,.param}.tensormap [a]"),
      hint("prefetchu.L1 [a]"),
      hint("applypriority{.global}.L2::evict_normal [a], n"),
      hint("discard{.global}.L2 [a], n"),
      policy("createpolicy.fractional.{L2::evict_last,L2::evict_normal,L2::evict_first,L2::evict_unchanged}"
             "{.L2::evict_first,.L2::evict_unchanged}.b64 d{, f}"),
      policy("createpolicy.cvt.L2.b64 d, a"),
      policy(
          "createpolicy.range{.global}.{L2::evict_last,L2::evict_normal,L2::evict_first,L2::evict_unchanged}"
          "{.L2::evict_first,.L2::evict_unchanged}.b64 d, [a], n, m"),
      is_space_row<ptx::Space::kGlobal>("isspacep.global p, a"),
      is_space_row<ptx::Space::kLocal>("isspacep.local p, a"),
      is_space_row<ptx::Space::kShared>("isspacep.shared::cluster p, a"),
      {.syntax = "isspacep.{shared,shared::cta} p, a",
       .types = {},
       .types2 = {},
       .bind = bind_is_own_shared,
       .cost = logic_cost},
      is_space_row<ptx::Space::kParam>("isspacep.{param,param::entry} p, a"),
      is_space_row<ptx::Space::kConst>("isspacep.const p, a"),
      address<true>("cvta.{const,global,param,param::entry}.type d, a", same),
      address<false>("cvta.{shared,shared::cta,shared::cluster}.type d, a",
                     [](u64 a) { return a + kSharedWindow; }),
      address<false>("cvta.local.type d, a", [](u64 a) { return a + kLocalWindow; }),
      address<true>("cvta.to.{const,global,param,param::entry}.type d, a", same),
      address<false>("cvta.to.{shared,shared::cta,shared::cluster}.type d, a",
                     [](u64 a) { return a - kSharedWindow; }),
      address<false>("cvta.to.local.type d, a", [](u64 a) { return a - kLocalWindow; }),
  };
}

}  // namespace roofline::sim::isa
