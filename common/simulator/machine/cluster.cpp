// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/cluster.h"

#include <algorithm>
#include <bit>

#include "simulator/machine/observer.h"

namespace roofline::sim {

Cluster::Cluster(u32 size, u64 threads_a_block) : blocks(size), live_(size * threads_a_block) {}

void Cluster::arrive(Warp& warp, u32 lanes, const Instruction& in) {
  warp.cluster_arrived |= lanes;
  arrived_ += static_cast<u32>(std::popcount(lanes));
  ++warp.block->totals->barriers;
  if (warp.recording != nullptr) warp.recording->arrive(barrier_.number(kClusterBarrier), in);
  complete_if_full();
}

void Cluster::exited(Warp& warp, u32 lanes) {
  arrived_ -= static_cast<u32>(std::popcount(warp.cluster_arrived & lanes));
  warp.cluster_arrived &= ~lanes;
  live_ -= static_cast<u32>(std::popcount(lanes));
  if (arrived_ != 0) complete_if_full();
}

void Cluster::complete_if_full() {
  if (arrived_ < live_) return;
  arrived_ = 0;
  const u32 number = barrier_.number(kClusterBarrier);
  ++barrier_.phase;
  ++news;
  const auto any = std::ranges::find_if(blocks, [](const Block* block) { return block != nullptr; });
  if (any != blocks.end() && (*any)->observer != nullptr) (*any)->observer->cluster_met(*this);
  Scoreboard::Cycles latest;  // of the kernel: each block counts from its own start
  const auto each_warp = [&](auto use) {
    for (Block* block : blocks)
      for (u32 i = 0; block != nullptr && i < block->warp_count; ++i)
        if (block->warps[i].state != Warp::State::kDone) use(block->warps[i]);
  };
  each_warp([&](Warp& w) {
    if (w.scoreboard == nullptr) return;
    const Scoreboard::Cycles now = w.scoreboard->now();
    const double start = w.block->start;
    latest = {std::max(latest.l2, start + now.l2), std::max(latest.dram, start + now.dram)};
  });
  each_warp([&](Warp& w) {
    w.cluster_passed |= w.cluster_arrived;
    w.cluster_arrived = 0;
    if (w.scoreboard != nullptr) {
      w.scoreboard->advance_to({latest.l2 - w.block->start, latest.dram - w.block->start});
      w.due = std::max(w.due, w.scoreboard->now().l2);
    }
    if (w.release_barrier(kClusterBarrier, 0, 0) && w.recording != nullptr) w.recording->meet(number);
  });
}

bool Cluster::end(const Block& block) {
  blocks[block.cluster_rank] = nullptr;
  return ++ended == blocks.size();
}

u64 block_in_order(const Grid& grid, u64 n) {
  if (!grid.has_clusters) return n;
  const Dim3 shape = grid.cluster, clusters = cluster_grid(grid);
  const u64 size = shape.count(), cluster = n / size, rank = n % size;
  const u64 x = cluster % clusters.x * shape.x + rank % shape.x;
  const u64 y = cluster / clusters.x % clusters.y * shape.y + rank / shape.x % shape.y;
  const u64 z = cluster / clusters.x / clusters.y * shape.z + rank / shape.x / shape.y;
  return x + grid.size.x * (y + grid.size.y * z);
}

}  // namespace roofline::sim
