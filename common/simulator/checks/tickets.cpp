// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/tickets.h"

#include <algorithm>

#include "simulator/machine/warp.h"

namespace roofline::sim {

void Tickets::launch_begins(const Grid& grid, const std::vector<Traits>& traits) {
  counters_.clear();
  earlier_.clear();
  came_.clear();
  last_.clear();
  blocks_ = u64{grid.size.x} * grid.size.y * grid.size.z;
  watched_ = blocks_ > 1 && std::ranges::count_if(traits, [](const Traits& each) {
                              return each.atomic != AtomicOperation::kNone && !each.block_scope;
                            }) > 1;
}

void Tickets::draw(u64 address, const Stamp& me, u64 time) {
  if (counters_.size() >= kMost && !counters_.contains(address)) return;
  Counter& counter = counters_[address];
  if (counter.drawn_twice) return;
  if (!counter.clocks.try_emplace(me.block, me.clock).second) {
    counter = {.clocks = {}, .latest = 0, .drawn_twice = true};
    return;
  }
  if (counter.clocks.size() == blocks_) last_[me.block] = {address, counter.latest, counter.clocks};
  counter.latest = time;
}

void Tickets::replaced(u64 address, const Stamp& write) {
  if (earlier_.size() < kMost || earlier_.contains(address)) earlier_[address] = write;
}

const Stamp* Tickets::earlier(u64 address) const {
  const auto found = earlier_.find(address);
  return found == earlier_.end() ? nullptr : &found->second;
}

const Tickets::Last* Tickets::behind_last(u32 block, u32 instruction) {
  u32& who = came_.try_emplace(instruction, block).first->second;
  if (who != block) who = kSeveral;
  const auto found = last_.find(block);
  return who == block && found != last_.end() ? &found->second : nullptr;
}

}  // namespace roofline::sim
