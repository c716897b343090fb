// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "simulator/machine/fragment.h"
#include "simulator/machine/lanes.h"
#include "simulator/program/counters.h"
#include "simulator/program/others.h"
#include "simulator/program/trap.h"
#include "simulator/timing/cache.h"
#include "simulator/timing/recording.h"
#include "simulator/timing/scoreboard.h"

namespace roofline::sim {

struct Block;
struct Grid;
class Memory;
class Textures;       // machine/textures.h
class Conditions;     // machine/conditions.h
class DeviceRuntime;  // machine/device_runtime.h
struct Cluster;       // machine/cluster.h
class AccessCache;    // machine/access_cache.h
struct AtomicHeat;
class DeferredAtomics;  // machine/deferred_atomics.h
class Observer;         // machine/observer.h
class ThreadRecorder;   // machine/thread_recorder.h

/// A warp in execution. Instruction bodies see Lanes (registers, mask) and, where they need it, the block.
struct Warp : Lanes {
  Block* block = nullptr;
  u32 index = 0;  ///< of the warp in its block; lane l is thread index*32 + l
  u32 pc = 0;     ///< of the running fragment; control flow sets it (already advanced when execute runs)
  u32 stop = kNowhere;    ///< the running fragment parks when pc gets here
  u32 existing = 0;       ///< lanes that are threads of the block (partial last warp)
  u32 exited = 0;         ///< lanes that have returned
  u32 fragment_mask = 0;  ///< lanes of the running fragment (mask is this with the guard applied)
  bool yield = false;     ///< set by an instruction: leave the run loop after it (load issued, barrier, spin)
  bool changed = false;   ///< set by control flow: fragment, frame or stop are others now
  bool repeat = false;    ///< set with `changed`: the instruction did not run, it comes again

  const Function* function = nullptr;  ///< of the running frame
  u64 local_base = 0;                  ///< of the running frame, in every lane's local memory
  Frame* frame = nullptr;              ///< of the running fragment
  Join* join = nullptr;

  Scoreboard* scoreboard = nullptr;               ///< only in sampled blocks
  BlockRecorder::Warp* recording = nullptr;       ///< likewise, what timing replays
  ThreadRecorder* recorder = nullptr;             ///< only when one of its threads is followed
  MemoryLevel memory_level = MemoryLevel::kNone;  ///< set by memory instructions for the scoreboard
  u32 memory_passes = 1, memory_transfers = 0;    ///< AddressPattern::passes, ::transfers
  u32 memory_sectors = 0;                         ///< of the request, that go beyond L1
  u32 memory_turns = 0;                           ///< of an AtomicForm::kLoop, and ...
  u32 memory_word = 0;                            ///< ... where most lanes meet

  std::vector<Fragment> others;  ///< ready or waiting; the running one is in the fields above
  Pool<Frame> frames;
  Pool<Join> joins;
  std::vector<Join*> open_joins;  ///< of this warp, oldest first
  u64 issued = 0;                 ///< instructions so far
  ResourceUse work;               ///< so far; issue slots of all pipes are added up at the end
  /// Instructions that may be waiting for others; goes on through calls and the arms of a branch.
  u32 spins = 0;
  u32 turns = 0;  ///< shares of them that were used up since parked lanes were let go
  /// In blocks that run in the order of time: when the warp's next instruction that meets other blocks
  /// starts, in cycles of the block. It does not go on before.
  double due = 0;
  u32 cluster_arrived = 0;  ///< lanes that arrived at the cluster's barrier in its present phase
  u32 cluster_passed = 0;   ///< lanes that arrived in a phase that is complete, and have not waited
  enum class State : u8 { kReady, kBlocked, kDone };
  State state = State::kReady;

  u32 live() const { return existing & ~exited; }

  /// Raises a trap at the running instruction: fills kernel, block, lines; does not return.
  [[noreturn]] void trap(TrapKind kind, u32 lane, const Instruction& in, const std::string& what,
                         AddressFault address = AddressFault::kOther);

  /// A hard join, for `.sync` and `.aligned` instructions: true when all of `lanes` that still live execute
  /// `in` together now. When false the instruction must return at once; it runs again when the lanes have
  /// met. With `in.joins` they may stand at different places, as long as all execute the same operation for
  /// the same members.
  bool gather(u32 lanes, const Instruction& in) {
    return (lanes & existing & ~exited & ~mask) == 0 || gather_slowly(lanes, in);
  }

  // Divergence (machine/warp.cpp, warp_waits.cpp), used by isa/control_flow.cpp.
  void begin(Block& owner, u32 warp_index, const Function& entry, u32 lanes);
  void diverge(u32 taken, u32 target, u32 branch_pc);
  /// `lanes` of the active ones call; other active lanes come to the instruction again, inactive ones wait
  /// behind it.
  void call(u32 lanes, const Function& callee, const CallSite& site, const Instruction& in);
  void leave(u32 lanes);  ///< ret
  void exit(u32 lanes);
  void wait_at_barrier(const Instruction& in, u8 id, u32 expected, bool aligned, u32 votes);
  /// The active lanes wait for the cluster's barrier (machine/cluster.h), which has id kClusterBarrier.
  void wait_at_cluster_barrier(const Instruction& in);
  bool waits_at_cluster_barrier() const;
  /// Only `lanes` of the running fragment go on with the present instruction; the others leave it behind.
  void isolate(u32 lanes);

  // For the block.
  /// Runs until the warp yields, blocks, ends, or `quantum` instructions are done; returns how many it did.
  u32 run(u32 quantum);
  /// A barrier completed: lanes that wait at it can run. False when none do.
  bool release_barrier(u8 id, u32 votes, u32 threads);

 private:
  template <bool kTracked, bool kObserved>
  u32 run_loop(u32 quantum);
  void track(const Instruction& in, u32 active);
  bool is_early(const Instruction& in);
  void enter(Frame* target);
  void resume(const Fragment& fragment);
  Fragment running() const;
  void set_join(Join* target);
  bool settle();
  bool next();
  void take_turns();
  void arrive();
  void open(Join* here);
  void close(Join* finished);
  void drop_from_joins(Join* from, const Join* until, u32 lanes);
  bool take_parked(Fragment& released);
  bool take_returned(Frame* innermost, Fragment& released);
  void finish_call(Frame* here);
  bool gather_slowly(u32 lanes, const Instruction& in);
  bool stands_with(const Fragment& f, const Instruction& in, const Frame* at, u32 required) const;
  void execute_together(const Instruction& in, u32 required);
  void go_on_behind(size_t i, const Instruction& in);
  bool wait_again(const Instruction& in);
  void isolate_at(u32 lanes, u32 rest_pc);
  void merge_into_current(const Fragment& fragment);
  void join_fragments(Fragment& a, const Fragment& b);
  bool resolve_waits();
  bool release_met();

  const Instruction* repeated = nullptr;
  u32 repeated_mask = 0;
};

/// Instruction::flags of barriers: what bar.red computes.
enum BarrierReduction : u8 { kBarrierPlain, kBarrierPopc, kBarrierAnd, kBarrierOr };

/// Instruction::flags of warp-wide instructions whose result is a predicate. Their `width` is that of `a`'s
/// lanes, 0 when it is a predicate.
inline constexpr u8 kWarpPredicateResult = 1;

/// Fragment::barrier of lanes that wait for their cluster.
inline constexpr u8 kClusterBarrier = 16;

/// One of the 16 barriers of a block.
struct Barrier {
  u32 threads = 0;         ///< arrived
  u32 rounded = 0;         ///< arrived, whole warps counted as 32: what an explicit count is compared with
  u32 expected = 0;        ///< explicit count, 0: every live thread of the block
  bool is_passed = false;  ///< by threads that arrived and went on: they may have ended since
  u32 votes = 0;           ///< bar.red: threads with a true predicate
  u32 phase = 0;           ///< how often it has completed
  /// Of all phases of all barriers of the block, this one's number.
  u32 number(u8 id) const { return phase * 32 + id; }
};

/// One thread block in execution.
struct Block {
  Grid* grid = nullptr;
  Dim3 id{0, 0, 0};
  u64 linear_id = 0;
  u8* shared = nullptr;  ///< static then dynamic shared memory, addresses 0 .. shared_bytes
  u64 shared_bytes = 0;
  u8* reserved = nullptr;  ///< shared memory of the system, from kReservedShared on; null when unused
  u8* local = nullptr;     ///< thread t's local memory starts at local + t * local_bytes
  u64 local_bytes = 0;
  L1Cache* l1 = nullptr;
  AccessCache* access = nullptr;        ///< of the host thread
  AtomicHeat* heat = nullptr;           ///< of the host thread, when the kernel has atomics
  DeferredAtomics* deferred = nullptr;  ///< of the share; nullptr: atomics happen at once
  std::vector<SectorRun> runs;          ///< global-memory transactions beyond L1, in execution order
  std::string output;                   ///< printf
  IssueCounters* issued = nullptr;      ///< by instruction, of the host thread that runs this block
  std::vector<InstructionCounters>* counters = nullptr;  ///< likewise; all but issues
  KernelCounters* totals = nullptr;                      ///< likewise; per-request sums

  Observer* observer = nullptr;  ///< as the grid's

  Warp* warps = nullptr;
  u32 warp_count = 0;
  u32 live_threads = 0;
  /// Warps stop in front of instructions that meet other blocks and start later than this, in cycles of the
  /// block. It began at cycle `start` of the kernel, later by what it has slept (machine/time_order.h).
  double until = std::numeric_limits<double>::infinity(), start = 0;
  u64 spins = 0;  ///< in the present turn: instructions that may be part of a wait through memory
  Cluster* cluster = nullptr;  ///< that it runs in; nullptr when it is alone
  u32 cluster_rank = 0;
  Barrier barriers[16];

  /// Lanes of a warp arrive at a barrier and wait there, unless they go on.
  void arrive(Warp& warp, u32 lanes, u8 barrier, u32 expected, const Instruction& in, u32 votes,
              bool goes_on = false);
  /// Threads ended: barriers may be complete now.
  void threads_exited(u32 count);
  void complete_if_full(u8 barrier);
  bool is_full(const Barrier& barrier) const;
  /// Memory's, and the observer sees it.
  u64 allocate_on_heap(u64 bytes, const std::string& origin) const;
  bool release_on_heap(u64 address) const;
};

/// One launch in execution, shared by all blocks.
struct Grid {
  const Kernel* kernel = nullptr;      ///< code, info and layouts
  const Function* function = nullptr;  ///< its entry
  Memory* memory = nullptr;
  const Textures* textures = nullptr;
  Conditions* conditions = nullptr;
  const DeviceDescription* device = nullptr;
  Dim3 size, block;
  u64 dynamic_shared_bytes = 0;
  u64 stack_bytes = 0;             ///< local memory of a thread beyond the entry's own
  bool parallel = false;           ///< several host threads or processes use its memory: host atomics
  const u8* parameters = nullptr;  ///< the kernel's, packed; generic addresses kParamWindow + offset
  u64 parameter_bytes = 0;
  u64 id = 0;                          ///< launches so far, %gridid
  u64 sample_seed = 0;                 ///< which blocks keep scoreboards
  Observer* observer = nullptr;        ///< of checks, usually none
  ThreadRecorder* recorder = nullptr;  ///< of the thread that is followed, if it is in this launch
  double start_ns = 0;                 ///< virtual time of the device at the launch, for %globaltimer
  Dim3 cluster{1, 1, 1};
  bool has_clusters = false;  ///< blocks run with a Cluster; also where the kernel only looks at its own
  bool asked_for_clusters = false;
  u64 workspace = 0;                 ///< of a cooperative launch, %envreg1 and %envreg2; 0: not cooperative
  DeviceRuntime* runtime = nullptr;  ///< takes what its threads launch
  const LetOthersGoOn* others = nullptr;  ///< asked while all its blocks wait; nullptr: nobody else goes on
};

/// Bytes of an argument or result of a call, for one lane.
inline u8* call_bytes(const Warp& w, const CallSite::Piece& piece, u32 lane) {
  return w.block->local + (w.index * u64{kWarpSize} + lane) * w.block->local_bytes + w.local_base +
         piece.offset;
}

}  // namespace roofline::sim
