// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/spin_watch.h"

#include <algorithm>

#include "simulator/machine/block_trap.h"

namespace roofline::sim {

void SpinWatch::after_turn(const Block& block, u64 used, const std::vector<BlockRunner*>& resident,
                           bool last_of_round) {
  if (!watches_) return;
  all_spun_ &= block.spins != 0 || used == 0;
  if (used != 0) fewest_polls_ = std::min(fewest_polls_, block.spins);
  if (!last_of_round) return;
  const KernelCounters& totals = *block.totals;
  const u64 changes = totals.global_store_requests + totals.atomic_requests + totals.barriers;
  const bool idle = all_spun_ && changes == seen_;
  idle_polls_ = idle ? idle_polls_ + fewest_polls_ : 0;
  seen_ = changes;
  begin_round();
  if (idle_polls_ < kPatience) return;
  const auto oldest = std::min_element(resident.begin(), resident.end(), [](BlockRunner* a, BlockRunner* b) {
    return a->block().linear_id < b->block().linear_id;
  });
  report_endless_wait((*oldest)->block(), resident.size());
}

void SpinWatch::after_turn(const Block& block, const TimeOrder& order) {
  const KernelCounters& totals = *block.totals;
  const u64 changes = totals.global_store_requests + totals.atomic_requests + totals.barriers;
  idle_polls_ = changes == seen_ && block.spins != 0 ? idle_polls_ + block.spins : 0;
  seen_ = changes;
  const u64 blocks = order.size();
  if (blocks == 0) return;
  if (order.is_stuck()) report_deadlock(order.oldest());
  if ((watches_ && idle_polls_ >= kPatience * blocks) ||
      (!shares_memory_ && order.all_slept() >= std::max(kPatience / blocks, kFewestSleeps)))
    report_endless_wait(order.oldest(), blocks);
}

}  // namespace roofline::sim
