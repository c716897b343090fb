// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/program/instruction.h"
#include "simulator/timing/device_description.h"
#include "simulator/timing/scoreboard.h"

namespace roofline::sim {

/// What a request to memory takes: of the data path (wavefronts of shared memory are passes, too), and beyond
/// L1.
struct RequestUse {
  u32 passes = 1, transfers = 0, sectors = 0;
  u32 turns = 0, word = 0;  ///< of an AtomicForm::kLoop, and of the shared memory where most lanes meet
};

/// One instruction of a warp as its time depends on it.
struct Recorded {
  enum class Kind : u8 {
    kArithmetic,  ///< everything that does not touch memory
    kShared,
    kLoad,    ///< global or local memory, through L1
    kStore,   ///< nobody waits for it
    kSpill,   ///< a register into the stack frame, which nothing else that is recorded reads
    kRefill,  ///< and back
    kAtomic,  ///< done in L2
    kCopy,    ///< cp.async: waited for with its group only
    kCommit,  ///< closes a group of copies
    kCopyWait,
    kArrive,  ///< at a barrier
    kMeet,    ///< until all have arrived
    kFence,   ///< until L2 has answered
    kSleep
  };
  Kind kind = Kind::kArithmetic;
  Pipe pipe = Pipe::kNone;
  FlopType flop_type = FlopType::kNone;
  u8 issue = 0;           ///< slots of the scheduler
  u8 sources = 0;         ///< earlier instructions of the warp whose results it reads
  bool slow_fma = false;  ///< InstructionInfo::three_register_sources
  u16 passes = 0;         ///< of L1's data path, or wavefronts of shared memory
  u16 copy_passes = 0;    ///< wavefronts that write what a kCopy brings
  u16 sectors = 0;        ///< that go beyond L1
  u16 slots = 0;          ///< of the pipe, as Cost::pipe_slots
  u8 steps = 0;           ///< Cost::steps
  bool holds = false;     ///< the warp goes on with the result
  u16 loop_clocks = 0;    ///< of an AtomicForm::kLoop alone, and ...
  u16 loop_word = 0;      ///< ... where: others that come there wait
  u32 first_source = 0;   ///< in WarpRecord::sources
  u32 amount = 0;         ///< FLOPs of the Tensor Core; transfers of L1's data path; groups that may stay on
                          ///< their way; phase; cycles asleep
  u32 instruction = 0;    ///< index into the kernel's info
};
/// Words of shared memory that are told from each other: those so many apart are one.
inline constexpr u32 kLoopWords = 1024;
/// Recorded::amount of a kCopyWait for everything.
inline constexpr u32 kEveryCopy = ~0u;

/// What one warp did, in the order in which it issues.
struct WarpRecord {
  std::vector<Recorded> instructions;
  std::vector<u32> sources;  ///< indices into instructions
};

/// What one block did; of a long one the first part, if possible up to a barrier where it had been before.
struct BlockRecord {
  u64 block = 0;
  std::vector<WarpRecord> warps;
  double part = 1;             ///< of the block's instructions that is in `warps`
  u32 loop_meetings = 0;       ///< so many times the warps met before what the rest goes on with ...
  double loop_part = 1;        ///< ... which is this part of the block's instructions
  u64 issued = 0;              ///< instructions of all its warps, by their counters; 0: not known
  Scoreboard::Cycles alone{};  ///< the block's dependency time
};

/// Records the warps of one block. PTX is not in the order of machine code: ptxas schedules within a basic
/// block, and a warp issues in order. So what lies between two branches, barriers or waits is put in the
/// order of a list schedule: by the longest way to the end, within a window, loads and stores of one kind of
/// memory (shared, other) not passing each other.
class BlockRecorder {
 public:
  explicit BlockRecorder(const DeviceDescription& device);
  ~BlockRecorder();
  BlockRecorder(const BlockRecorder&) = delete;
  BlockRecorder& operator=(const BlockRecorder&) = delete;

  class Warp;
  /// `most`: instructions a warp that are kept.
  void begin(u64 block, u32 warps, u32 most);
  Warp* warp(u32 index);
  BlockRecord finish();

 private:
  friend class Warp;
  struct Schedule;
  const std::vector<u32>& order(const Warp& warp, u32 first);

  const DeviceDescription& device_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::unordered_multimap<u64, std::unique_ptr<Schedule>> schedules_;
  u64 block_ = 0;
  u32 used_ = 0;
};

/// The slots of an instruction mean what timing/scoreboard.h says.
class BlockRecorder::Warp {
 public:
  explicit Warp(BlockRecorder& owner) : owner_(owner) {}
  void issue(const Instruction& in, const InstructionInfo& info, MemoryLevel level, const RequestUse& use);
  /// A branch that is none in machine code: what it skips waits for its condition. `skips`: all lanes took
  /// it, and what has a predicate is issued all the same.
  void predicate(const Instruction& in, const InstructionInfo& info, bool skips);
  /// The instruction that issues next is an asynchronous copy that reads so.
  void note_copy(MemoryLevel level, const RequestUse& use);
  void commit_copies() { next_ = Recorded::Kind::kCommit; }
  void wait_for_copies(u32 pending, bool uncommitted);
  /// A barrier's phase: any number that no other phase of the block has.
  void arrive(u32 phase, const Instruction& in);
  void meet(u32 phase);
  void sleep(double cycles, const Instruction& in);

 private:
  friend class BlockRecorder;
  /// The instructions that a row waits for; of many the latest.
  struct Producers {
    static constexpr u32 kMost = 4;
    u32 count = 0;
    u32 from[kMost] = {};
    bool used = false;  ///< somebody has waited for them
    void add(u32 instruction);
    void add(const Producers& others);
  };
  void begin(u32 most);
  bool is_full();
  const Producers* producers(Slot slot) const;
  void set(Slot slot, const Producers& producers);
  Producers sources_of(const Instruction& in, const InstructionInfo& info, std::vector<u32>& all);
  void wait_for_refills(std::vector<u32>& all);
  void wait_for_unused(const Instruction& in, const InstructionInfo& info, std::vector<u32>& all) const;
  void append(Recorded record, const std::vector<u32>& sources);
  void close();

  BlockRecorder& owner_;
  WarpRecord record_;
  std::vector<u32> position_;  ///< in the schedule, by the order of execution
  std::vector<Producers> rows_;
  std::vector<u32> scratch_;
  Producers
      condition_;  ///< of what has a predicate in place of a branch, before instruction predicated_until_
  u32 predicated_until_ = 0;
  Producers refills_;        ///< that the next instruction of the PTX waits for
  u32 arrived_at_ = 0;       ///< the instruction of the latest arrival
  u32 most_ = 0, open_ = 0;  ///< first of the basic block
  u64 seen_ = 0;             ///< instructions, also those that are not kept
  Recorded::Kind next_ = Recorded::Kind::kArithmetic;
  u32 pending_ = 0;
  MemoryLevel copy_level_ = MemoryLevel::kNone;
  RequestUse copy_use_;
};

}  // namespace roofline::sim
