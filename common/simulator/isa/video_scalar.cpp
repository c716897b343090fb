// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulator/isa/chapters.h"
#include "simulator/isa/shapes.h"

/// "Scalar Video Instructions": arithmetic on a byte, a half or all of each operand, with a second operation
/// or a merge into c. Emulated in a few instructions since Kepler's successors.
namespace roofline::sim::isa {

namespace {

using Wide = __int128;

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

constexpr int bits_of_part(s64 part) { return part == 0 ? 32 : part <= 4 ? 8 : 16; }
constexpr int shift_of_part(s64 part) {
  return static_cast<int>(part == 0 ? 0 : part <= 4 ? 8 * (part - 1) : 16 * (part - 5));
}

constexpr Wide extract(u32 word, s64 part, bool is_signed) {
  const int bits = bits_of_part(part);
  const s64 field = static_cast<s64>(u64{word} >> shift_of_part(part) & ((u64{1} << bits) - 1));
  return is_signed && (field >> (bits - 1) & 1) != 0 ? field - (s64{1} << bits) : field;
}

constexpr Wide hold(Wide value, s64 part, bool is_signed) {
  const int bits = bits_of_part(part);
  const Wide low = is_signed ? -(Wide{1} << (bits - 1)) : Wide{0}, high = low + (Wide{1} << bits) - 1;
  return std::clamp(value, low, high);
}

/// The second operation, on all 32 bits.
constexpr u32 finish(Wide value, u32 c, const std::vector<s64>& modes) {
  const u32 result = static_cast<u32>(value);
  const bool is_signed = modes[Modes::kSignedD] != 0;
  const bool less = is_signed ? static_cast<s32>(result) < static_cast<s32>(c) : result < c;
  switch (modes[Modes::kSecond]) {
    case Modes::kAdd:
      return result + c;
    case Modes::kMin:
      return less ? result : c;
    case Modes::kMax:
      return less ? c : result;
    case Modes::kMerge: {
      const u32 field = static_cast<u32>((u64{1} << bits_of_part(modes[Modes::kPartD])) - 1)
                        << shift_of_part(modes[Modes::kPartD]);
      return (c & ~field) | (result << shift_of_part(modes[Modes::kPartD]) & field);
    }
    default:
      return result;
  }
}

template <class F>
void execute(Warp& w, const Instruction& in) {
  const std::vector<s64>& modes = in.extra->numbers;
  const auto lane = [&modes](u32 a, u32 b, u32 c) {
    Wide value = F{}(extract(a, modes[Modes::kPartA], modes[Modes::kSignedA] != 0),
                     extract(b, modes[Modes::kPartB], modes[Modes::kSignedB] != 0));
    if (modes[Modes::kSaturates] != 0) value = hold(value, modes[Modes::kPartD], modes[Modes::kSignedD] != 0);
    return finish(value, c, modes);
  };
  each_lane(w.mask, w.row<u32>(in.d), lane, w.row<u32>(in.a), w.row<u32>(in.b), w.row<u32>(in.c));
}

/// vmad: the whole product and c, shifted, and held at 32 bits when asked for.
template <int kShift, bool kPlusOne>
void multiply_add(Warp& w, const Instruction& in) {
  const std::vector<s64>& modes = in.extra->numbers;
  const bool is_signed = modes[Modes::kSignedA] != 0 || modes[Modes::kSignedB] != 0;
  const auto lane = [&modes, is_signed](u32 a, u32 b, u32 c) {
    const Wide product = extract(a, modes[Modes::kPartA], modes[Modes::kSignedA] != 0) *
                         extract(b, modes[Modes::kPartB], modes[Modes::kSignedB] != 0);
    const Wide value = (product + extract(c, 0, is_signed) + (kPlusOne ? 1 : 0)) >> kShift;
    return static_cast<u32>(modes[Modes::kSaturates] != 0 ? hold(value, 0, is_signed) : value);
  };
  each_lane(w.mask, w.row<u32>(in.d), lane, w.row<u32>(in.a), w.row<u32>(in.b), w.row<u32>(in.c));
}

/// The types are the first modifiers: of d, a and b, or of a and b where the result is a truth value.
void bind_modes(const Match& match, Binder& binder, Instruction& in, bool types_d) {
  const ptx::OperandList& operands = match.instruction->operands;
  Extra& extra = binder.extra();
  in.extra = &extra;
  extra.numbers.assign(Modes::kCount, 0);
  const auto is_signed = [&](std::size_t i) { return match.modifiers[i] == "s32" ? 1 : 0; };
  extra.numbers[Modes::kPartD] = operands[0].part;
  extra.numbers[Modes::kPartA] = operands[1].part;
  extra.numbers[Modes::kPartB] = operands[2].part;
  extra.numbers[Modes::kSignedD] = types_d ? is_signed(0) : 0;
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

template <class F, bool kTypesD>
void bind(const Row&, const Match& match, Binder& binder, Instruction& in) {
  bind_modes(match, binder, in, kTypesD);
  in.execute = execute<F>;
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
template <class F>
Row video(std::string_view syntax, F) {
  return row(syntax, bind<F, true>);
}
template <class F>
Row set(std::string_view syntax, F) {
  return row(syntax, bind<F, false>);
}

constexpr auto held_shift = [](Wide b) { return static_cast<int>(b > 32 ? Wide{32} : b); };
constexpr auto wrapped_shift = [](Wide b) { return static_cast<int>(b & 31); };

}  // namespace

std::vector<Row> scalar_video_rows() {
  return {
      video("vadd.{u32,s32}.{u32,s32}.{u32,s32}{.sat}{.add,.min,.max} d, a, b{, c}",
            [](Wide a, Wide b) { return a + b; }),
      video("vsub.{u32,s32}.{u32,s32}.{u32,s32}{.sat}{.add,.min,.max} d, a, b{, c}",
            [](Wide a, Wide b) { return a - b; }),
      video("vabsdiff.{u32,s32}.{u32,s32}.{u32,s32}{.sat}{.add,.min,.max} d, a, b{, c}",
            [](Wide a, Wide b) { return a < b ? b - a : a - b; }),
      video("vmin.{u32,s32}.{u32,s32}.{u32,s32}{.sat}{.add,.min,.max} d, a, b{, c}",
            [](Wide a, Wide b) { return std::min(a, b); }),
      video("vmax.{u32,s32}.{u32,s32}.{u32,s32}{.sat}{.add,.min,.max} d, a, b{, c}",
            [](Wide a, Wide b) { return std::max(a, b); }),
      video("vshl.{u32,s32}.{u32,s32}.u32{.sat}.clamp{.add,.min,.max} d, a, b{, c}",
            [](Wide a, Wide b) { return a * (Wide{1} << held_shift(b)); }),
      video("vshl.{u32,s32}.{u32,s32}.u32{.sat}.wrap{.add,.min,.max} d, a, b{, c}",
            [](Wide a, Wide b) { return a * (Wide{1} << wrapped_shift(b)); }),
      video("vshr.{u32,s32}.{u32,s32}.u32{.sat}.clamp{.add,.min,.max} d, a, b{, c}",
            [](Wide a, Wide b) { return a >> held_shift(b); }),
      video("vshr.{u32,s32}.{u32,s32}.u32{.sat}.wrap{.add,.min,.max} d, a, b{, c}",
            [](Wide a, Wide b) { return a >> wrapped_shift(b); }),
      row("vmad.{u32,s32}.{u32,s32}.{u32,s32}{.po}{.sat}{.shr7,.shr15} d, a, b, c", bind_multiply_add),
      set("vset.{u32,s32}.{u32,s32}.eq{.add,.min,.max} d, a, b{, c}",
          [](Wide a, Wide b) { return Wide{a == b}; }),
      set("vset.{u32,s32}.{u32,s32}.ne{.add,.min,.max} d, a, b{, c}",
          [](Wide a, Wide b) { return Wide{a != b}; }),
      set("vset.{u32,s32}.{u32,s32}.lt{.add,.min,.max} d, a, b{, c}",
          [](Wide a, Wide b) { return Wide{a < b}; }),
      set("vset.{u32,s32}.{u32,s32}.le{.add,.min,.max} d, a, b{, c}",
          [](Wide a, Wide b) { return Wide{a <= b}; }),
      set("vset.{u32,s32}.{u32,s32}.gt{.add,.min,.max} d, a, b{, c}",
          [](Wide a, Wide b) { return Wide{a > b}; }),
      set("vset.{u32,s32}.{u32,s32}.ge{.add,.min,.max} d, a, b{, c}",
          [](Wide a, Wide b) { return Wide{a >= b}; }),
  };
}

}  // namespace roofline::sim::isa
