// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/time_order.h"

#include <algorithm>
#include <cmath>

#include "simulator/machine/cluster.h"

namespace roofline::sim {

std::pair<double, u64> TimeOrder::key(const BlockRunner& runner) {
  return {runner.due(), runner.block().linear_id};
}

bool TimeOrder::holds(const BlockRunner& runner) const {
  const u64 number = runner.block().linear_id;
  return awake_.contains(key(runner)) || asleep_.contains(number) || at_barriers_.contains(number);
}

void TimeOrder::add(BlockRunner& runner) {
  const auto [due, number] = key(runner);
  awake_[{due, number}] = &runner;
  if (runner.block().cluster != nullptr) dues_[number] = due;
}

BlockRunner& TimeOrder::take_first() {
  if (awake_.empty()) {
    ++all_slept_;
    for (const auto& [number, sleeper] : asleep_) add(*sleeper.runner);
    asleep_.clear();
    watched_.clear();
  }
  if (awake_.empty()) {
    for (const auto& [number, runner] : at_barriers_) add(*runner);
    at_barriers_.clear();
  }
  BlockRunner& first = *awake_.begin()->second;
  awake_.erase(awake_.begin());
  dues_.erase(first.block().linear_id);
  return first;
}

void TimeOrder::put_back(BlockRunner& runner) {
  const u64 number = runner.block().linear_id;
  if (std::isinf(runner.due())) {
    all_slept_ = 0;
    at_barriers_[number] = &runner;
    return;
  }
  if (!runner.only_polls()) {
    all_slept_ = 0;
    return add(runner);
  }
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
  catch_up(sleeper, cycle);
  add(*sleeper.runner);
}

void TimeOrder::look_again() {
  const double now = awake_.empty() ? 0 : awake_.begin()->first.first;
  for (const auto& [number, sleeper] : asleep_) {
    catch_up(sleeper, now);
    add(*sleeper.runner);
  }
  asleep_.clear();
  watched_.clear();
}

void TimeOrder::catch_up(const Sleeper& sleeper, double cycle) {
  const double late = std::max(cycle - sleeper.runner->due(), 0.0);
  sleeper.runner->block().start += std::ceil(late / sleeper.period) * sleeper.period;
}

void TimeOrder::catch_up(const Cluster& cluster, double cycle) {
  if (asleep_.empty()) return;
  for (const Block* block : cluster.blocks) {
    if (block == nullptr) continue;
    if (const auto found = asleep_.find(block->linear_id); found != asleep_.end())
      catch_up(found->second, cycle);
  }
}

void TimeOrder::wake(const Cluster& cluster) {
  all_slept_ = 0;
  for (const Block* block : cluster.blocks) {
    if (block == nullptr) continue;
    const u64 number = block->linear_id;
    BlockRunner* runner = nullptr;
    if (const auto awake = dues_.find(number); awake != dues_.end()) {
      const auto place = awake_.find({awake->second, number});
      runner = place->second;
      awake_.erase(place);
    } else if (const auto asleep = asleep_.find(number); asleep != asleep_.end()) {
      runner = asleep->second.runner;
      asleep_.erase(asleep);
    } else if (const auto waits = at_barriers_.find(number);
               waits != at_barriers_.end() && !std::isinf(waits->second->due())) {
      runner = waits->second;
      at_barriers_.erase(waits);
    }
    if (runner != nullptr) add(*runner);
  }
}

const Block& TimeOrder::oldest() const {
  const BlockRunner* oldest = nullptr;
  const auto look_at = [&](const BlockRunner* runner) {
    if (oldest == nullptr || runner->block().linear_id < oldest->block().linear_id) oldest = runner;
  };
  for (const auto& [due, runner] : awake_) look_at(runner);
  for (const auto& [number, sleeper] : asleep_) look_at(sleeper.runner);
  if (oldest == nullptr)
    for (const auto& [number, runner] : at_barriers_) look_at(runner);
  return oldest->block();
}

}  // namespace roofline::sim
