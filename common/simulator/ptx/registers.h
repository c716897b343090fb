// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// Calls `f` with the name of each register of an operand, that of an address among them.
template <class F>
void each_register(const Operand& operand, F f) {
  const bool address = operand.kind == Operand::Kind::kAddress && !operand.base_is_symbol;
  if ((operand.kind == Operand::Kind::kRegister || address) && !operand.name.empty()) f(operand.name);
  for (const Operand& element : operand.elements) each_register(element, f);
}

}  // namespace roofline::sim::ptx
