// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/chapters.h"
#include "simulator/isa/convert_math.h"
#include "simulator/isa/float_shapes.h"

/// cvt between the number types of one lane. The packed and narrow forms are in convert_packed.cpp.
namespace roofline::sim::isa {

namespace {

using CVT_INTS = TypeList<U8, U16, U32, U64, S8, S16, S32, S64>;
using CVT_FLOATS = TypeList<F16, BF16, F32, F64>;

template <class T>
constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat>;

/// Conversions run at a quarter rate or less on hardware; between integers they are moves or a permute.
Cost integer_cost(const Match& match) {
  const bool zeros_above =
      match.type2.kind == ptx::Type::Kind::kUnsigned && match.type.bits > match.type2.bits;
  if (match.type.bits == match.type2.bits || (zeros_above && match.type2.bits == 32)) return {Pipe::kNone, 0};
  return {Pipe::kAlu, 1};
}
Cost float_cost(const Match& match) {
  const bool wide = match.type.bits == 64 || match.type2.bits == 64;
  // ptxas widens a half with HADD2.F32, on sm_75 as on sm_90, and narrows one with F2F or F2FP.
  const bool widened = match.type.kind == ptx::Type::Kind::kFloat && match.type.bits == 32 &&
                       match.type2.bits == 16 && match.type2.kind == ptx::Type::Kind::kFloat;
  if (widened) return {Pipe::kHalf, 1};
  return {wide ? Pipe::kFp64 : Pipe::kSfu, static_cast<u8>(wide ? 4 : 1)};
}

// Integer to integer.

template <class D, bool kClamp>
constexpr auto integer_to_integer = [](auto a) {
  if constexpr (kClamp)
    return clamp_integer<D>(a);
  else
    return static_cast<D>(a);
};

void bind_integers(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.a = binder.source(match.instruction->operands[1], match.type2);
  in.d = binder.destination(match.instruction->operands[0], match.type);
  CVT_INTS::select(match.type, [&]<class DTag>() {
    CVT_INTS::select(match.type2, [&]<class ATag>() {
      using D = typename DTag::Lane;
      using A = typename ATag::Lane;
      // Truncating or extending does not depend on the destination's sign: half of the functions are enough.
      using U = std::make_unsigned_t<D>;
      in.execute = match.has("sat") ? &Lanewise<decltype(integer_to_integer<D, true>), D, A>::execute
                                    : &Lanewise<decltype(integer_to_integer<U, false>), U, A>::execute;
    });
  });
}

// What is left of the modifiers at run time, in Instruction::flags.
constexpr u8 kIntegral = 7;  ///< 1 + Rounding to an integral value; 0: none
constexpr u8 kFlush = 8;
constexpr u8 kSaturate = 16;
constexpr int kNarrowShift = 5;  ///< Rounding to f16 or bf16

template <class F>
void round_row(F* row, u16 flags) {
  const auto each = [row](auto f) {
    for (int i = 0; i < kWarpSize; ++i) row[i] = f(row[i]);
  };
  switch (flags & kIntegral) {
    case 1:
      return each(to_integral<Rounding::kNearest, F>);
    case 2:
      return each(to_integral<Rounding::kZero, F>);
    case 3:
      return each(to_integral<Rounding::kDown, F>);
    case 4:
      return each(to_integral<Rounding::kUp, F>);
    default:
      return;
  }
}

/// Finishes a conversion from a row of f32 or f64 to any type.
template <class D, class F>
void store_row(Warp& w, const Instruction& in, F* row) {
  const auto rounding = static_cast<Rounding>(in.flags >> kNarrowShift);
  D* d = w.row<D>(in.d);
  if (!std::is_integral_v<D> && (in.flags & kSaturate) != 0)
    for (int i = 0; i < kWarpSize; ++i) row[i] = saturate(row[i]);
  if constexpr (std::is_integral_v<D>) {
    each_lane(
        w.mask, d, [](F a) { return to_integer<D>(a); }, row);
  } else if constexpr (is_half<D>) {
    const auto single = [](F a) {
      if constexpr (std::is_same_v<F, f64>)
        return to_odd(a);
      else
        return a;
    };
    if (rounding == Rounding::kNearest)
      each_lane(
          w.mask, d, [single](F a) { return narrow<D>(single(a)); }, row);
    else
      each_lane(
          w.mask, d, [single, rounding](F a) { return narrow<D>(single(a), rounding); }, row);
  } else if constexpr (std::is_same_v<D, f32>) {
    // Of an f64 that is NaN the sign and the upper part of the payload survive.
    const auto single = [](F a) {
      if constexpr (std::is_same_v<F, f64>)
        return static_cast<f32>(a);
      else
        return canonical(a);
    };
    if ((in.flags & kFlush) != 0)
      each_lane(
          w.mask, d, [single](F a) { return flush(single(a)); }, row);
    else
      each_lane(w.mask, d, single, row);
  } else {
    // The payload of a NaN survives: f64 has room for it.
    each_lane(
        w.mask, d, [](F a) { return static_cast<f64>(a); }, row);
  }
}

/// Float to anything, through a row of f32 (of f64 when the source is one).
template <class D, class A>
void execute_from_float(Warp& w, const Instruction& in) {
  using F = std::conditional_t<std::is_same_v<A, f64>, f64, f32>;
  alignas(64) F row[kWarpSize];
  const A* a = w.row<A>(in.a);
  for (int i = 0; i < kWarpSize; ++i) {
    if constexpr (is_half<A>)
      row[i] = widen(a[i]);
    else
      row[i] = a[i];
  }
  if (std::is_same_v<A, f32> && (in.flags & kFlush) != 0)
    for (int i = 0; i < kWarpSize; ++i) row[i] = static_cast<F>(flush(static_cast<f32>(row[i])));
  round_row(row, in.flags);
  store_row<D>(w, in, row);
}

/// The everyday conversions to integers in one pass. Flushing a subnormal changes nothing where it becomes
/// zero anyway.
template <class D, class F, Rounding kRounding>
void execute_to_integer(Warp& w, const Instruction& in) {
  each_lane(
      w.mask, w.row<D>(in.d), [](F a) { return to_integer<D>(to_integral<kRounding>(a)); }, w.row<F>(in.a));
}

/// nullptr when the general way must do it.
template <class D, class A>
Execute to_integer_at_once(u16 flags) {
  if constexpr ((std::is_same_v<A, f32> || std::is_same_v<A, f64>)&&sizeof(D) >= 4) {
    const int rounding = flags & kIntegral;
    if (rounding == 1) return &execute_to_integer<D, A, Rounding::kNearest>;
    if (rounding == 2) return &execute_to_integer<D, A, Rounding::kZero>;
    if ((flags & kFlush) != 0) return nullptr;
    if (rounding == 3) return &execute_to_integer<D, A, Rounding::kDown>;
    if (rounding == 4) return &execute_to_integer<D, A, Rounding::kUp>;
  }
  return nullptr;
}

/// Integer to f16 or bf16: rounded to odd first, so that the only rounding that counts is the last.
template <class D, class A>
void execute_integer_to_half(Warp& w, const Instruction& in) {
  alignas(64) f32 row[kWarpSize];
  const A* a = w.row<A>(in.a);
  for (int i = 0; i < kWarpSize; ++i) row[i] = integer_to_odd(a[i]);
  store_row<D>(w, in, row);
}

template <class D, class A>
void execute_integer_to_float(Warp& w, const Instruction& in) {
  const bool sat = (in.flags & kSaturate) != 0;
  if (sat)
    each_lane(
        w.mask, w.row<D>(in.d), [](A a) { return saturate(static_cast<D>(a)); }, w.row<A>(in.a));
  else
    each_lane(
        w.mask, w.row<D>(in.d), [](A a) { return static_cast<D>(a); }, w.row<A>(in.a));
}

u8 flags_of(const Match& match) {
  u8 flags = 0;
  constexpr std::string_view kIntegrals[] = {"rni", "rzi", "rmi", "rpi"},
                             kNarrows[] = {"rn", "rz", "rm", "rp"};
  for (u8 i = 0; i < 4; ++i) {
    if (match.has(kIntegrals[i])) flags = static_cast<u8>(flags | (i + 1u));
    if (match.has(kNarrows[i])) flags = static_cast<u8>(flags | u32{i} << kNarrowShift);
  }
  if (match.has("ftz")) flags |= kFlush;
  if (match.has("sat")) flags |= kSaturate;
  return flags;
}

void bind_slots(const Match& match, Binder& binder, Instruction& in) {
  in.a = binder.source(match.instruction->operands[1], match.type2);
  in.d = binder.destination(match.instruction->operands[0], match.type);
  in.flags = flags_of(match);
}

void bind_float_to_integer(const Row&, const Match& match, Binder& binder, Instruction& in) {
  bind_slots(match, binder, in);
  CVT_INTS::select(match.type, [&]<class D>() {
    CVT_FLOATS::select(match.type2, [&]<class A>() {
      in.execute = to_integer_at_once<typename D::Lane, typename A::Lane>(in.flags);
      if (in.execute == nullptr) in.execute = &execute_from_float<typename D::Lane, typename A::Lane>;
    });
  });
}

void bind_integer_to_float(const Row&, const Match& match, Binder& binder, Instruction& in) {
  bind_slots(match, binder, in);
  CVT_FLOATS::select(match.type, [&]<class DTag>() {
    CVT_INTS::select(match.type2, [&]<class ATag>() {
      using D = typename DTag::Lane;
      using A = typename ATag::Lane;
      if constexpr (is_half<D>)
        in.execute = &execute_integer_to_half<D, A>;
      else
        in.execute = &execute_integer_to_float<D, A>;
      if constexpr (!is_half<D>) bind_rounding(match, binder, in);
    });
  });
}

void bind_float_to_float(const Row&, const Match& match, Binder& binder, Instruction& in) {
  bind_slots(match, binder, in);
  CVT_FLOATS::select(match.type, [&]<class D>() {
    CVT_FLOATS::select(match.type2, [&]<class A>() {
      in.execute = &execute_from_float<typename D::Lane, typename A::Lane>;
    });
  });
  if (match.type == F32::kType && match.type2 == F64::kType) bind_rounding(match, binder, in);
}

}  // namespace

std::vector<Row> convert_rows() {
  return {
      {.syntax = "cvt{.sat}.dtype.atype d, a",
       .types = CVT_INTS::all(),
       .types2 = CVT_INTS::all(),
       .bind = bind_integers,
       .cost = integer_cost,
       .traits = {.zeros = Zeros::kSame, .typing = Typing::kConverted}},
      {.syntax = "cvt.{rni,rzi,rmi,rpi}{.ftz}{.sat}.dtype.atype d, a",
       .types = CVT_INTS::all(),
       .types2 = CVT_FLOATS::all(),
       .bind = bind_float_to_integer,
       .cost = float_cost,
       .traits = kConverts},
      {.syntax = "cvt.{rn,rz,rm,rp}{.ftz}{.sat}.dtype.atype d, a",
       .types = CVT_FLOATS::all(),
       .types2 = CVT_INTS::all(),
       .bind = bind_integer_to_float,
       .cost = float_cost,
       .traits = kConverts},
      {.syntax = "cvt{.rn,.rz,.rm,.rp,.rni,.rzi,.rmi,.rpi}{.ftz}{.sat}.dtype.atype d, a",
       .types = CVT_FLOATS::all(),
       .types2 = CVT_FLOATS::all(),
       .bind = bind_float_to_float,
       .cost = float_cost,
       .traits = kConverts},
  };
}

}  // namespace roofline::sim::isa
