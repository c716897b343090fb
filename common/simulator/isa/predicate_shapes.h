// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/isa/shapes.h"

namespace roofline::sim::isa {

/// A predicate from one source: p = f(a).
template <class F, class T>
void execute_test(Warp& w, const Instruction& in) {
  const u32 set = lanes_where(F{}, w.row<T>(in.a));
  u32& p = w.predicate(in.d);
  p = (p & ~w.mask) | (set & w.mask);
}

template <class L, class F>
Row test(std::string_view syntax, F, CostFunction cost = test_cost) {
  return {.syntax = syntax,
          .types = L::all(),
          .types2 = {},
          .bind =
              [](const Row&, const Match& match, Binder& binder, Instruction& in) {
                L::select(match.type, [&]<class T>() {
                  in.a = binder.source(match.instruction->operands[1], T::kType);
                  in.d = binder.predicate_destination(match.instruction->operands[0]);
                  in.execute = &execute_test<F, typename T::Lane>;
                });
              },
          .cost = cost};
}

}  // namespace roofline::sim::isa
