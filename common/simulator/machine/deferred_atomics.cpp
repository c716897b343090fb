// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/deferred_atomics.h"

namespace roofline::sim {

void DeferredAtomics::take_turn() {
  if (is_its_turn_) return;
  wait_for_turn_();
  apply_all();
  is_its_turn_ = true;
}

void DeferredAtomics::apply_all() {
  for (const Waiting& one : waiting_) one.apply(one.at, one.operand, concurrent_);
  waiting_.clear();
  low_ = std::numeric_limits<u64>::max();
  end_ = 0;
}

}  // namespace roofline::sim
