// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/machine/warp.h"
#include "simulator/program/launch.h"

/// Thread block clusters (sm_90): blocks that run together, wait for each other and read each other's shared
/// memory.
namespace roofline::sim {

/// A shared::cluster address: the upper byte is the block's rank in its cluster plus one, 0 for the block
/// itself; so an address of a block's own shared memory is one of its cluster's window, too.
inline constexpr u32 kClusterRankShift = 24;
inline constexpr u32 kClusterOffsetMask = (1u << kClusterRankShift) - 1;

/// One cluster in execution.
struct Cluster {
  /// None of its blocks has begun; the barrier waits for all of their threads.
  Cluster(u32 size, u64 threads_a_block);

  std::vector<Block*> blocks;  ///< by rank; nullptr before a block begins and after it has ended
  u32 ended = 0;
  /// Goes up with all that others of the cluster may wait for and memory does not show: the barrier
  /// completed, or a block wrote to the shared memory of another.
  u64 news = 0;

  /// barrier.cluster: lanes of a warp arrive.
  void arrive(Warp& warp, u32 lanes, const Instruction& in);
  /// Threads that end need not arrive any more.
  void exited(Warp& warp, u32 lanes);
  /// A block begins; its rank is set.
  void begin(Block& block) { blocks[block.cluster_rank] = &block; }
  /// True when it was the last one.
  bool end(const Block& block);

 private:
  void complete_if_full();

  u64 live_ = 0, arrived_ = 0;  ///< threads
  Barrier barrier_;             ///< its number
};

/// The cluster that a launch asks for: its own or the kernel's; no blocks when neither does.
inline Dim3 cluster_of(const Kernel& kernel, const Launch& launch) {
  return launch.cluster.count() != 0 ? launch.cluster : kernel.cluster;
}

/// The grid, counted in clusters.
inline Dim3 cluster_grid(const Grid& grid) {
  return {grid.size.x / grid.cluster.x, grid.size.y / grid.cluster.y, grid.size.z / grid.cluster.z};
}

/// The n-th block to start: blocks of a cluster follow each other, in the order of their ranks.
u64 block_in_order(const Grid& grid, u64 n);

}  // namespace roofline::sim
