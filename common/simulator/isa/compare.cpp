// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/chapters.h"
#include "simulator/isa/half_math.h"
#include "simulator/isa/integer_math.h"
#include "simulator/isa/shapes.h"

/// "Comparison and Selection Instructions".
namespace roofline::sim::isa {

namespace {

/// One lane's operand as what it is compared as.
template <bool kFlush, class T>
auto comparable(T a) {
  if constexpr (std::is_same_v<T, Half>) {
    const f32 wide = widen(a);
    return kFlush && magnitude(wide) < 0x1p-14f ? wide * 0.0f : wide;
  } else if constexpr (std::is_same_v<T, BFloat>) {
    return widen(a);
  } else if constexpr (kFlush && std::is_same_v<T, f32>) {
    return flush(a);
  } else {
    return a;
  }
}

template <class T, class F, bool kFlush>
u32 compare(const Warp& w, const Instruction& in) {
  return lanes_where([](T a, T b) { return F{}(comparable<kFlush>(a), comparable<kFlush>(b)); },
                     w.row<T>(in.a), w.row<T>(in.b));
}
using Compare = u32 (*)(const Warp&, const Instruction&);

enum class Combine : u8 { kNone, kAnd, kOr, kXor };

u32 combined(const Warp& w, const Instruction& in, u32 set) {
  switch (static_cast<Combine>(in.flags & 3u)) {
    case Combine::kAnd:
      return set & w.predicate(in.c);
    case Combine::kOr:
      return set | w.predicate(in.c);
    case Combine::kXor:
      return set ^ w.predicate(in.c);
    default:
      return set;
  }
}

constexpr u8 kSecond = 4;  ///< flag: "p|q"

void write(u32& predicate, u32 value, u32 mask) { predicate = (predicate & ~mask) | (value & mask); }

template <Compare kCompare>
void execute_setp(Warp& w, const Instruction& in) {
  const u32 set = kCompare(w, in);
  const u32 p = combined(w, in, set), q = (in.flags & kSecond) != 0 ? combined(w, in, ~set) : 0;
  write(w.predicate(in.d), p, w.mask);
  if ((in.flags & kSecond) != 0) write(w.predicate(in.e), q, w.mask);
}

/// set: all ones (or 1.0, in `immediate`) where the comparison holds. Rare: the comparison is called, not
/// inlined.
void execute_set(Warp& w, const Instruction& in) {
  const auto call = reinterpret_cast<Compare>(reinterpret_cast<std::uintptr_t>(in.extra->pointer));
  const u32 set = combined(w, in, call(w, in)), value = static_cast<u32>(in.immediate);
  alignas(64) u32 results[kWarpSize];
  for (u32 i = 0; i < kWarpSize; ++i) results[i] = (set >> i & 1u) != 0 ? value : 0;
  merge_rows(w.row<u32>(in.d), results, w.mask, sizeof(u32));
}

struct Chosen {
  Execute setp;
  Compare compare;
};

template <class T, bool kFlush, class F>
Chosen choice(F) {
  return {&execute_setp<&compare<T, F, kFlush>>, &compare<T, F, kFlush>};
}

constexpr auto equal = [](auto a, auto b) { return a == b; };
constexpr auto unequal = [](auto a, auto b) { return a != b; };
constexpr auto less = [](auto a, auto b) { return a < b; };
constexpr auto less_equal = [](auto a, auto b) { return a <= b; };
constexpr auto greater = [](auto a, auto b) { return a > b; };
constexpr auto greater_equal = [](auto a, auto b) { return a >= b; };
constexpr auto apart = [](auto a, auto b) { return a < b || a > b; };
constexpr auto not_apart = [](auto a, auto b) { return !(a < b || a > b); };
constexpr auto not_less = [](auto a, auto b) { return !(a < b); };
constexpr auto not_less_equal = [](auto a, auto b) { return !(a <= b); };
constexpr auto not_greater = [](auto a, auto b) { return !(a > b); };
constexpr auto not_greater_equal = [](auto a, auto b) { return !(a >= b); };
constexpr auto ordered = [](auto a, auto b) { return a == a && b == b; };
constexpr auto unordered = [](auto a, auto b) { return a != a || b != b; };

template <class T, bool kFlush>
Chosen choose_integer(std::string_view op) {
  if (op == "eq") return choice<T, kFlush>(equal);
  if (op == "ne") return choice<T, kFlush>(unequal);
  if (op == "lt" || op == "lo") return choice<T, kFlush>(less);
  if (op == "le" || op == "ls") return choice<T, kFlush>(less_equal);
  if (op == "gt" || op == "hi") return choice<T, kFlush>(greater);
  return choice<T, kFlush>(greater_equal);
}

/// The comparisons that end in u hold for NaN; eq and ne do not.
template <class T, bool kFlush>
Chosen choose_float(std::string_view op) {
  if (op == "ne") return choice<T, kFlush>(apart);
  if (op == "equ") return choice<T, kFlush>(not_apart);
  if (op == "neu") return choice<T, kFlush>(unequal);
  if (op == "ltu") return choice<T, kFlush>(not_greater_equal);
  if (op == "leu") return choice<T, kFlush>(not_greater);
  if (op == "gtu") return choice<T, kFlush>(not_less_equal);
  if (op == "geu") return choice<T, kFlush>(not_less);
  if (op == "num") return choice<T, kFlush>(ordered);
  if (op == "nan") return choice<T, kFlush>(unordered);
  return choose_integer<T, kFlush>(op);
}

/// The comparison is the first modifier of every spelling.
template <class T>
Chosen choose(const Match& match) {
  const std::string_view op = match.modifiers.front();
  if constexpr (std::is_same_v<T, f32> || std::is_same_v<T, Half>) {
    return match.has("ftz") ? choose_float<T, true>(op) : choose_float<T, false>(op);
  } else if constexpr (std::is_same_v<T, f64> || std::is_same_v<T, BFloat>) {
    return choose_float<T, false>(op);
  } else {
    return choose_integer<T, false>(op);
  }
}

void bind_combine(const Match& match, Binder& binder, Instruction& in) {
  const Combine combine = match.has("and")   ? Combine::kAnd
                          : match.has("or")  ? Combine::kOr
                          : match.has("xor") ? Combine::kXor
                                             : Combine::kNone;
  in.flags = static_cast<u8>(combine);
  if (combine != Combine::kNone) in.c = binder.predicate(match.instruction->operands[3]);
}

template <class L>
void bind_setp(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  L::select(match.type, [&]<class T>() {
    in.a = binder.source(operands[1], T::kType);
    in.b = binder.source(operands[2], T::kType);
    in.execute = choose<typename T::Lane>(match).setp;
  });
  bind_combine(match, binder, in);
  if (operands[0].kind == ptx::Operand::Kind::kPair) {
    in.flags |= kSecond;
    in.d = binder.predicate_destination(operands[0].elements[0]);
    in.e = binder.predicate_destination(operands[0].elements[1]);
  } else {
    in.d = binder.predicate_destination(operands[0]);
  }
}

template <class L>
void bind_set(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  Extra& extra = binder.extra();
  L::select(match.type2, [&]<class T>() {
    in.a = binder.source(operands[1], T::kType);
    in.b = binder.source(operands[2], T::kType);
    extra.pointer = reinterpret_cast<const void*>(
        reinterpret_cast<std::uintptr_t>(choose<typename T::Lane>(match).compare));
  });
  bind_combine(match, binder, in);
  in.extra = &extra;
  in.immediate = match.type == F32::kType ? 0x3f80'0000 : 0xffff'ffff;
  in.d = binder.destination(operands[0], match.type);
  in.execute = &execute_set;
}

template <class L>
Row setp(std::string_view syntax) {
  return {.syntax = syntax, .types = L::all(), .types2 = {}, .bind = bind_setp<L>, .cost = test_cost};
}
template <class D, class L>
Row set(std::string_view syntax) {
  return {.syntax = syntax,
          .types = D::all(),
          .types2 = L::all(),
          .bind = bind_set<L>,
          .cost = fixed_cost<Pipe::kAlu, 2>};
}

/// d = p ? a : b, on bits.
template <class T>
void execute_selp(Warp& w, const Instruction& in) {
  const u32 p = w.predicate(in.c);
  const bool full = w.mask == ~0u;
  alignas(64) T masked[kWarpSize];
  T* out = full ? w.row<T>(in.d) : masked;
  const T* a = w.row<T>(in.a);
  const T* b = w.row<T>(in.b);
#pragma GCC ivdep
  for (u32 i = 0; i < kWarpSize; ++i) out[i] = (p >> i & 1u) != 0 ? a[i] : b[i];
  if (!full) merge_rows(w.row<T>(in.d), masked, w.mask, sizeof(T));
}

void bind_selp(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.a = binder.source(operands[1], match.type);
  in.b = binder.source(operands[2], match.type);
  in.c = binder.predicate(operands[3]);
  in.d = binder.destination(operands[0], match.type);
  in.execute = match.type.bits == 16   ? &execute_selp<u16>
               : match.type.bits == 32 ? &execute_selp<u32>
                                       : &execute_selp<u64>;
}

template <class C, bool kFlush>
constexpr auto by_sign = [](auto a, auto b, C c) { return comparable<kFlush>(c) >= 0 ? a : b; };

using ANY = TypeList<B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64>;
template <class T>
using SelectByWord = Signature<T, T, T, S32>;
template <class T>
using SelectByFloat = Signature<T, T, T, F32>;

using UNSIGNED = TypeList<U16, U32, U64>;
using TO_ANY = TypeList<U32, S32, F32>;
using TO_WORDS = TypeList<U32, S32>;

std::vector<Row> set_rows() {
  return {
      set<TO_ANY, BITS>("set.{eq,ne}.dtype.stype d, a, b"),
      set<TO_ANY, UNSIGNED>("set.{eq,ne,lt,le,gt,ge,lo,ls,hi,hs}.dtype.stype d, a, b"),
      set<TO_ANY, SIGNED>("set.{eq,ne,lt,le,gt,ge}.dtype.stype d, a, b"),
      set<TO_ANY, TypeList<F32>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{.ftz}.dtype.stype d, a, b"),
      set<TO_ANY, TypeList<F64>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.dtype.stype d, a, b"),
      set<TO_WORDS, TypeList<F16>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{.ftz}.dtype.stype d, a, b"),
      set<TO_WORDS, TypeList<BF16>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.dtype.stype d, a, b"),
      set<TO_ANY, BITS>("set.{eq,ne}.{and,or,xor}.dtype.stype d, a, b, c"),
      set<TO_ANY, UNSIGNED>("set.{eq,ne,lt,le,gt,ge,lo,ls,hi,hs}.{and,or,xor}.dtype.stype d, a, b, c"),
      set<TO_ANY, SIGNED>("set.{eq,ne,lt,le,gt,ge}.{and,or,xor}.dtype.stype d, a, b, c"),
      set<TO_ANY, TypeList<F32>>("set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}{.ftz}."
                                 "dtype.stype d, a, b, c"),
      set<TO_ANY, TypeList<F64>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}.dtype.stype d, a, b, c"),
      set<TO_WORDS, TypeList<F16>>("set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}{."
                                   "ftz}.dtype.stype d, a, b, c"),
      set<TO_WORDS, TypeList<BF16>>(
          "set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}.dtype.stype d, a, b, c"),
  };
}

std::vector<Row> setp_rows() {
  return {
      setp<BITS>("setp.{eq,ne}.type p, a, b"),
      setp<UNSIGNED>("setp.{eq,ne,lt,le,gt,ge,lo,ls,hi,hs}.type p, a, b"),
      setp<SIGNED>("setp.{eq,ne,lt,le,gt,ge}.type p, a, b"),
      setp<TypeList<F32, F16>>("setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{.ftz}.type p, a, b"),
      setp<TypeList<F64, BF16>>("setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.type p, a, b"),
      setp<BITS>("setp.{eq,ne}.{and,or,xor}.type p, a, b, c"),
      setp<UNSIGNED>("setp.{eq,ne,lt,le,gt,ge,lo,ls,hi,hs}.{and,or,xor}.type p, a, b, c"),
      setp<SIGNED>("setp.{eq,ne,lt,le,gt,ge}.{and,or,xor}.type p, a, b, c"),
      setp<TypeList<F32, F16>>(
          "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}{.ftz}.type p, a, b, c"),
      setp<TypeList<F64, BF16>>(
          "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}.type p, a, b, c"),
  };
}

std::vector<Row> select_rows() {
  return {
      {.syntax = "selp.type d, a, b, c",
       .types = ANY::all(),
       .types2 = {},
       .bind = bind_selp,
       .cost = logic_cost},
      lanewise<SelectByWord, ANY>("slct.type.s32 d, a, b, c", by_sign<s32, false>, logic_cost),
      lanewise<SelectByFloat, ANY>("slct.type.f32 d, a, b, c", by_sign<f32, false>, logic_cost),
      lanewise<SelectByFloat, ANY>("slct.ftz.type.f32 d, a, b, c", by_sign<f32, true>, logic_cost),
  };
}

}  // namespace

std::vector<Row> compare_rows() { return joined({set_rows, setp_rows, select_rows}); }

}  // namespace roofline::sim::isa
