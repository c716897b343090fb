// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "simulator/isa/chapters.h"
#include "simulator/isa/shapes.h"

/// "Video Instructions": the SIMD ones on four bytes or two halves of a word, which nvcc makes of __vsadu4
/// and its kin. Without byte selection and write masks, which it never emits.
namespace roofline::sim::isa {

namespace {

// Instruction::flags.
constexpr u8 kSignedD = 1, kSignedA = 2, kSignedB = 4, kClamp = 8, kSum = 16;

/// Field i of a word, kBits wide.
template <int kBits>
constexpr s32 field(u32 word, int i, bool is_signed) {
  const u32 bits = word >> (kBits * i) & ((1u << kBits) - 1u), sign = is_signed ? 1u << (kBits - 1) : 0u;
  return static_cast<s32>((bits ^ sign) - sign);
}

template <int kBits>
constexpr s32 clamped(s32 value, bool is_signed) {
  const s32 low = is_signed ? -(1 << (kBits - 1)) : 0, high = low + (1 << kBits) - 1;
  return std::clamp(value, low, high);
}

/// F on every field; with .add, the sum of the fields and c.
template <class F, int kBits>
void execute(Warp& w, const Instruction& in) {
  const bool d_signed = (in.flags & kSignedD) != 0, a_signed = (in.flags & kSignedA) != 0;
  const bool b_signed = (in.flags & kSignedB) != 0, clamp = (in.flags & kClamp) != 0,
             sum = (in.flags & kSum) != 0;
  const auto lane = [=](u32 a, u32 b, u32 c) {
    u32 packed = 0, total = c;
    for (int i = 0; i < 32 / kBits; ++i) {
      s32 value = F{}(field<kBits>(a, i, a_signed), field<kBits>(b, i, b_signed));
      if (clamp) value = clamped<kBits>(value, d_signed);
      packed |= (static_cast<u32>(value) & ((1u << kBits) - 1u)) << (kBits * i);
      total += static_cast<u32>(value);
    }
    return sum ? total : packed;
  };
  each_lane(w.mask, w.row<u32>(in.d), lane, w.row<u32>(in.a), w.row<u32>(in.b), w.row<u32>(in.c));
}

template <class F, int kBits>
void bind(const Row&, const Match& match, Binder& binder, Instruction& in) {
  TernaryShape<B32>::slots(match, binder, in);
  // The first three modifiers are the types of d, a and b.
  for (std::size_t i = 0; i < 3; ++i)
    if (match.modifiers[i] == "s32") in.flags = static_cast<u8>(in.flags | 1u << i);
  if (match.has("sat")) in.flags |= kClamp;
  if (match.has("add")) in.flags |= kSum;
  in.execute = &execute<F, kBits>;
}

/// Emulated in a handful of instructions since Maxwell; only vabsdiff4 with .add has one of its own.
template <int kBits, class F>
Row video(std::string_view syntax, F) {
  return {.syntax = syntax,
          .types = {B32::kType},
          .types2 = {},
          .bind = bind<F, kBits>,
          .cost = fixed_cost<Pipe::kAlu, 4>};
}

/// vset: 1 where the comparison holds. The types are those of a and b alone.
template <class F, int kBits>
void bind_set(const Row&, const Match& match, Binder& binder, Instruction& in) {
  TernaryShape<B32>::slots(match, binder, in);
  if (match.modifiers[0] == "s32") in.flags |= kSignedA;
  if (match.modifiers[1] == "s32") in.flags |= kSignedB;
  if (match.has("add")) in.flags |= kSum;
  in.execute = &execute<F, kBits>;
}

template <int kBits, class F>
Row video_set(std::string_view syntax, F) {
  return {.syntax = syntax,
          .types = {B32::kType},
          .types2 = {},
          .bind = bind_set<F, kBits>,
          .cost = fixed_cost<Pipe::kAlu, 4>};
}

constexpr auto equal = [](s32 a, s32 b) { return s32{a == b}; };
constexpr auto unequal = [](s32 a, s32 b) { return s32{a != b}; };
constexpr auto less = [](s32 a, s32 b) { return s32{a < b}; };
constexpr auto at_most = [](s32 a, s32 b) { return s32{a <= b}; };
constexpr auto greater = [](s32 a, s32 b) { return s32{a > b}; };
constexpr auto at_least = [](s32 a, s32 b) { return s32{a >= b}; };
constexpr auto sum = [](s32 a, s32 b) { return a + b; };
constexpr auto difference = [](s32 a, s32 b) { return a - b; };
constexpr auto distance = [](s32 a, s32 b) { return std::abs(a - b); };
constexpr auto smaller = [](s32 a, s32 b) { return std::min(a, b); };
constexpr auto larger = [](s32 a, s32 b) { return std::max(a, b); };
/// Rounded away from minus infinity at the half.
constexpr auto average = [](s32 a, s32 b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; };

}  // namespace

std::vector<Row> video_rows() {
  return {
      video<16>("vadd2.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", sum),
      video<16>("vsub2.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", difference),
      video<16>("vavrg2.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", average),
      video<16>("vabsdiff2.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", distance),
      video<16>("vmin2.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", smaller),
      video<16>("vmax2.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", larger),
      video<8>("vadd4.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", sum),
      video<8>("vsub4.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", difference),
      video<8>("vavrg4.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", average),
      video<8>("vabsdiff4.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", distance),
      video<8>("vmin4.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", smaller),
      video<8>("vmax4.{u32,s32}.{u32,s32}.{u32,s32}{.sat,.add} d, a, b, c", larger),
      video_set<16>("vset2.{u32,s32}.{u32,s32}.eq{.add} d, a, b, c", equal),
      video_set<16>("vset2.{u32,s32}.{u32,s32}.ne{.add} d, a, b, c", unequal),
      video_set<16>("vset2.{u32,s32}.{u32,s32}.lt{.add} d, a, b, c", less),
      video_set<16>("vset2.{u32,s32}.{u32,s32}.le{.add} d, a, b, c", at_most),
      video_set<16>("vset2.{u32,s32}.{u32,s32}.gt{.add} d, a, b, c", greater),
      video_set<16>("vset2.{u32,s32}.{u32,s32}.ge{.add} d, a, b, c", at_least),
      video_set<8>("vset4.{u32,s32}.{u32,s32}.eq{.add} d, a, b, c", equal),
      video_set<8>("vset4.{u32,s32}.{u32,s32}.ne{.add} d, a, b, c", unequal),
      video_set<8>("vset4.{u32,s32}.{u32,s32}.lt{.add} d, a, b, c", less),
      video_set<8>("vset4.{u32,s32}.{u32,s32}.le{.add} d, a, b, c", at_most),
      video_set<8>("vset4.{u32,s32}.{u32,s32}.gt{.add} d, a, b, c", greater),
      video_set<8>("vset4.{u32,s32}.{u32,s32}.ge{.add} d, a, b, c", at_least),
  };
}

}  // namespace roofline::sim::isa
