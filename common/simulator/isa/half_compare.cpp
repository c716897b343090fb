// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/chapters.h"
#include "simulator/isa/half_shapes.h"

/// "Half Precision Comparison Instructions": what compare.cpp does not have, results in halves and packed
/// sources.
namespace roofline::sim::isa {

namespace {

/// How two numbers stand to each other; a comparison is the set of relations for which it holds.
enum Relation : u8 { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

struct Comparison {
  std::string_view name;
  unsigned holds;
};
constexpr Comparison kComparisons[] = {
    {"eq", kEqual},
    {"ne", kLess | kGreater},
    {"lt", kLess},
    {"le", kLess | kEqual},
    {"gt", kGreater},
    {"ge", kGreater | kEqual},
    {"equ", kEqual | kUnordered},
    {"neu", kLess | kGreater | kUnordered},
    {"ltu", kLess | kUnordered},
    {"leu", kLess | kEqual | kUnordered},
    {"gtu", kGreater | kUnordered},
    {"geu", kGreater | kEqual | kUnordered},
    {"num", kLess | kEqual | kGreater},
    {"nan", kUnordered},
};

// Instruction::flags: the relations in the low four bits, then how the predicate c takes part, then .ftz.
constexpr u8 kAnd = 16, kOr = 32, kXor = 64, kFlush = 128;

/// The lanes whose element k (of kCount) compares as asked.
template <class Element, int kCount>
u32 compare(const Warp& w, const Instruction& in, int k) {
  const Element* a = w.row<Element>(in.a);
  const Element* b = w.row<Element>(in.b);
  alignas(32) u8 flags[kWarpSize];
  const bool flush = (in.flags & kFlush) != 0;
  for (int i = 0; i < kWarpSize; ++i) {
    const f32 wide_x = widen(a[i * kCount + k]), wide_y = widen(b[i * kCount + k]);
    const f32 x = flush ? flush_half(wide_x) : wide_x, y = flush ? flush_half(wide_y) : wide_y;
    const int relation = x < y ? kLess : x > y ? kGreater : x == y ? kEqual : kUnordered;
    flags[i] = (in.flags & relation) != 0 ? 1 : 0;
  }
  u32 set = collect_flags(flags);
  if ((in.flags & kAnd) != 0) set &= w.predicate(in.c);
  if ((in.flags & kOr) != 0) set |= w.predicate(in.c);
  if ((in.flags & kXor) != 0) set ^= w.predicate(in.c);
  return set;
}

/// Every half of the destination is `immediate` or zero.
template <class Element, int kCount>
void execute_set(Warp& w, const Instruction& in) {
  alignas(64) u16 results[kWarpSize * kCount];
  for (int k = 0; k < kCount; ++k) {
    const u32 set = compare<Element, kCount>(w, in, k);
    for (int i = 0; i < kWarpSize; ++i)
      results[i * kCount + k] = (set >> i & 1u) != 0 ? static_cast<u16>(in.immediate) : u16{0};
  }
  merge_rows(w.row<u16>(in.d), results, w.mask, sizeof(u16) * kCount);
}

/// p is about the low halves, q about the high ones.
template <class Element>
void execute_setp(Warp& w, const Instruction& in) {
  const auto write = [&w](Slot slot, u32 value) {
    u32& p = w.predicate(slot);
    p = (p & ~w.mask) | (value & w.mask);
  };
  const u32 low = compare<Element, 2>(w, in, 0), high = compare<Element, 2>(w, in, 1);
  write(in.d, low);
  write(in.e, high);
}

void bind_comparison(const Match& match, Binder& binder, Instruction& in, ptx::Type type) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.a = binder.source(operands[1], type);
  in.b = binder.source(operands[2], type);
  for (const Comparison& comparison : kComparisons)
    if (comparison.name == match.modifiers.front()) in.flags = static_cast<u8>(comparison.holds);
  if (match.has("and")) in.flags |= kAnd;
  if (match.has("or")) in.flags |= kOr;
  if (match.has("xor")) in.flags |= kXor;
  if (match.has("ftz")) in.flags |= kFlush;
  if (operands.size() > 3) in.c = binder.predicate(operands[3]);
}

void bind_set(const Row&, const Match& match, Binder& binder, Instruction& in) {
  using Kind = ptx::Type::Kind;
  bind_comparison(match, binder, in, match.type2);
  in.d = binder.destination(match.instruction->operands[0], match.type);
  in.immediate = match.type.kind == Kind::kFloat    ? 0x3c00
                 : match.type.kind == Kind::kBFloat ? 0x3f80
                                                    : 0xffff;
  const bool pair = match.type2.lanes == 2;
  if (match.type2.kind == Kind::kFloat)
    in.execute = pair ? &execute_set<Half, 2> : &execute_set<Half, 1>;
  else
    in.execute = pair ? &execute_set<BFloat, 2> : &execute_set<BFloat, 1>;
}

void bind_setp(const Row&, const Match& match, Binder& binder, Instruction& in) {
  bind_comparison(match, binder, in, match.type);
  const ptx::Operand& p = match.instruction->operands[0];
  const bool pair = p.kind == ptx::Operand::Kind::kPair;
  in.d = binder.predicate_destination(pair ? p.elements[0] : p);
  in.e = pair ? binder.predicate_destination(p.elements[1]) : binder.scratch(4);
  in.execute = match.type.kind == ptx::Type::Kind::kFloat ? &execute_setp<Half> : &execute_setp<BFloat>;
}

template <class D, class S>
Row set(std::string_view syntax) {
  return {.syntax = syntax,
          .types = D::all(),
          .types2 = S::all(),
          .bind = bind_set,
          .cost = fixed_cost<Pipe::kHalf>};
}
template <class T>
Row setp(std::string_view syntax) {
  return {.syntax = syntax,
          .types = {T::kType},
          .types2 = {},
          .bind = bind_setp,
          .cost = fixed_cost<Pipe::kHalf>};
}

}  // namespace

std::vector<Row> half_compare_rows() {
  return {
      set<TypeList<U16, S16, F16>, TypeList<F16>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{.ftz}.dtype.stype d, a, b"),
      set<TypeList<U32, S32, F16X2>, TypeList<F16X2>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{.ftz}.dtype.stype d, a, b"),
      set<TypeList<U16, S16, BF16>, TypeList<BF16>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.dtype.stype d, a, b"),
      set<TypeList<U32, S32, BF16X2>, TypeList<BF16X2>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.dtype.stype d, a, b"),
      set<TypeList<U16, S16, F16>, TypeList<F16>>("set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{"
                                                  "and,or,xor}{.ftz}.dtype.stype d, a, b, c"),
      set<TypeList<U32, S32, F16X2>, TypeList<F16X2>>("set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,"
                                                      "nan}.{and,or,xor}{.ftz}.dtype.stype d, a, b, c"),
      set<TypeList<U16, S16, BF16>, TypeList<BF16>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}.dtype.stype d, a, b, c"),
      set<TypeList<U32, S32, BF16X2>, TypeList<BF16X2>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}.dtype.stype d, a, b, c"),
      setp<F16X2>("setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{.ftz}.f16x2 p, a, b"),
      setp<BF16X2>("setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.bf16x2 p, a, b"),
      setp<F16X2>(
          "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}{.ftz}.f16x2 p, a, b, c"),
      setp<BF16X2>("setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}.bf16x2 p, a, b, c"),
  };
}

}  // namespace roofline::sim::isa
