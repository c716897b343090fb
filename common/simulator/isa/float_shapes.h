// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/isa/float_math.h"
#include "simulator/isa/shapes.h"

/// The modal forms of the shapes: rounding, .ftz and .sat around a plain function of floats.
namespace roofline::sim::isa {

/// Which modifiers a row has, besides rounding; as many variants are instantiated.
enum Modes : unsigned {
  kPlain = 0,
  kFtz = 1,
  kSat = 2,
  kRaw = 4,  ///< NaN passes unchanged: only bits move
};

/// F with inputs and result flushed and the result saturated, as the modes say.
template <class F, unsigned kModes>
struct Modal {
  static constexpr bool kMakesNan = (kModes & (kRaw | kSat)) == 0;

  template <class T>
  static T prepare(T a) {
    if constexpr ((kModes & kFtz) != 0 && std::is_same_v<T, f32>) return flush(a);
    return a;
  }
  template <class T, class... S>
  auto operator()(T a, S... s) const {
    auto result = F{}(prepare(a), prepare(s)...);
    if constexpr ((kModes & kFtz) != 0) result = flush(result);
    if constexpr ((kModes & kSat) != 0) result = saturate(result);
    return result;
  }
};

/// Makes a bound instruction run under the rounding mode that its modifiers name: .rz .rm .rp. Nothing
/// happens for .rn, which the machine runs under.
void bind_rounding(const Match& match, Binder& binder, Instruction& in);

template <template <class> class Shape, class L, unsigned kModes, class F>
void bind_modal(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const bool ftz = (kModes & kFtz) != 0 && match.has("ftz"), sat = (kModes & kSat) != 0 && match.has("sat");
  L::select(match.type, [&]<class T>() {
    if (ftz && sat) return Shape<T>::template bind<Modal<F, kModes>>(match, binder, in);
    if (ftz) return Shape<T>::template bind<Modal<F, kModes & ~kSat>>(match, binder, in);
    if (sat) return Shape<T>::template bind<Modal<F, kModes & ~kFtz>>(match, binder, in);
    return Shape<T>::template bind<Modal<F, kModes & kRaw>>(match, binder, in);
  });
  bind_rounding(match, binder, in);
}

template <template <class> class Shape, class L, unsigned kModes, class F>
Row modal(std::string_view syntax, F, CostFunction cost) {
  return {.syntax = syntax,
          .types = L::all(),
          .types2 = {},
          .bind = bind_modal<Shape, L, kModes, F>,
          .cost = cost};
}

/// F of two factors and an addend, where the product or the addend enters with the other sign.
template <class F, bool kProduct, bool kAddend>
struct WithSigns {
  template <class T>
  T operator()(T a, T b, T c) const {
    return F{}(kProduct ? -a : a, b, kAddend ? -c : c);
  }
};

/// Calls `use` with F, or with the form of it that has the signs of the instruction's operands.
template <class F, class Use>
void with_signs(const Match& match, Use use) {
  const ptx::OperandList& operands = match.instruction->operands;
  const bool product = operands[1].minus, addend = operands[3].minus;
  if (product && addend) return use.template operator()<WithSigns<F, true, true>>();
  if (product) return use.template operator()<WithSigns<F, true, false>>();
  if (addend) return use.template operator()<WithSigns<F, false, true>>();
  use.template operator()<F>();
}

template <class L, unsigned kModes, class F>
void bind_fused(const Row& row, const Match& match, Binder& binder, Instruction& in) {
  with_signs<F>(match,
                [&]<class Signed>() { bind_modal<TernaryShape, L, kModes, Signed>(row, match, binder, in); });
}

/// A fused multiply-add.
template <class T, unsigned kModes, class F>
Row modal_fused(std::string_view syntax, F) {
  return {.syntax = syntax,
          .types = TypeList<T>::all(),
          .types2 = {},
          .bind = bind_fused<TypeList<T>, kModes, F>,
          .cost = fused_cost};
}

template <class T, unsigned kModes, class F>
Row modal_unary(std::string_view syntax, F f, CostFunction cost = arithmetic_cost) {
  return modal<UnaryShape, TypeList<T>, kModes>(syntax, f, cost);
}
template <class T, unsigned kModes, class F>
Row modal_binary(std::string_view syntax, F f, CostFunction cost = arithmetic_cost) {
  return modal<BinaryShape, TypeList<T>, kModes>(syntax, f, cost);
}
template <class T, unsigned kModes, class F>
Row modal_ternary(std::string_view syntax, F f, CostFunction cost = fused_cost) {
  return modal<TernaryShape, TypeList<T>, kModes>(syntax, f, cost);
}

}  // namespace roofline::sim::isa
