// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/chapters.h"
#include "simulator/isa/integer_math.h"
#include "simulator/isa/shapes.h"

/// "Logic and Shift Instructions".
namespace roofline::sim::isa {

namespace {

constexpr auto both = [](auto a, auto b) { return a & b; };
constexpr auto either = [](auto a, auto b) { return a | b; };
constexpr auto differ = [](auto a, auto b) { return a ^ b; };

/// Predicates are one word a warp: a bit a lane.
template <class F>
void execute_on_predicates(Warp& w, const Instruction& in) {
  const u32 result = F{}(w.predicate(in.a), w.predicate(in.b));
  u32& d = w.predicate(in.d);
  d = (d & ~w.mask) | (result & w.mask);
}

template <class F>
Row predicates(std::string_view syntax, F) {
  return {.syntax = syntax,
          .types = {Pred::kType},
          .types2 = {},
          .bind =
              [](const Row&, const Match& match, Binder& binder, Instruction& in) {
                const ptx::OperandList& operands = match.instruction->operands;
                in.a = binder.predicate(operands[1]);
                in.b = operands.size() > 2 ? binder.predicate(operands[2]) : in.a;
                in.d = binder.predicate_destination(operands[0]);
                in.execute = &execute_on_predicates<F>;
              },
          .cost = fixed_cost<Pipe::kAlu>};
}

/// The truth table's bit for (a, b, c) is bit (a << 2 | b << 1 | c) of `table`.
void execute_lop3(Warp& w, const Instruction& in) {
  const auto table = static_cast<u32>(in.immediate);
  u32 terms[8];
  for (u32 i = 0; i < 8; ++i) terms[i] = (table >> i & 1u) != 0 ? ~0u : 0u;
  const auto pick = [&terms](u32 a, u32 b, u32 c) {
    const u32 low =
        ~a & ((~b & ((~c & terms[0]) | (c & terms[1]))) | (b & ((~c & terms[2]) | (c & terms[3]))));
    const u32 high =
        a & ((~b & ((~c & terms[4]) | (c & terms[5]))) | (b & ((~c & terms[6]) | (c & terms[7]))));
    return low | high;
  };
  each_lane(w.mask, w.row<u32>(in.d), pick, w.row<u32>(in.a), w.row<u32>(in.b), w.row<u32>(in.c));
}

void bind_lop3(const Row&, const Match& match, Binder& binder, Instruction& in) {
  TernaryShape<B32>::slots(match, binder, in);
  in.immediate = static_cast<s64>(match.instruction->operands[4].bits);
  in.execute = &execute_lop3;
}

/// lop3.or / lop3.and d|p, a, b, c, table, q: p = (d != 0) op q.
template <bool kOr>
void execute_lop3_with_predicate(Warp& w, const Instruction& in) {
  execute_lop3(w, in);
  const u32 set = lanes_where([](u32 d) { return d != 0; }, w.row<u32>(in.d));
  const u32 q = w.predicate(in.e);
  u32& p = w.predicate(in.extra->slots[0]);
  p = (p & ~w.mask) | ((kOr ? set | q : set & q) & w.mask);
}

void bind_lop3_with_predicate(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  const bool pair = operands[0].kind == ptx::Operand::Kind::kPair;
  in.a = binder.source(operands[1], B32::kType);
  in.b = binder.source(operands[2], B32::kType);
  in.c = binder.source(operands[3], B32::kType);
  in.immediate = static_cast<s64>(operands[4].bits);
  in.e = binder.predicate(operands[5]);
  Extra& extra = binder.extra();
  in.d = pair ? binder.destination(operands[0].elements[0], B32::kType) : binder.scratch(4);
  extra.slots = {binder.predicate_destination(pair ? operands[0].elements[1] : operands[0])};
  extra.written = 1;
  in.extra = &extra;
  in.execute = match.has("or") ? &execute_lop3_with_predicate<true> : &execute_lop3_with_predicate<false>;
}

template <bool kClamp>
constexpr u32 funnel(u32 amount) {
  return kClamp ? (amount > 32 ? 32 : amount) : amount & 31u;
}
/// The high (left) or low (right) word of the 64-bit value b:a, shifted.
template <bool kClamp>
constexpr auto funnel_left =
    [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) << funnel<kClamp>(c) >> 32); };
template <bool kClamp>
constexpr auto funnel_right =
    [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) >> funnel<kClamp>(c)); };

/// Amounts beyond the width shift everything out; the manual says "clamped to N".
constexpr auto shift_left = [](auto a, u32 b) {
  using T = decltype(a);
  return b >= static_cast<u32>(bits_of<T>()) ? T{0} : static_cast<T>(wrap(a) << b);
};
constexpr auto shift_right = [](auto a, u32 b) {
  using T = decltype(a);
  constexpr u32 last = static_cast<u32>(bits_of<T>()) - 1;
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (b > last ? last : b));
  else
    return b > last ? T{0} : static_cast<T>(a >> b);
};

using SHIFT_RIGHT_TYPES = TypeList<B16, B32, B64, U16, U32, U64, S16, S32, S64>;

}  // namespace

std::vector<Row> logic_rows() {
  constexpr Traits kShifts = {.typing = Typing::kShifted};
  return {
      binary<BITS>("and.type d, a, b", both).with({.zeros = Zeros::kMore}),
      predicates("and.pred d, a, b", both),
      binary<BITS>("or.type d, a, b", either).with({.zeros = Zeros::kFewer}),
      predicates("or.pred d, a, b", either),
      binary<BITS>("xor.type d, a, b", differ).with({.zeros = Zeros::kFewer}),
      predicates("xor.pred d, a, b", differ),
      unary<BITS>("not.type d, a", [](auto a) { return ~wrap(a); }),
      predicates("not.pred d, a", [](u32 a, u32) { return ~a; }),
      unary<BITS>("cnot.type d, a", [](auto a) { return a == 0 ? 1u : 0u; }),
      {.syntax = "lop3.b32 d, a, b, c, table",
       .types = {B32::kType},
       .types2 = {},
       .bind = bind_lop3,
       .cost = fixed_cost<Pipe::kAlu>},
      {.syntax = "lop3.{or,and}.b32 d, a, b, c, table, q",
       .types = {B32::kType},
       .types2 = {},
       .bind = bind_lop3_with_predicate,
       .cost = fixed_cost<Pipe::kAlu>},
      ternary<TypeList<B32>>("shf.l.clamp.b32 d, a, b, c", funnel_left<true>),
      ternary<TypeList<B32>>("shf.l.wrap.b32 d, a, b, c", funnel_left<false>),
      ternary<TypeList<B32>>("shf.r.clamp.b32 d, a, b, c", funnel_right<true>),
      ternary<TypeList<B32>>("shf.r.wrap.b32 d, a, b, c", funnel_right<false>),
      shift<BITS>("shl.type d, a, b", shift_left)
          .with({.zeros = Zeros::kShifted, .typing = Typing::kShifted}),
      shift<SHIFT_RIGHT_TYPES>("shr.type d, a, b", shift_right).with(kShifts),
  };
}

}  // namespace roofline::sim::isa
