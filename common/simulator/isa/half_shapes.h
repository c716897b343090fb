// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifdef __F16C__
#include <immintrin.h>
#endif

#include "simulator/isa/float_shapes.h"
#include "simulator/isa/half_math.h"

/// The shapes for f16 and bf16, single and packed. Functions take and give f32; a packed register is a row of
/// 64 elements, so that both halves of a pair run through the same loop.
namespace roofline::sim::isa {

enum HalfModes : unsigned { kHalfPlain = 0, kHalfFtz = 1, kHalfSat = 2, kHalfRelu = 4 };

/// .ftz for f16: below the smallest normal number. bf16 has no .ftz.
inline f32 flush_half(f32 a) { return magnitude(a) < 0x1p-14f ? std::bit_cast<f32>(sign_bit(a)) : a; }

/// Rows of halves to rows of f32 and back. Where the host converts halves itself, eight at a time, it gives
/// the same results as half_math.h: the only freedom it has is the payload of NaN, which is canonical
/// beforehand.
template <class H>
inline __attribute__((always_inline)) void widen_row(const H* from, f32* to, int count) {
#ifdef __F16C__
  if constexpr (std::is_same_v<H, Half>) {
    for (int i = 0; i < count; i += 8)
      _mm256_store_ps(to + i, _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(from + i))));
    return;
  }
#endif
  for (int i = 0; i < count; ++i) to[i] = widen(from[i]);
}

template <class H>
inline __attribute__((always_inline)) void narrow_row(const f32* from, H* to, int count) {
#ifdef __F16C__
  if constexpr (std::is_same_v<H, Half>) {
    for (int i = 0; i < count; i += 8)
      _mm_store_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(_mm256_load_ps(from + i), 0));
    return;
  }
#endif
  for (int i = 0; i < count; ++i) to[i] = narrow<H>(from[i]);
}

/// F on f32 with the modes around it; .ftz of the result comes after rounding to the half.
template <class F, unsigned kModes>
struct HalfModal {
  static f32 prepare(f32 a) { return (kModes & kHalfFtz) != 0 ? flush_half(a) : a; }
  template <class... S>
  f32 operator()(S... s) const {
    f32 result = F{}(prepare(s)...);
    if constexpr ((kModes & kHalfSat) != 0) result = saturate(result);
    if constexpr ((kModes & kHalfRelu) != 0) result = result > 0.0f || result != result ? result : 0.0f;
    return canonical(result);
  }
};

/// Element type of a register type, and how many a lane holds.
template <class T>
struct HalvesOf {
  using Element = T;
  static constexpr int kCount = 1;
};
template <>
struct HalvesOf<HalfPair> {
  using Element = Half;
  static constexpr int kCount = 2;
};
template <>
struct HalvesOf<BFloatPair> {
  using Element = BFloat;
  static constexpr int kCount = 2;
};

/// d = f(s...) on every element of the active lanes; f takes and gives elements.
template <class L, class F, class... H>
inline __attribute__((always_inline)) void each_half(Warp& w, Slot d, F f, const H*... s) {
  using Element = typename HalvesOf<L>::Element;
  constexpr int kElements = kWarpSize * HalvesOf<L>::kCount;
  alignas(64) Element masked[kElements];
  const bool full = w.mask == ~0u;
  Element* out = full ? w.row<Element>(d) : masked;
#pragma GCC ivdep
  for (int i = 0; i < kElements; ++i) out[i] = f(s[i]...);
  if (!full) merge_rows(w.row<Element>(d), masked, w.mask, sizeof(L));
}

/// The same for a function of f32.
template <class F, class L, int kSources, bool kFlush>
void execute_halves(Warp& w, const Instruction& in) {
  using Element = typename HalvesOf<L>::Element;
  constexpr int kElements = kWarpSize * HalvesOf<L>::kCount;
  alignas(64) f32 a[kElements], b[kElements], c[kElements];
  widen_row(w.row<Element>(in.a), a, kElements);
  if constexpr (kSources > 1) widen_row(w.row<Element>(in.b), b, kElements);
  if constexpr (kSources > 2) widen_row(w.row<Element>(in.c), c, kElements);
  for (int i = 0; i < kElements; ++i) {
    if constexpr (kSources == 1)
      a[i] = F{}(a[i]);
    else if constexpr (kSources == 2)
      a[i] = F{}(a[i], b[i]);
    else
      a[i] = F{}(a[i], b[i], c[i]);
  }
  alignas(64) Element masked[kElements];
  Element* out = w.mask == ~0u ? w.row<Element>(in.d) : masked;
  narrow_row(a, out, kElements);
  if constexpr (kFlush)
    for (int i = 0; i < kElements; ++i) out[i].bits &= (out[i].bits & 0x7c00u) == 0 ? 0x8000u : 0xffffu;
  if (w.mask != ~0u) merge_rows(w.row<Element>(in.d), masked, w.mask, sizeof(L));
}

inline void bind_half_slots(const Match& match, Binder& binder, Instruction& in, int sources) {
  const ptx::OperandList& operands = match.instruction->operands;
  in.a = binder.source(operands[1], match.type);
  if (sources > 1) in.b = binder.source(operands[2], match.type);
  if (sources > 2) in.c = binder.source(operands[3], match.type);
  in.d = binder.destination(operands[0], match.type);
}

template <class L, int kSources, unsigned kModes, class F>
void bind_halves(const Row&, const Match& match, Binder& binder, Instruction& in) {
  bind_half_slots(match, binder, in, kSources);
  const bool ftz = (kModes & kHalfFtz) != 0 && match.has("ftz"),
             sat = (kModes & kHalfSat) != 0 && match.has("sat");
  L::select(match.type, [&]<class T>() {
    using Lane = typename T::Lane;
    constexpr unsigned kAlways = kModes & kHalfRelu;
    if (ftz && sat)
      in.execute = &execute_halves<HalfModal<F, kModes>, Lane, kSources, true>;
    else if (ftz)
      in.execute = &execute_halves<HalfModal<F, kModes & ~kHalfSat>, Lane, kSources, true>;
    else if (sat)
      in.execute = &execute_halves<HalfModal<F, kModes & ~kHalfFtz>, Lane, kSources, false>;
    else
      in.execute = &execute_halves<HalfModal<F, kAlways>, Lane, kSources, false>;
  });
}

/// A row of f32 functions over halves; kModes as the syntax line has them (relu: always).
template <class L, int kSources, unsigned kModes, class F>
Row halves(std::string_view syntax, F, CostFunction cost = arithmetic_cost) {
  return {.syntax = syntax,
          .types = L::all(),
          .types2 = {},
          .bind = bind_halves<L, kSources, kModes, F>,
          .cost = cost};
}

/// A fused multiply-add.
template <class L, unsigned kModes, class F>
Row fused_halves(std::string_view syntax, F) {
  return {.syntax = syntax,
          .types = L::all(),
          .types2 = {},
          .bind =
              [](const Row& row, const Match& match, Binder& binder, Instruction& in) {
                with_signs<F>(match, [&]<class Signed>() {
                  bind_halves<L, 3, kModes, Signed>(row, match, binder, in);
                });
              },
          .cost = fused_cost};
}

}  // namespace roofline::sim::isa
