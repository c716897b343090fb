// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/isa/cost.h"
#include "simulator/isa/lanewise.h"
#include "simulator/isa/row.h"
#include "simulator/isa/types.h"

/// The named shapes: a row is a syntax line, the types it takes, a shape and the meaning for one lane:
///
///     binary<INTS>("and.type d, a, b", [](auto a, auto b) { return a & b; })
///
/// The lambda must not capture; it is instantiated once a type and bound when a module is loaded.
namespace roofline::sim::isa {

/// Types of destination and sources; operands are bound in this order to the slots d, a, b, c, e.
template <class D, class... S>
struct Signature {
  static constexpr ptx::Type kResult = D::kType;

  static void slots(const Match& match, Binder& binder, Instruction& in) {
    const ptx::OperandList& operands = match.instruction->operands;
    Slot* const sources[] = {&in.a, &in.b, &in.c, &in.e};
    std::size_t at = 0;
    ((*sources[at] = binder.source(operands[at + 1], S::kType), ++at), ...);
    in.d = binder.destination(operands[0], D::kType);
  }

  template <class F>
  static void bind(const Match& match, Binder& binder, Instruction& in) {
    slots(match, binder, in);
    in.execute = &Lanewise<F, typename D::Lane, typename S::Lane...>::execute;
  }
};

/// Twice as many bits, same kind.
template <class T>
struct WiderOf;
template <>
struct WiderOf<U16> {
  using Type = U32;
};
template <>
struct WiderOf<S16> {
  using Type = S32;
};
template <>
struct WiderOf<U32> {
  using Type = U64;
};
template <>
struct WiderOf<S32> {
  using Type = S64;
};
template <class T>
using Wider = typename WiderOf<T>::Type;

template <class T>
using UnaryShape = Signature<T, T>;
template <class T>
using BinaryShape = Signature<T, T, T>;
template <class T>
using TernaryShape = Signature<T, T, T, T>;
template <class T>
using QuaternaryShape = Signature<T, T, T, T, T>;
/// Any type in, a 32-bit count or position out.
template <class T>
using CountShape = Signature<U32, T>;
/// The second source is a 32-bit shift amount or position, whatever the type.
template <class T>
using ShiftShape = Signature<T, T, U32>;
template <class T>
using FieldShape = Signature<T, T, U32, U32>;
template <class T>
using InsertShape = Signature<T, T, T, U32, U32>;
/// Products twice as wide as their factors.
template <class T>
using WideShape = Signature<Wider<T>, T, T>;
template <class T>
using WideAddShape = Signature<Wider<T>, T, T, Wider<T>>;

template <template <class> class Shape, class L, class F>
void bind_lanewise(const Row&, const Match& match, Binder& binder, Instruction& in) {
  L::select(match.type, [&]<class T>() { Shape<T>::template bind<F>(match, binder, in); });
}

/// A row of any lane-by-lane shape; the shapes with names of their own follow.
template <template <class> class Shape, class L, class F>
Row lanewise(std::string_view syntax, F, CostFunction cost = arithmetic_cost) {
  return {
      .syntax = syntax, .types = L::all(), .types2 = {}, .bind = bind_lanewise<Shape, L, F>, .cost = cost};
}

/// A row of one signature, with its types spelled out in the syntax line.
template <class Sig, class F>
Row exact(std::string_view syntax, F, CostFunction cost = arithmetic_cost) {
  return {.syntax = syntax,
          .types = {Sig::kResult},
          .types2 = {},
          .bind = [](const Row&, const Match& match, Binder& binder,
                     Instruction& in) { Sig::template bind<F>(match, binder, in); },
          .cost = cost};
}

template <class L, class F>
Row unary(std::string_view syntax, F f, CostFunction cost = arithmetic_cost) {
  return lanewise<UnaryShape, L>(syntax, f, cost);
}
template <class L, class F>
Row binary(std::string_view syntax, F f, CostFunction cost = arithmetic_cost) {
  return lanewise<BinaryShape, L>(syntax, f, cost);
}
template <class L, class F>
Row ternary(std::string_view syntax, F f, CostFunction cost = arithmetic_cost) {
  return lanewise<TernaryShape, L>(syntax, f, cost);
}
template <class L, class F>
Row count(std::string_view syntax, F f, CostFunction cost = arithmetic_cost) {
  return lanewise<CountShape, L>(syntax, f, cost);
}
template <class L, class F>
Row shift(std::string_view syntax, F f, CostFunction cost = arithmetic_cost) {
  return lanewise<ShiftShape, L>(syntax, f, cost);
}

}  // namespace roofline::sim::isa
