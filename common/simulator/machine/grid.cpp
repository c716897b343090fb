// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/grid.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <list>
#include <numeric>
#include <tuple>

#include "random/philox.h"
#include "simulator/machine/block_trap.h"
#include "simulator/machine/cluster.h"
#include "simulator/machine/counter_sums.h"
#include "simulator/machine/frame.h"
#include "simulator/machine/memory_queues.h"
#include "simulator/machine/observer.h"
#include "simulator/machine/spin_watch.h"
#include "simulator/machine/time_order.h"
#include "simulator/timing/device_description.h"

namespace roofline::sim {

namespace {

/// Warp instructions between two looks at the clock.
constexpr u64 kSlice = u64{1} << 18;
/// The same in a mixed order: so few that many blocks are at the same place in their code at once, as on a
/// GPU. With long turns each block would find that those before it have ended.
constexpr u64 kShortSlice = 256;

/// How much more than a sampled block another must do to count by its own dependency time.
constexpr double kLonger = 1.5;

constexpr u64 kMostBlocksAShare = 16;

/// Warps of a launch for each host thread that takes part: fewer have ended before a thread wakes up.
constexpr u64 kWarpsAWorker = 16;

/// Instructions that are recorded of the blocks that an SM holds at a time, and of a warp at least.
constexpr u64 kRecordedAnSm = u64{1} << 17;
constexpr u64 kRecordedAWarp = 512;

/// Blocks that are recorded where the grid has many more of them ...
constexpr u64 kMostSamples = 8;
/// ... so many for each.
constexpr u64 kBlocksASample = 8;

}  // namespace

struct GridRunner::Launch {
  Grid& grid;
  L2Cache& l2;
  u64 blocks = 0, resident = 1, l1_bytes = 0;
  unsigned workers = 1;   ///< host threads that run blocks
  bool parallel = false;  ///< several do
  u64 share = 1;          ///< blocks that a thread takes at a time
  u64 at_ends = 0;        ///< blocks that run at each end of the grid; 0: all
  L2Cache::Traffic traffic{};
  RunMerger merger{l2, traffic};
  std::atomic<u64> next{0};  ///< share
  std::atomic<u64> stop_at{
      std::numeric_limits<u64>::max()};  ///< blocks from here on need not run: one before trapped
  std::mutex mutex{};
  std::optional<Trap> trap{};
  std::list<Cluster> clusters{};  ///< that run, the latest last
  Scoreboard::Cycles longest{};   ///< dependency time of the block with most, by pace if it is no sample ...
  u64 longest_instructions = 0;   ///< ... and what the one did
  std::vector<BlockRecord> records{};
  u32 recorded = 0;  ///< instructions of a warp of a sampled block
  Clock::time_point start = Clock::now();

  std::vector<u64> samples{};  ///< blocks that are recorded, one of each part of the grid

  void draw_samples() {
    const bool many = blocks >= kMostSamples * kBlocksASample && !grid.kernel->in_order;
    const u64 n = many ? kMostSamples : 2;
    for (u64 i = 0; i < n; ++i) {
      const PhiloxBlock random = philox(grid.sample_seed, i);
      const u64 first = blocks * i / n, end = blocks * (i + 1) / n;
      const u64 drawn = u64{random.word[1]} << 32 | random.word[0];
      samples.push_back(first + drawn % std::max<u64>(end - first, 1));
    }
  }
  bool is_left_out(u64 block) const { return at_ends != 0 && block >= at_ends && blocks - block > at_ends; }
  bool is_sample(u64 block) const {
    return std::find(samples.begin(), samples.end(), block) != samples.end();
  }
  u32 records_of(u64 block) const { return is_sample(block) ? recorded : 0; }
  bool in_time = false;  ///< blocks run in the order of time
  double last_end = 0;   ///< of a block then, in cycles of the kernel
  bool tracks(u64 block) const { return is_sample(block) || grid.kernel->uses_clock || in_time; }

  /// The SM that is replayed has the recorded blocks in turn: whichever are first, they are spread over the
  /// grid.
  void spread_records() {
    std::sort(records.begin(), records.end(),
              [](const BlockRecord& a, const BlockRecord& b) { return a.block < b.block; });
    if (records.size() != kMostSamples) return;
    constexpr size_t kSpread[kMostSamples] = {0, 4, 2, 6, 1, 5, 3, 7};
    std::vector<BlockRecord> spread;
    for (const size_t i : kSpread) spread.push_back(std::move(records[i]));
    records = std::move(spread);
  }
};

GridRunner::GridRunner(const DeviceDescription& device, const GridSettings& settings, unsigned threads)
    : device_(device), settings_(settings), pool_(threads) {}

GridRunner::~GridRunner() = default;

GridOutcome GridRunner::run(Grid& grid, L2Cache& l2, const Occupancy& occupancy) {
  Launch launch{.grid = grid, .l2 = l2};
  launch.blocks = grid.size.count();
  launch.at_ends = settings_.blocks_at_ends;
  launch.draw_samples();
  launch.resident = std::max<u64>(u64{occupancy.blocks_per_sm} * device_.sms, 1);
  const u64 shared =
      grid.kernel->static_shared_bytes + grid.dynamic_shared_bytes + device_.shared_reserved_per_block;
  const u64 blocks_per_sm = std::max<u64>(occupancy.blocks_per_sm, 1);
  launch.l1_bytes = device_.l1_bytes > shared * blocks_per_sm ? device_.l1_bytes / blocks_per_sm - shared : 0;
  const u64 warps = blocks_per_sm * ((grid.block.count() + kWarpSize - 1) / kWarpSize);
  launch.recorded = static_cast<u32>(std::max(kRecordedAnSm / warps, kRecordedAWarp));
  const bool in_turns =
      grid.kernel->takes_turns() || grid.has_clusters || (grid.kernel->in_order && settings_.shuffle_blocks);
  if (grid.has_clusters) {
    // Whole clusters; one at a time when nothing else connects the blocks.
    const u64 size = grid.cluster.count();
    launch.resident = grid.kernel->in_order ? std::max(launch.resident / size, u64{1}) * size : size;
  }
  const unsigned workers = workers_for(launch, in_turns);
  while (workers_.size() < workers) workers_.push_back(std::make_unique<Worker>(device_));
  launch.workers = workers;
  launch.parallel = workers > 1;
  grid.parallel = launch.parallel || settings_.shares_memory;
  launch.share = std::clamp<u64>(launch.blocks / (u64{workers} * 32), 1, kMostBlocksAShare);
  launch.traffic.by_instruction.resize(grid.kernel->info.size());
  fill_launch_rows(*grid.kernel, grid);
  for (unsigned i = 0; i < workers; ++i) {
    Worker& worker = *workers_[i];
    worker.issued.assign(grid.kernel->info.size(), {});
    worker.counters.assign(grid.kernel->info.size(), {});
    worker.totals = {};
    worker.output.clear();
    worker.busiest.clear();
    // A request that lies as one of an earlier launch did would not come to the observer.
    if (grid.observer != nullptr)
      for (AccessEntry& known : worker.access.entries) known.pattern.mask = 0;
    worker.heat.clear();
  }
  launch.in_time = grid.kernel->in_order && grid.kernel->waits_for_blocks && !settings_.shuffle_blocks;
  if (launch.in_time) {
    if (launch.at_ends == 0) run_in_time(launch);
  } else if (in_turns) {
    if (launch.at_ends == 0) run_in_turns(launch);
  } else {
    run_parallel(launch);
  }
  GridOutcome outcome;
  outcome.counters.per_instruction.assign(grid.kernel->info.size(), {});
  for (unsigned i = 0; i < workers; ++i) {
    Worker& worker = *workers_[i];
    add_instructions(outcome.counters.per_instruction, worker.issued, worker.counters);
    add_totals(outcome.counters, worker.totals);
    outcome.output.merge(worker.output);
    if (i == 0) continue;
    workers_[0]->heat.add(worker.heat);
    workers_[0]->busiest.add(worker.busiest);
  }
  outcome.counters.busiest = workers_[0]->busiest.busiest(device_.sms);
  for (size_t i = 0; i < launch.traffic.by_instruction.size(); ++i) {
    outcome.counters.per_instruction[i].l2_read_sectors = launch.traffic.by_instruction[i].sectors;
    outcome.counters.per_instruction[i].l2_hit_sectors = launch.traffic.by_instruction[i].hits;
  }
  outcome.counters.atomic_same_address_max = workers_[0]->heat.addresses.max();
  outcome.counters.atomic_slice_turns_max = workers_[0]->heat.slices.max();
  outcome.counters.l2_read_sectors = launch.traffic.read_sectors;
  outcome.counters.l2_hit_sectors = launch.traffic.read_hits;
  outcome.counters.l2_write_sectors = launch.traffic.write_sectors;
  outcome.counters.host_read_bytes = launch.traffic.host_read_bytes;
  outcome.counters.host_write_bytes = launch.traffic.host_write_bytes;
  for (const PeerBytes& peer : launch.traffic.peers) {
    outcome.counters.peer_read_bytes += peer.read;
    outcome.counters.peer_write_bytes += peer.written;
  }
  outcome.counters.peers = std::move(launch.traffic.peers);
  outcome.counters.dram_read_bytes = launch.traffic.dram_read_bytes;
  outcome.counters.dram_write_bytes = launch.traffic.dram_write_bytes;
  launch.spread_records();
  u64 sampled = std::numeric_limits<u64>::max();
  for (const BlockRecord& record : launch.records) {
    sampled = std::min(sampled, record.issued);
    outcome.counters.block_cycles_l2 = std::max(outcome.counters.block_cycles_l2, record.alone.l2);
    outcome.counters.block_cycles_dram = std::max(outcome.counters.block_cycles_dram, record.alone.dram);
  }
  // Blocks that wait for other blocks do as much as they please.
  if (!grid.kernel->in_order &&
      static_cast<double>(launch.longest_instructions) > kLonger * static_cast<double>(sampled)) {
    outcome.counters.longest_cycles_l2 = launch.longest.l2;
    outcome.counters.longest_cycles_dram = launch.longest.dram;
  }
  outcome.cycles_in_time = launch.last_end;
  outcome.records = std::move(launch.records);
  outcome.trap = launch.trap;
  outcome.trapped_block = launch.stop_at;
  return outcome;
}

unsigned GridRunner::workers_for(const Launch& launch, bool in_turns) const {
  if (in_turns || launch.grid.observer != nullptr) return 1;
  const u64 warps_a_block = (launch.grid.block.count() + kWarpSize - 1) / kWarpSize;
  const u64 needed = launch.blocks * warps_a_block / kWarpsAWorker;
  return static_cast<unsigned>(std::clamp<u64>(needed, 1, std::min<u64>(pool_.most(), launch.blocks)));
}

void GridRunner::check_time(const Launch& launch, const Block& block) const {
  if (settings_.time_limit <= 0) return;
  if (std::chrono::duration<double>(Clock::now() - launch.start).count() > settings_.time_limit)
    report_timeout(block, settings_.time_limit);
}

void GridRunner::note_trap(Launch& launch, u64 block, const Trap& trap) {
  const std::lock_guard lock(launch.mutex);
  if (block >= launch.stop_at) return;
  launch.stop_at = block;
  launch.trap = trap;
  launch.merger.cancel();
}

namespace {

/// `transfers_a_wavefront`: shared memory's clocks for one in transfers of L1, behind the same data path.
void add_balance(KernelCounters& totals, BusiestTally& busiest, const Block& block,
                 double transfers_a_wavefront) {
  u64 most = 0, sum = 0;
  ResourceUse busiest_warp, all;
  for (u32 i = 0; i < block.warp_count; ++i) {
    most = std::max(most, block.warps[i].issued);
    sum += block.warps[i].issued;
    ResourceUse& work = block.warps[i].work;
    for (size_t pipe = 0; pipe < static_cast<size_t>(Pipe::kTensor); ++pipe)
      work[ResourceUse::kIssue] += work[pipe];
    work[ResourceUse::kIssue] += work[static_cast<size_t>(Pipe::kControl)];
    const u64 wavefronts = work[ResourceUse::kSharedWavefronts];
    work[ResourceUse::kL1Passes] += wavefronts;
    work[ResourceUse::kL1Transfers] +=
        static_cast<u64>(static_cast<double>(wavefronts) * transfers_a_wavefront);
    busiest_warp.raise_to(work);
    all.add(work);
  }
  busiest.add_block(all, busiest_warp);
  totals.busiest_warp_instructions += most * block.warp_count;
  totals.even_warp_instructions += sum;
  totals.busiest_block_instructions = std::max(totals.busiest_block_instructions, sum);
}

}  // namespace

void GridRunner::finish_block(Launch& launch, Worker& worker, BlockRunner& runner) {
  Block& block = runner.block();
  if (block.observer != nullptr) block.observer->block_ends(block);
  worker.output.add(block.linear_id, block.output);
  add_balance(
      worker.totals, worker.busiest, block,
      device_.l1_bytes_per_clock / (static_cast<double>(kLineBytes) * device_.shared_wavefronts_per_clock));
  u64 instructions = 0;
  for (u32 i = 0; i < block.warp_count; ++i) instructions += block.warps[i].issued;
  const bool is_sample = launch.is_sample(block.linear_id);
  if (const Scoreboard::Cycles cycles = is_sample ? runner.cycles() : runner.cycles_by_pace();
      cycles.dram > 0) {
    const std::lock_guard lock(launch.mutex);
    // Of two that take as long the one that does more, whoever comes first.
    const auto rank = [](const Scoreboard::Cycles& c, u64 n) { return std::tuple(c.dram, c.l2, n); };
    if (rank(cycles, instructions) > rank(launch.longest, launch.longest_instructions)) {
      launch.longest = cycles;
      launch.longest_instructions = instructions;
    }
  }
  if (!is_sample) return;
  BlockRecord record = runner.take_record();
  record.issued = instructions;
  record.alone = runner.cycles();
  const std::lock_guard lock(launch.mutex);
  launch.records.push_back(std::move(record));
}

// ---- all host threads ----

void GridRunner::run_parallel(Launch& launch) {
  if (!launch.parallel) {
    work(launch, *workers_[0]);
    return;
  }
  pool_.run(launch.workers, [&](unsigned i) { work(launch, *workers_[i]); });
}

void GridRunner::work(Launch& launch, Worker& worker) {
  worker.runner.prepare(launch.grid, launch.l1_bytes, worker.issued.data(), &worker.counters, &worker.totals,
                        &worker.access, &worker.heat);
  Block& block = worker.runner.block();
  std::vector<SectorRun>& runs = block.runs;
  block.deferred = launch.parallel && launch.grid.kernel->in_order ? &worker.left.atomics : nullptr;
  for (;;) {
    const u64 share = launch.next.fetch_add(1), first = share * launch.share;
    if (first >= launch.blocks || first > launch.stop_at) return;
    if (launch.parallel) launch.merger.wait_for_window(share);
    if (block.deferred != nullptr)
      block.deferred->begin([&launch, share] { launch.merger.wait_for_turn(share); }, launch.grid.parallel);
    runs.clear();
    for (u64 id = first; id < std::min(first + launch.share, launch.blocks) && id < launch.stop_at; ++id) {
      if (launch.is_left_out(id)) continue;
      run_block(launch, worker, id);
      if (launch.parallel) continue;
      launch.l2.access(runs.data(), runs.size(), launch.traffic);
      runs.clear();
    }
    if (!launch.parallel) continue;
    runs.swap(worker.left.runs);
    launch.merger.finished(share, worker.left);
    runs.swap(worker.left.runs);
  }
}

void GridRunner::run_block(Launch& launch, Worker& worker, u64 id) {
  try {
    worker.runner.begin(id, launch.tracks(id), launch.records_of(id));
    u64 used = 0;
    while (!worker.runner.run(kSlice, used)) {
      if (launch.stop_at < id) break;
      check_time(launch, worker.runner.block());
    }
  } catch (const TrapException& trap) {
    note_trap(launch, id, trap.trap);
  }
  finish_block(launch, worker, worker.runner);
}

// ---- one thread, in turns ----

/// The n-th of `count` numbers in an order far from ascending, descending, or by rows of any width: the last
/// one, and then steps of about 0.38 times the count, round and round.
static u64 shuffled(u64 n, u64 count) {
  u64 step = std::max<u64>(1, static_cast<u64>(0.381966 * static_cast<double>(count)));
  while (std::gcd(step, count) != 1) ++step;
  return count - 1 - static_cast<u64>(static_cast<unsigned __int128>(n) * step % count);
}

void GridRunner::start_block(Launch& launch, BlockRunner& runner, u64 n) {
  const bool mixed = settings_.shuffle_blocks && !launch.grid.has_clusters;
  const u64 id = block_in_order(launch.grid, mixed ? shuffled(n, launch.blocks) : n),
            size = launch.grid.cluster.count();
  runner.block().runs.clear();
  if (launch.grid.has_clusters && n % size == 0)
    launch.clusters.emplace_back(static_cast<u32>(size), launch.grid.block.count());
  Cluster* cluster = launch.grid.has_clusters ? &launch.clusters.back() : nullptr;
  runner.begin(id, launch.tracks(id), launch.records_of(id), cluster, static_cast<u32>(n % size));
}

void GridRunner::end_in_cluster(Launch& launch, const Block& block) {
  if (block.cluster != nullptr && block.cluster->end(block))
    launch.clusters.remove_if([&](const Cluster& c) { return &c == block.cluster; });
}

BlockRunner& GridRunner::idle_runner(Launch& launch, std::vector<BlockRunner*>& idle) {
  if (idle.empty()) {
    residents_.push_back(std::make_unique<BlockRunner>(device_));
    idle.push_back(residents_.back().get());
  }
  BlockRunner& runner = *idle.back();
  idle.pop_back();
  Worker& worker = *workers_[0];
  runner.prepare(launch.grid, launch.l1_bytes, worker.issued.data(), &worker.counters, &worker.totals,
                 &worker.access, &worker.heat);
  return runner;
}

void GridRunner::run_in_turns(Launch& launch) {
  Worker& worker = *workers_[0];
  std::vector<BlockRunner*> resident, idle;
  u64 started = 0;
  size_t turn = 0, idle_turns = 0;
  SpinWatch watch(launch.grid, settings_.shares_memory);
  for (auto& runner : residents_) idle.push_back(runner.get());
  // Whatever has room starts, in launch order; then round and round. In a mixed order the newest is the first
  // of a round: what it waits for is then not there because older blocks had their turns before it.
  while (started < launch.blocks || !resident.empty()) {
    if (turn >= resident.size()) turn = 0;
    if (started < launch.blocks && resident.size() < launch.resident) {
      BlockRunner* fresh = &idle_runner(launch, idle);
      start_block(launch, *fresh, started);
      ++started;
      turn = settings_.shuffle_blocks ? 0 : resident.size();
      resident.push_back(fresh);
      watch.reset();
      idle_turns = 0;
    }
    const size_t at = settings_.shuffle_blocks ? resident.size() - 1 - turn : turn;
    BlockRunner* runner = resident[at];
    Block& block = runner->block();
    bool ended = false;
    try {
      u64 used = 0;
      ended = runner->run(settings_.shuffle_blocks ? kShortSlice : kSlice, used);
      if (!ended) {
        check_time(launch, block);
        watch.note(block);
        watch.after_turn(block, used, resident, turn + 1 == resident.size());
        idle_turns = used != 0 ? 0 : idle_turns + 1;
        if (idle_turns > resident.size()) report_deadlock(block);
      }
    } catch (const TrapException& trap) {
      note_trap(launch, block.linear_id, trap.trap);
      for (BlockRunner* other : resident) finish_block(launch, worker, *other);
      return;
    }
    launch.l2.access(block.runs.data(), block.runs.size(), launch.traffic);
    block.runs.clear();
    if (!ended) {
      ++turn;
      continue;
    }
    finish_block(launch, worker, *runner);
    end_in_cluster(launch, block);
    watch.reset();
    idle_turns = 0;
    resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(at));
    idle.push_back(runner);
  }
}

// ---- one thread, in the order of time ----

void GridRunner::run_in_time(Launch& launch) {
  Worker& worker = *workers_[0];
  std::vector<BlockRunner*> idle;
  for (auto& runner : residents_) idle.push_back(runner.get());
  TimeOrder order(*launch.grid.memory);
  SpinWatch watch(launch.grid, settings_.shares_memory);
  MemoryQueues memory(device_, launch.traffic);
  const u64 together = launch.grid.has_clusters ? launch.grid.cluster.count() : 1;
  u64 started = 0, places = launch.resident;
  double places_free = 0;  // since when: cycle of the kernel
  // Blocks start in launch order, those of a cluster together, no faster than the device launches them.
  const auto start_next = [&] {
    for (u64 i = 0; i < together; ++i, ++started) {
      BlockRunner& runner = idle_runner(launch, idle);
      start_block(launch, runner, started);
      runner.block().start = std::max(places_free, number(started) / device_.blocks_per_clock);
      order.add(runner);
    }
    places -= together;
  };
  const auto has_room = [&] { return started < launch.blocks && places >= together; };
  while (has_room()) start_next();
  while (order.size() != 0) {
    BlockRunner& runner = order.take_first();
    Block& block = runner.block();
    Cluster* const cluster = block.cluster;
    const double cycle = runner.due();
    const u64 known = cluster != nullptr ? cluster->news : 0;
    bool ended = false;
    if (cluster != nullptr) order.catch_up(*cluster, cycle);
    try {
      u64 used = 0;
      ended = runner.run_until(cycle, kSlice, used);
      check_time(launch, block);
      order.notice(block.runs, cycle);
      watch.note(block);
      launch.l2.access(block.runs.data(), block.runs.size(), launch.traffic);
      block.runs.clear();
      block.start += memory.wait(cycle);
      if (!ended) order.put_back(runner);
      if (cluster != nullptr && cluster->news != known) order.wake(*cluster);
      watch.after_turn(block, order);
    } catch (const TrapException& trap) {
      note_trap(launch, block.linear_id, trap.trap);
      if (!order.holds(runner)) finish_block(launch, worker, runner);
      while (order.size() != 0) finish_block(launch, worker, order.take_first());
      return;
    }
    if (!ended) continue;
    finish_block(launch, worker, runner);
    end_in_cluster(launch, block);
    const double end = block.start + runner.cycles().l2;
    launch.last_end = std::max(launch.last_end, end);
    idle.push_back(&runner);
    ++places;
    places_free = std::max(places_free, end + device_.block_start_latency);
    if (!has_room()) continue;
    start_next();
    places_free = 0;
  }
}

}  // namespace roofline::sim
