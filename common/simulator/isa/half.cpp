// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "simulator/isa/approximate.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/half_shapes.h"

/// "Half Precision Floating-Point Instructions".
namespace roofline::sim::isa {

namespace {

using HALVES = TypeList<F16, F16X2>;
using BFLOATS = TypeList<BF16, BF16X2>;
using ALL_HALVES = TypeList<F16, F16X2, BF16, BF16X2>;

// One f32 operation holds more than twice the bits of either format: rounding twice is rounding once. What it
// does not hold (a product of bf16 that is subnormal, a fused sum) is rounded to odd on the way.
constexpr auto add = [](f32 a, f32 b) { return a + b; };
constexpr auto subtract = [](f32 a, f32 b) { return a - b; };
constexpr auto multiply = [](f32 a, f32 b) { return a * b; };
constexpr auto multiply_bfloat = [](f32 a, f32 b) { return to_odd(f64{a} * f64{b}); };
/// A product of f16 is exact in f32; what the addition loses (Knuth) decides the last bit.
constexpr auto fused_half = [](f32 a, f32 b, f32 c) {
  const f32 product = a * b, sum = product + c, part = sum - product;
  const f32 lost = (product - (sum - part)) + (c - part);
  const u32 bits = to_bits(sum), step = (lost > 0) == (sum > 0) ? 1u : ~0u;
  return std::bit_cast<f32>(bits + (lost != 0 && lost == lost && (bits & 1u) == 0 ? step : 0u));
};
constexpr auto fused_bfloat = [](f32 a, f32 b, f32 c) { return fused_to_odd(a, b, c); };

/// Whether a bf16 product, and its sum with c, are exact in f32 but for the addition's rounding: away from
/// the ends of the range, where nearly all numbers are. NaN and infinities are not.
constexpr auto is_plain = [](f32 a, f32 b, f32 c) {
  const f32 product = magnitude(a * b);
  const bool zero = a == 0 || b == 0;
  return (zero || product >= 0x1p-100f) && product <= 0x1p126f && magnitude(c) <= 0x1p126f &&
         magnitude(a) <= 0x1p126f && magnitude(b) <= 0x1p126f;
};

/// fma of bf16: in f32 when all lanes are plain, else in f64.
template <class L, unsigned kModes, bool kMinusProduct, bool kMinusAddend>
void execute_fused_bfloat(Warp& w, const Instruction& in) {
  constexpr int kElements = kWarpSize * HalvesOf<L>::kCount;
  using Exact = WithSigns<std::remove_const_t<decltype(fused_half)>, kMinusProduct, kMinusAddend>;
  using Careful = WithSigns<std::remove_const_t<decltype(fused_bfloat)>, kMinusProduct, kMinusAddend>;
  alignas(64) f32 a[kElements], b[kElements], c[kElements];
  widen_row(w.row<BFloat>(in.a), a, kElements);
  widen_row(w.row<BFloat>(in.b), b, kElements);
  widen_row(w.row<BFloat>(in.c), c, kElements);
  u32 odd = 0;
  for (int i = 0; i < kElements; ++i) odd |= is_plain(a[i], b[i], c[i]) ? 0u : 1u;
  if (odd == 0) {
    for (int i = 0; i < kElements; ++i) a[i] = HalfModal<Exact, kModes>{}(a[i], b[i], c[i]);
  } else {
    for (int i = 0; i < kElements; ++i) a[i] = HalfModal<Careful, kModes>{}(a[i], b[i], c[i]);
  }
  alignas(64) BFloat masked[kElements];
  BFloat* out = w.mask == ~0u ? w.row<BFloat>(in.d) : masked;
  narrow_row(a, out, kElements);
  if (w.mask != ~0u) merge_rows(w.row<BFloat>(in.d), masked, w.mask, sizeof(L));
}

template <unsigned kModes, bool kMinusProduct, bool kMinusAddend>
Execute fused_bfloat_of(bool is_pair) {
  return is_pair ? &execute_fused_bfloat<BFloatPair, kModes, kMinusProduct, kMinusAddend>
                 : &execute_fused_bfloat<BFloat, kModes, kMinusProduct, kMinusAddend>;
}

template <unsigned kModes>
void bind_fused_bfloat(const Row&, const Match& match, Binder& binder, Instruction& in) {
  bind_half_slots(match, binder, in, 3);
  const ptx::OperandList& operands = match.instruction->operands;
  const bool product = operands[1].minus, addend = operands[3].minus, is_pair = match.type.lanes == 2;
  if (product)
    in.execute =
        addend ? fused_bfloat_of<kModes, true, true>(is_pair) : fused_bfloat_of<kModes, true, false>(is_pair);
  else
    in.execute = addend ? fused_bfloat_of<kModes, false, true>(is_pair)
                        : fused_bfloat_of<kModes, false, false>(is_pair);
}

template <unsigned kModes>
Row fused_bfloat_row(std::string_view syntax) {
  return {.syntax = syntax,
          .types = BFLOATS::all(),
          .types2 = {},
          .bind = bind_fused_bfloat<kModes>,
          .cost = fused_cost};
}

/// neg and abs touch only the sign bit, but give the canonical NaN: hardware adds zero on the way.
template <class H, unsigned kClear, unsigned kFlip, bool kFlush>
struct Sign {
  H operator()(H a) const {
    constexpr u32 kInfinity = std::is_same_v<H, Half> ? 0x7c00 : 0x7f80;
    const u32 kept = kFlush && (a.bits & 0x7c00u) == 0 ? a.bits & 0x8000u : u32{a.bits};
    const u32 result = (kept & ~kClear) ^ kFlip;
    return {static_cast<u16>((kept & 0x7fffu) > kInfinity ? kNaN16 : result)};
  }
};

template <class F, class L>
void execute_sign(Warp& w, const Instruction& in) {
  each_half<L>(w, in.d, F{}, w.row<typename HalvesOf<L>::Element>(in.a));
}

template <unsigned kClear, unsigned kFlip>
void bind_sign(const Row&, const Match& match, Binder& binder, Instruction& in) {
  bind_half_slots(match, binder, in, 1);
  ALL_HALVES::select(match.type, [&]<class T>() {
    using Lane = typename T::Lane;
    using H = typename HalvesOf<Lane>::Element;
    in.execute = match.has("ftz") ? &execute_sign<Sign<H, kClear, kFlip, true>, Lane>
                                  : &execute_sign<Sign<H, kClear, kFlip, false>, Lane>;
  });
}

template <unsigned kClear, unsigned kFlip>
Row sign(std::string_view syntax, const std::vector<ptx::Type>& types) {
  return {.syntax = syntax,
          .types = types,
          .types2 = {},
          .bind = bind_sign<kClear, kFlip>,
          .cost = fixed_cost<Pipe::kHalf>};
}

template <bool kPropagate>
constexpr auto smaller = [](f32 a, f32 b) { return float_min<kPropagate>(a, b); };
template <bool kPropagate>
constexpr auto larger = [](f32 a, f32 b) { return float_max<kPropagate>(a, b); };
template <auto kOrder>
constexpr auto by_magnitude = [](f32 a, f32 b) {
  const f32 chosen = kOrder(magnitude(a), magnitude(b));
  return chosen != chosen ? chosen : std::bit_cast<f32>(to_bits(chosen) | (sign_bit(a) ^ sign_bit(b)));
};

constexpr CostFunction kOrderCost = fixed_cost<Pipe::kHalf>;
constexpr CostFunction kSfuCost = fixed_cost<Pipe::kSfu, 2, FlopType::kF16, 1>;

std::vector<Row> arithmetic_rows() {
  return {
      halves<HALVES, 2, kHalfFtz | kHalfSat>("add{.rn}{.ftz}{.sat}.type d, a, b", add).with(kSum),
      halves<BFLOATS, 2, kHalfPlain>("add{.rn}.type d, a, b", add).with(kSum),
      halves<HALVES, 2, kHalfFtz | kHalfSat>("sub{.rn}{.ftz}{.sat}.type d, a, b", subtract).with(kDifference),
      halves<BFLOATS, 2, kHalfPlain>("sub{.rn}.type d, a, b", subtract).with(kDifference),
      halves<HALVES, 2, kHalfFtz | kHalfSat>("mul{.rn}{.ftz}{.sat}.type d, a, b", multiply).with(kProduct),
      halves<BFLOATS, 2, kHalfPlain>("mul{.rn}.type d, a, b", multiply_bfloat).with(kProduct),
      fused_halves<HALVES, kHalfFtz | kHalfSat>("fma.rn{.ftz}{.sat}.type d, a, b, c", fused_half),
      fused_halves<HALVES, kHalfFtz | kHalfRelu>("fma.rn{.ftz}.relu.type d, a, b, c", fused_half),
      fused_bfloat_row<kHalfPlain>("fma.rn.type d, a, b, c"),
      fused_bfloat_row<kHalfRelu>("fma.rn.relu.type d, a, b, c"),
      sign<0, 0x8000>("neg{.ftz}.type d, a", HALVES::all()).with(kNegation),
      sign<0, 0x8000>("neg.type d, a", BFLOATS::all()).with(kNegation),
      sign<0x8000, 0>("abs{.ftz}.type d, a", HALVES::all()),
      sign<0x8000, 0>("abs.type d, a", BFLOATS::all()),
  };
}

/// The four forms of min or max, for f16 and for bf16.
template <auto kNumber, auto kPropagating>
void append_order(std::vector<Row>& rows, const std::array<std::string_view, 8>& syntax) {
  using ByNumber = decltype(by_magnitude<kNumber>);
  using ByPropagating = decltype(by_magnitude<kPropagating>);
  rows.push_back(halves<HALVES, 2, kHalfFtz>(syntax[0], kNumber, kOrderCost));
  rows.push_back(halves<HALVES, 2, kHalfFtz>(syntax[1], kPropagating, kOrderCost));
  rows.push_back(halves<HALVES, 2, kHalfFtz>(syntax[2], ByNumber{}, kOrderCost));
  rows.push_back(halves<HALVES, 2, kHalfFtz>(syntax[3], ByPropagating{}, kOrderCost));
  rows.push_back(halves<BFLOATS, 2, kHalfPlain>(syntax[4], kNumber, kOrderCost));
  rows.push_back(halves<BFLOATS, 2, kHalfPlain>(syntax[5], kPropagating, kOrderCost));
  rows.push_back(halves<BFLOATS, 2, kHalfPlain>(syntax[6], ByNumber{}, kOrderCost));
  rows.push_back(halves<BFLOATS, 2, kHalfPlain>(syntax[7], ByPropagating{}, kOrderCost));
}

std::vector<Row> order_rows() {
  std::vector<Row> rows;
  append_order<smaller<false>, smaller<true>>(
      rows, {"min{.ftz}.type d, a, b", "min{.ftz}.NaN.type d, a, b", "min{.ftz}.xorsign.abs.type d, a, b",
             "min{.ftz}.NaN.xorsign.abs.type d, a, b", "min.type d, a, b", "min.NaN.type d, a, b",
             "min.xorsign.abs.type d, a, b", "min.NaN.xorsign.abs.type d, a, b"});
  append_order<larger<false>, larger<true>>(
      rows, {"max{.ftz}.type d, a, b", "max{.ftz}.NaN.type d, a, b", "max{.ftz}.xorsign.abs.type d, a, b",
             "max{.ftz}.NaN.xorsign.abs.type d, a, b", "max.type d, a, b", "max.NaN.type d, a, b",
             "max.xorsign.abs.type d, a, b", "max.NaN.xorsign.abs.type d, a, b"});
  return rows;
}

constexpr auto tanh = [](f32 a) { return approximate_tanh(a); };
constexpr auto ex2 = [](f32 a) { return approximate_ex2(a); };

/// ex2.approx.ftz.bf16 flushes at bf16's own smallest normal number, which is f32's.
constexpr auto ex2_flushed = [](f32 a) { return flush(approximate_ex2(flush(a))); };

std::vector<Row> function_rows() {
  return {
      halves<ALL_HALVES, 1, kHalfPlain>("tanh.approx.type d, a", tanh, kSfuCost),
      halves<HALVES, 1, kHalfPlain>("ex2.approx.type d, a", ex2, kSfuCost),
      halves<BFLOATS, 1, kHalfPlain>("ex2.approx.ftz.type d, a", ex2_flushed, kSfuCost),
  };
}

}  // namespace

std::vector<Row> half_rows() { return joined({arithmetic_rows, order_rows, function_rows}); }

}  // namespace roofline::sim::isa
