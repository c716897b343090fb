// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "simulator/isa/chapters.h"
#include "simulator/isa/shapes.h"

/// "Scalar Video Instructions": arithmetic on a byte, a half or all of each operand, with a second operation
/// or a merge into c. Today's chips lack them: ptxas writes sequences, which mean the same on sm_75 to
/// sm_100, and what these do is what counts here. Read from the machine code of ptxas 13.0.88 (an H200 agrees
/// where it was asked), they depart from the manual, which computes exactly, saturates to d's type and size,
/// and then does the second operation on 32 bits of that type:
/// - .sat to u32 of sums, differences and distances turns negative values into 0, but wraps above 32 bits.
/// - .sat of a shift looks at the low 34 bits of the value; where d is a part, it still holds at 32 bits.
/// - .sat of all others to a part of d turns a negative value into the part's highest.
/// - .min and .max compare 64 bits, as d's type says, with c. Sums, differences and saturated shifts are
///   extended by their bit 31 before (a u32 from 2^31 is above every c); all others are not cut to 32 bits.
/// - vset compares with c as a's type says; in the manual, 0 and 1 are u32.
/// - A merge into .h1 takes the result's upper half.
/// - vmad takes 32-bit operands as signed, c always; the sum is shifted as u64 where a and b are u32.
namespace roofline::sim::isa {

namespace {

/// What the operands and modifiers say, in Extra::numbers.
struct Modes {
  enum Place : std::size_t {
    kPartD,
    kPartA,
    kPartB,
    kSignedD,
    kSignedA,
    kSignedB,
    kSaturates,
    kSecond,
    kCount
  };
  enum Second : s64 { kNone, kAdd, kMin, kMax, kMerge };
};

/// What ptxas makes of a result depends on who computed it: vadd and vsub, vshl and vshr, or the others.
enum class Kind { kSum, kShift, kOther };

constexpr s64 kHighHalf = 6;  // .h1
constexpr int bits_of_part(s64 part) { return part == 0 ? 32 : part <= 4 ? 8 : 16; }
constexpr int shift_of_part(s64 part) {
  return static_cast<int>(part == 0 ? 0 : part <= 4 ? 8 * (part - 1) : 16 * (part - 5));
}

/// The low bits of a value, signed.
constexpr s64 low_bits(s64 value, int bits) {
  return static_cast<s64>(static_cast<u64>(value) << (64 - bits)) >> (64 - bits);
}

constexpr s64 extract(u32 word, s64 part, bool is_signed) {
  const int bits = bits_of_part(part);
  const s64 field = static_cast<s64>(u64{word} >> shift_of_part(part) & ((u64{1} << bits) - 1));
  return is_signed ? low_bits(field, bits) : field;
}

constexpr s64 highest(s64 part, bool is_signed) {
  return (s64{1} << (bits_of_part(part) - (is_signed ? 1 : 0))) - 1;
}

constexpr s64 hold_word(s64 value, bool is_signed) {
  return std::clamp(value, is_signed ? s64{std::numeric_limits<s32>::min()} : 0, highest(0, is_signed));
}

template <Kind kKind>
constexpr s64 saturate(s64 value, s64 part, bool is_signed) {
  if (kKind == Kind::kShift) return hold_word(low_bits(value, 34), is_signed);
  const s64 high = highest(part, is_signed);
  if (part != 0) return value < 0 ? high : std::min(value, high);
  return is_signed ? hold_word(value, true) : std::max(value, s64{0});
}

/// The second operation or the merge.
template <Kind kKind>
constexpr u32 finish(s64 value, u32 c, const std::vector<s64>& modes) {
  const u32 result = static_cast<u32>(value);
  const auto less = [&] {
    if (kKind == Kind::kSum || (kKind == Kind::kShift && modes[Modes::kSaturates] != 0))
      value = low_bits(value, 32);
    return modes[Modes::kSignedD] != 0 ? value < static_cast<s32>(c) : static_cast<u64>(value) < c;
  };
  switch (modes[Modes::kSecond]) {
    case Modes::kAdd:
      return result + c;
    case Modes::kMin:
      return less() ? result : c;
    case Modes::kMax:
      return less() ? c : result;
    case Modes::kMerge: {
      const s64 part = modes[Modes::kPartD];
      const u32 field = static_cast<u32>((u64{1} << bits_of_part(part)) - 1) << shift_of_part(part);
      return (c & ~field) | (part == kHighHalf ? result & field : result << shift_of_part(part) & field);
    }
    default:
      return result;
  }
}

template <Kind kKind, class F>
void execute(Warp& w, const Instruction& in) {
  const std::vector<s64>& modes = in.extra->numbers;
  const auto lane = [&modes](u32 a, u32 b, u32 c) {
    s64 value = F{}(extract(a, modes[Modes::kPartA], modes[Modes::kSignedA] != 0),
                    extract(b, modes[Modes::kPartB], modes[Modes::kSignedB] != 0));
    if (modes[Modes::kSaturates] != 0)
      value = saturate<kKind>(value, modes[Modes::kPartD], modes[Modes::kSignedD] != 0);
    return finish<kKind>(value, c, modes);
  };
  each_lane(w.mask, w.row<u32>(in.d), lane, w.row<u32>(in.a), w.row<u32>(in.b), w.row<u32>(in.c));
}

/// vmad: the whole product and c, shifted, and held at 32 bits when asked for.
template <int kShift, bool kPlusOne>
void multiply_add(Warp& w, const Instruction& in) {
  const std::vector<s64>& modes = in.extra->numbers;
  const bool is_signed = modes[Modes::kSignedA] != 0 || modes[Modes::kSignedB] != 0;
  const auto lane = [&modes, is_signed](u32 a, u32 b, u32 c) {
    const s64 product = low_bits(extract(a, modes[Modes::kPartA], modes[Modes::kSignedA] != 0), 32) *
                        low_bits(extract(b, modes[Modes::kPartB], modes[Modes::kSignedB] != 0), 32);
    const s64 sum = product + static_cast<s32>(c) + (kPlusOne ? 1 : 0);
    const s64 value = is_signed ? sum >> kShift : static_cast<s64>(static_cast<u64>(sum) >> kShift);
    return static_cast<u32>(modes[Modes::kSaturates] != 0 ? hold_word(value, is_signed) : value);
  };
  each_lane(w.mask, w.row<u32>(in.d), lane, w.row<u32>(in.a), w.row<u32>(in.b), w.row<u32>(in.c));
}

/// The types are the first modifiers: of d, a and b; or of a and b where the result is a truth value, with
/// the first for d, too.
void bind_modes(const Match& match, Binder& binder, Instruction& in, bool types_d) {
  const ptx::OperandList& operands = match.instruction->operands;
  Extra& extra = binder.extra();
  in.extra = &extra;
  extra.numbers.assign(Modes::kCount, 0);
  const auto is_signed = [&](std::size_t i) { return match.modifiers[i] == "s32" ? 1 : 0; };
  extra.numbers[Modes::kPartD] = operands[0].part;
  extra.numbers[Modes::kPartA] = operands[1].part;
  extra.numbers[Modes::kPartB] = operands[2].part;
  extra.numbers[Modes::kSignedD] = is_signed(0);
  extra.numbers[Modes::kSignedA] = is_signed(types_d ? 1 : 0);
  extra.numbers[Modes::kSignedB] = is_signed(types_d ? 2 : 1);
  extra.numbers[Modes::kSaturates] = match.has("sat") ? 1 : 0;
  if (operands.size() > 3)
    extra.numbers[Modes::kSecond] = match.has("add")   ? Modes::kAdd
                                    : match.has("min") ? Modes::kMin
                                    : match.has("max") ? Modes::kMax
                                                       : Modes::kMerge;
  in.a = binder.source(operands[1], B32::kType);
  in.b = binder.source(operands[2], B32::kType);
  in.c = operands.size() > 3 ? binder.source(operands[3], B32::kType) : in.a;
  in.d = binder.destination(operands[0], B32::kType);
}

template <class F, Kind kKind, bool kTypesD>
void bind(const Row&, const Match& match, Binder& binder, Instruction& in) {
  bind_modes(match, binder, in, kTypesD);
  in.execute = execute<kKind, F>;
}

void bind_multiply_add(const Row&, const Match& match, Binder& binder, Instruction& in) {
  bind_modes(match, binder, in, true);
  const bool plus_one = match.has("po");
  if (match.has("shr7"))
    in.execute = plus_one ? multiply_add<7, true> : multiply_add<7, false>;
  else if (match.has("shr15"))
    in.execute = plus_one ? multiply_add<15, true> : multiply_add<15, false>;
  else
    in.execute = plus_one ? multiply_add<0, true> : multiply_add<0, false>;
}

Row row(std::string_view syntax, Bind bound) {
  return {.syntax = syntax,
          .types = {B32::kType},
          .types2 = {},
          .bind = bound,
          .cost = fixed_cost<Pipe::kAlu, 4>,
          .traits = {.takes_parts = true}};
}
template <Kind kKind, class F>
Row video(std::string_view syntax, F) {
  return row(syntax, bind<F, kKind, true>);
}
template <class F>
Row set(std::string_view syntax, F) {
  return row(syntax, bind<F, Kind::kOther, false>);
}

constexpr auto shift_left = [](s64 a, s64 by) { return static_cast<s64>(static_cast<u64>(a) << by); };
constexpr auto held_shift = [](s64 b) { return std::min(b, s64{32}); };
constexpr auto wrapped_shift = [](s64 b) { return b & 31; };

}  // namespace

std::vector<Row> scalar_video_rows() {
  return {
      video<Kind::kSum>("vadd.{u32,s32}.{u32,s32}.{u32,s32}{.sat}{.add,.min,.max} d, a, b{, c}",
                        [](s64 a, s64 b) { return a + b; }),
      video<Kind::kSum>("vsub.{u32,s32}.{u32,s32}.{u32,s32}{.sat}{.add,.min,.max} d, a, b{, c}",
                        [](s64 a, s64 b) { return a - b; }),
      video<Kind::kOther>("vabsdiff.{u32,s32}.{u32,s32}.{u32,s32}{.sat}{.add,.min,.max} d, a, b{, c}",
                          [](s64 a, s64 b) { return a < b ? b - a : a - b; }),
      video<Kind::kOther>("vmin.{u32,s32}.{u32,s32}.{u32,s32}{.sat}{.add,.min,.max} d, a, b{, c}",
                          [](s64 a, s64 b) { return std::min(a, b); }),
      video<Kind::kOther>("vmax.{u32,s32}.{u32,s32}.{u32,s32}{.sat}{.add,.min,.max} d, a, b{, c}",
                          [](s64 a, s64 b) { return std::max(a, b); }),
      video<Kind::kShift>("vshl.{u32,s32}.{u32,s32}.u32{.sat}.clamp{.add,.min,.max} d, a, b{, c}",
                          [](s64 a, s64 b) { return shift_left(a, held_shift(b)); }),
      video<Kind::kShift>("vshl.{u32,s32}.{u32,s32}.u32{.sat}.wrap{.add,.min,.max} d, a, b{, c}",
                          [](s64 a, s64 b) { return shift_left(a, wrapped_shift(b)); }),
      video<Kind::kShift>("vshr.{u32,s32}.{u32,s32}.u32{.sat}.clamp{.add,.min,.max} d, a, b{, c}",
                          [](s64 a, s64 b) { return a >> held_shift(b); }),
      video<Kind::kShift>("vshr.{u32,s32}.{u32,s32}.u32{.sat}.wrap{.add,.min,.max} d, a, b{, c}",
                          [](s64 a, s64 b) { return a >> wrapped_shift(b); }),
      row("vmad.{u32,s32}.{u32,s32}.{u32,s32}{.po}{.sat}{.shr7,.shr15} d, a, b, c", bind_multiply_add),
      set("vset.{u32,s32}.{u32,s32}.eq{.add,.min,.max} d, a, b{, c}",
          [](s64 a, s64 b) { return s64{a == b}; }),
      set("vset.{u32,s32}.{u32,s32}.ne{.add,.min,.max} d, a, b{, c}",
          [](s64 a, s64 b) { return s64{a != b}; }),
      set("vset.{u32,s32}.{u32,s32}.lt{.add,.min,.max} d, a, b{, c}",
          [](s64 a, s64 b) { return s64{a < b}; }),
      set("vset.{u32,s32}.{u32,s32}.le{.add,.min,.max} d, a, b{, c}",
          [](s64 a, s64 b) { return s64{a <= b}; }),
      set("vset.{u32,s32}.{u32,s32}.gt{.add,.min,.max} d, a, b{, c}",
          [](s64 a, s64 b) { return s64{a > b}; }),
      set("vset.{u32,s32}.{u32,s32}.ge{.add,.min,.max} d, a, b{, c}",
          [](s64 a, s64 b) { return s64{a >= b}; }),
  };
}

}  // namespace roofline::sim::isa
