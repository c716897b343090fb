// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/isa/half_math.h"
#include "simulator/isa/shapes.h"

/// The shapes for f16 and bf16, single and packed. Functions take and give f32; a packed register is a row of
/// 64 elements, so that both halves of a pair run through the same loop.
namespace roofline::sim::isa {

enum HalfModes : unsigned { kHalfPlain = 0, kHalfFtz = 1, kHalfSat = 2, kHalfRelu = 4 };

/// .ftz for f16: below the smallest normal number. bf16 has no .ftz.
inline f32 flush_half(f32 a) { return magnitude(a) < 0x1p-14f ? std::bit_cast<f32>(sign_bit(a)) : a; }

template <class F, class H, unsigned kModes>
struct HalfModal {
  static f32 prepare(H a) {
    const f32 wide = widen(a);
    return (kModes & kHalfFtz) != 0 ? flush_half(wide) : wide;
  }
  template <class... S>
  H operator()(S... s) const {
    f32 result = F{}(prepare(s)...);
    if constexpr ((kModes & kHalfSat) != 0) result = saturate(result);
    if constexpr ((kModes & kHalfRelu) != 0) result = result > 0.0f || result != result ? result : 0.0f;
    H rounded = narrow<H>(result);
    if constexpr ((kModes & kHalfFtz) != 0) rounded.bits &= (rounded.bits & 0x7c00u) == 0 ? 0x8000u : 0xffffu;
    return rounded;
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

template <class F, class L, int kSources>
void execute_halves(Warp& w, const Instruction& in) {
  using Element = typename HalvesOf<L>::Element;
  const auto source = [&w](Slot slot) { return w.row<Element>(slot); };
  if constexpr (kSources == 1)
    each_half<L>(w, in.d, F{}, source(in.a));
  else if constexpr (kSources == 2)
    each_half<L>(w, in.d, F{}, source(in.a), source(in.b));
  else
    each_half<L>(w, in.d, F{}, source(in.a), source(in.b), source(in.c));
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
    using H = typename HalvesOf<Lane>::Element;
    constexpr unsigned kAlways = kModes & kHalfRelu;
    if (ftz && sat)
      in.execute = &execute_halves<HalfModal<F, H, kModes>, Lane, kSources>;
    else if (ftz)
      in.execute = &execute_halves<HalfModal<F, H, kModes & ~kHalfSat>, Lane, kSources>;
    else if (sat)
      in.execute = &execute_halves<HalfModal<F, H, kModes & ~kHalfFtz>, Lane, kSources>;
    else
      in.execute = &execute_halves<HalfModal<F, H, kAlways>, Lane, kSources>;
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

}  // namespace roofline::sim::isa
