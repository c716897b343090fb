// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/spin_watch.h"

#include <algorithm>
#include <utility>

#include "simulator/machine/block_trap.h"
#include "simulator/machine/frame.h"
#include "simulator/program/address_windows.h"

namespace roofline::sim {

namespace {

constexpr u64 kPatience = u64{1} << 18;
/// Others cost little: what comes of it is known soon, and the kernel looks again soon.
constexpr u64 kPatienceBeforeOthers = u64{1} << 12, kFewestBeforeOthers = 16;

}  // namespace

u64 SpinWatch::patience(u64 blocks) const {
  if (grid_.others == nullptr) return kPatience;
  return std::max(kPatienceBeforeOthers / blocks, kFewestBeforeOthers);
}

u64 SpinWatch::patience_asleep(u64 blocks) const {
  constexpr u64 kFewest = 256;
  return grid_.others != nullptr ? patience(blocks) : std::max(kPatience / blocks, kFewest);
}

void SpinWatch::note(const Block& block) {
  if (block.spins == 0 || host_) return;
  constexpr u64 kSector = kHostWindow / kSectorBytes;
  host_ = std::any_of(block.runs.begin(), block.runs.end(),
                      [](const SectorRun& run) { return run.first_sector >= kSector; });
}

bool SpinWatch::is_overdue() const {
  constexpr std::chrono::milliseconds kLong{20};
  return host_ && grid_.others != nullptr && std::chrono::steady_clock::now() - others_went_on_ > kLong;
}

Others SpinWatch::let_others_go_on() {
  const Others others = (*grid_.others)(std::exchange(moved_, false));
  fill_launch_rows(*grid_.kernel, grid_);  // another launch of the kernel may have used them
  idle_polls_ = 0;
  others_went_on_ = std::chrono::steady_clock::now();
  return others;
}

void SpinWatch::wait(const Block& oldest, u64 blocks, bool asleep) {
  if (grid_.others == nullptr && host_) {
    idle_polls_ = 0;  // host code may write there, whatever else is held up
    return;
  }
  const Others others = grid_.others != nullptr ? let_others_go_on() : Others::kChangeNothing;
  const bool may_end = asleep ? shares_memory_ : !reports();
  if (others == Others::kAreGone || (others == Others::kChangeNothing && !may_end))
    report_endless_wait(oldest, blocks);
}

void SpinWatch::after_turn(const Block& block, u64 used, const std::vector<BlockRunner*>& resident,
                           bool last_of_round) {
  if (!watches()) return;
  all_spun_ &= block.spins != 0 || used == 0;
  if (used != 0) fewest_polls_ = std::min(fewest_polls_, block.spins);
  if (!last_of_round) return;
  const KernelCounters& totals = *block.totals;
  const u64 changes = totals.global_store_requests + totals.atomic_requests + totals.barriers;
  const bool idle = all_spun_ && changes == seen_;
  if (!idle) reset();
  idle_polls_ += idle ? fewest_polls_ : 0;
  seen_ = changes;
  begin_round();
  if (idle_polls_ < patience(resident.size()) && !is_overdue()) return;
  const auto oldest = std::min_element(resident.begin(), resident.end(), [](BlockRunner* a, BlockRunner* b) {
    return a->block().linear_id < b->block().linear_id;
  });
  wait((*oldest)->block(), resident.size());
}

void SpinWatch::after_turn(const Block& block, TimeOrder& order) {
  const KernelCounters& totals = *block.totals;
  const u64 changes = totals.global_store_requests + totals.atomic_requests + totals.barriers;
  if (changes == seen_ && block.spins != 0)
    idle_polls_ += block.spins;
  else
    reset();
  seen_ = changes;
  const u64 blocks = order.size();
  if (blocks == 0) return;
  if (order.is_stuck()) report_deadlock(order.oldest());
  if (order.all_slept() < sleeps_) {  // somebody did something else, and it counts anew
    sleeps_ = 0;
    moved_ = true;
  }
  const bool asleep = order.all_slept() - sleeps_ >= patience_asleep(blocks);
  if (!asleep && !(watches() && idle_polls_ >= patience(blocks) * blocks) && !is_overdue()) return;
  if (asleep) moved_ &= sleeps_ == 0;  // atomic operations that only look are no change
  sleeps_ = order.all_slept();
  wait(order.oldest(), blocks, asleep);
  order.look_again();
}

}  // namespace roofline::sim
