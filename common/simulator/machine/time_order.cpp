// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/time_order.h"

#include <algorithm>
#include <cmath>

namespace roofline::sim {

std::pair<double, u64> TimeOrder::key(const BlockRunner& runner) {
  return {runner.due(), runner.block().linear_id};
}

bool TimeOrder::holds(const BlockRunner& runner) const {
  return awake_.contains(key(runner)) || asleep_.contains(runner.block().linear_id);
}

BlockRunner& TimeOrder::take_first() {
  if (awake_.empty()) {
    ++all_slept_;
    for (const auto& [number, sleeper] : asleep_) add(*sleeper.runner);
    asleep_.clear();
    watched_.clear();
  }
  BlockRunner& first = *awake_.begin()->second;
  awake_.erase(awake_.begin());
  return first;
}

void TimeOrder::put_back(BlockRunner& runner) {
  if (!runner.only_polls()) {
    all_slept_ = 0;
    return add(runner);
  }
  const u64 number = runner.block().linear_id;
  asleep_[number] = {&runner, runner.poll_period()};
  for (const u64 sector : runner.polled()) {
    Watch& watch = watched_[sector];
    watch.content = hash_of_sector(memory_, sector);
    if (watch.blocks.empty() || watch.blocks.back() != number) watch.blocks.push_back(number);
  }
}

void TimeOrder::notice(const std::vector<SectorRun>& runs, double cycle) {
  if (asleep_.empty()) return;
  for (const SectorRun& run : runs) {
    if (run.kind == SectorRun::kRead) continue;
    for (u64 sector = run.first_sector; sector < run.first_sector + run.count; ++sector) {
      const auto found = watched_.find(sector);
      if (found == watched_.end() || found->second.content == hash_of_sector(memory_, sector)) continue;
      all_slept_ = 0;
      const std::vector<u64> blocks = std::move(found->second.blocks);
      watched_.erase(found);
      for (const u64 block : blocks) wake(block, cycle);
    }
  }
}

void TimeOrder::wake(u64 block, double cycle) {
  const auto found = asleep_.find(block);
  if (found == asleep_.end()) return;
  const Sleeper sleeper = found->second;
  asleep_.erase(found);
  const double late = std::max(cycle - sleeper.runner->due(), 0.0);
  sleeper.runner->block().start += std::ceil(late / sleeper.period) * sleeper.period;
  add(*sleeper.runner);
}

const Block& TimeOrder::oldest() const {
  const BlockRunner* oldest = nullptr;
  const auto look_at = [&](const BlockRunner* runner) {
    if (oldest == nullptr || runner->block().linear_id < oldest->block().linear_id) oldest = runner;
  };
  for (const auto& [due, runner] : awake_) look_at(runner);
  for (const auto& [number, sleeper] : asleep_) look_at(sleeper.runner);
  return oldest->block();
}

}  // namespace roofline::sim
