// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/sm_replay.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "simulator/timing/kernel_model.h"
#include "simulator/timing/shared_queue.h"

namespace roofline::sim {
namespace {

using Kind = Recorded::Kind;

constexpr u32 kSchedulers = 4;  ///< sub-partitions of an SM; a warp lives in one of them
constexpr double kNever = std::numeric_limits<double>::infinity();
/// Results that a warp can still wait for; older ones are long there.
constexpr u32 kRemembered = 512;
/// Multiplications of 32-bit integers: 64 lanes a clock and SM from 7.0 on (CUDA C++ Programming Guide,
/// throughput of native arithmetic instructions; 1.99 warps on an H100 and an H200, docs/results/probes.md),
/// where the FMA pipe has 64 lanes as where it has 128.
constexpr double kIntegerMultiplyRate = 2;
/// Clocks of work that wait in front of the data path before warps are held back.
constexpr double kQueue = 8;

bool is_store(Kind kind) { return kind == Kind::kStore || kind == Kind::kSpill; }

struct Result {
  double at = 0;
  Stall stall = Stall::kWait;  ///< of who waits for it
};

struct Place;

struct WarpState {
  const WarpRecord* record = nullptr;
  Place* place = nullptr;
  u32 next = 0, meetings = 0;
  u64 age = 0;
  double ready = 0;  ///< when the next instruction could issue if its pipe were free; kNever at a barrier
  double front = 0;  ///< when the last one had issued
  double held = 0;   ///< until when that one held the warp, by `hold`
  Stall hold = Stall::kWait;
  Stall stall = Stall::kWait;  ///< from `held` until `ready`
  double loading = 0;          ///< until everything that was asked for is there
  double copying = 0;
  std::vector<double> groups;  ///< arrival of each committed group and all before it
  std::vector<Result> results;
};

/// Where one block at a time runs.
struct Place {
  struct Phase {
    u32 arrived = 0, expected = 0;
    double met = kNever;
    std::vector<WarpState*> waiting;
  };
  std::vector<WarpState> warps;
  std::unordered_map<u32, Phase> phases;
  std::vector<double> swapped;  ///< when words of shared memory are free for a loop of compare and swap
  u32 live = 0;
  double latest = 0;  ///< end of the warps that have ended
  const BlockRecord* record = nullptr;
  double began = 0, looped = 0;  ///< when the last warp has met BlockRecord::loop_meetings times
};

class Replay {
 public:
  Replay(const DeviceDescription& device, const ReplayWork& work)
      : device_(device),
        work_(work),
        l2_(work.l2_bytes_per_clock, device.l2_read_wait, device.l2_write_wait, device.l2_latency),
        dram_(work.dram_bytes_per_clock, device.dram_read_wait, device.dram_write_wait, device.dram_latency) {
    for (const Pipe pipe : kPipesThatCost) {
      const PipeSpeed speed = speed_of(device, pipe);
      const double rate = speed.rate * (pipe == Pipe::kFma ? device.fma_efficiency : 1);
      interval_[index(pipe)] = rate > 0 ? kSchedulers / rate : 1;
      latency_[index(pipe)] = speed.latency;
    }
    barrier_latency_ = std::max(device.barrier_latency - kBarrierClocksAWarp * kBarrierWarps, 0.0);
    for (size_t type = 0; type < tensor_rate_.size(); ++type)
      tensor_rate_[type] = mma_sync_rate(device, static_cast<FlopType>(type)) / kSchedulers;
  }

  ReplayOutcome run() {
    const u64 resident = std::clamp<u64>(work_.resident, 1, work_.blocks);
    const u64 simulated = blocks_to_run(resident);
    places_.resize(resident);
    for (u64 i = 0; i < resident; ++i) start(places_[i], static_cast<double>(i) * work_.start_interval);
    while (true) {
      u32 first = 0;
      for (u32 s = 1; s < kSchedulers; ++s)
        if (next_[s].at < next_[first].at) first = s;
      if (next_[first].at == kNever) break;
      issue(first, simulated);
    }
    ReplayOutcome outcome;
    for (const StallTimes& stalls : stalls_) outcome.stalls.add(stalls);
    outcome.stalls_of = std::move(stalls_);
    if (ends_.empty()) return outcome;
    std::sort(ends_.begin(), ends_.end());
    outcome.cycles = ends_.back();
    if (simulated < work_.blocks) outcome.cycles += more_cycles(resident, simulated);
    outcome.cycles *= longer_ / static_cast<double>(ends_.size());
    return outcome;
  }

 private:
  struct Candidate {
    double at = kNever;
    WarpState* warp = nullptr;
    double free = 0;                    ///< when the pipe takes it
    Stall stall = Stall::kNotSelected;  ///< from `ready` until then
  };

  static size_t index(Pipe pipe) { return static_cast<size_t>(pipe); }

  /// All of them, or a few rounds and the tail.
  u64 blocks_to_run(u64 resident) const {
    constexpr u64 kRounds = 3;
    u64 instructions = 0;
    for (const BlockRecord& record : work_.records)
      for (const WarpRecord& warp : record.warps) instructions += warp.instructions.size();
    const u64 a_round = std::max<u64>(instructions / work_.records.size() * resident, 1);
    const u64 rounds = std::clamp<u64>(work_.most_instructions / a_round, 1, kRounds);
    if (work_.blocks <= (rounds + 1) * resident) return std::min(work_.blocks, (rounds + 1) * resident);
    return rounds * resident + work_.blocks % resident;
  }

  /// For the blocks that were not run, at the pace of those that were.
  double more_cycles(u64 resident, u64 simulated) const {
    const double rest = static_cast<double>(work_.blocks - simulated) / static_cast<double>(resident);
    const size_t rounds = simulated / resident;
    if (rounds < 2) return rest * (ends_[resident - 1] + device_.block_start_latency);
    return rest * (ends_[rounds * resident - 1] - ends_[resident - 1]) / static_cast<double>(rounds - 1);
  }

  void start(Place& place, double at) {
    const BlockRecord& record = work_.records[started_ % work_.records.size()];
    ++started_;
    place.warps.resize(record.warps.size());
    place.phases.clear();
    place.swapped.clear();
    place.live = 0;
    place.record = &record;
    place.latest = place.began = place.looped = at;
    for (const WarpRecord& warp : record.warps)
      for (const Recorded& r : warp.instructions)
        if (r.kind == Kind::kArrive) ++place.phases[r.amount].expected;
    for (size_t i = 0; i < record.warps.size(); ++i) {
      WarpState& warp = place.warps[i];
      if (record.warps[i].instructions.empty()) continue;
      warp.record = &record.warps[i];
      warp.place = &place;
      warp.next = warp.meetings = 0;
      warp.age = ages_++;
      warp.front = warp.ready = at;
      warp.copying = warp.loading = 0;
      warp.groups.clear();
      warp.results.assign(std::min<size_t>(kRemembered, warp.record->instructions.size()), {});
      warp.held = at;
      ++place.live;
      const auto s = static_cast<u32>(warp.age % kSchedulers);
      scheduled_[s].push_back(&warp);
      find(s);
    }
    if (place.live == 0) note_end(place);
  }

  const Recorded& head(const WarpState& warp) const { return warp.record->instructions[warp.next]; }

  /// When the pipe of the warp's next instruction takes it.
  double pipe_free(u32 s, const Recorded& r, Stall& stall) const {
    if (r.pipe == Pipe::kNone) return 0;
    if (r.pipe == Pipe::kMemory) {
      stall =
          r.kind == Kind::kArithmetic || r.kind == Kind::kShared ? Stall::kMioThrottle : Stall::kLgThrottle;
      const double free = is_store(r.kind) ? std::max(data_path_free_, port_out_) : data_path_free_;
      return free - kQueue;
    }
    stall = Stall::kMathPipeThrottle;
    return pipe_free_[s][index(r.pipe)];
  }

  /// The warp of a scheduler that issues next: the first that can, of several the oldest.
  void find(u32 s) {
    Candidate best;
    for (WarpState* warp : scheduled_[s]) {
      if (warp->ready == kNever) continue;
      Stall stall = Stall::kNotSelected;
      const double free = pipe_free(s, head(*warp), stall);
      const double at = std::max({warp->ready, free, scheduler_free_[s]});
      if (best.warp == nullptr || at < best.at || (at == best.at && warp->age < best.warp->age))
        best = {at, warp, free, stall};
    }
    next_[s] = best;
  }

  void note(u32 instruction, Stall stall, double cycles) {
    if (instruction >= stalls_.size()) stalls_.resize(instruction + 1);
    stalls_[instruction][stall] += cycles;
  }

  /// Where the warp's time went since its last instruction had issued.
  void account(const WarpState& warp, const Candidate& chosen) {
    const Recorded& r = head(warp);
    const u32 before = warp.next > 0 ? warp.record->instructions[warp.next - 1].instruction : r.instruction;
    if (warp.held > warp.front) note(before, warp.hold, warp.held - warp.front);
    if (warp.ready > warp.held) note(r.instruction, warp.stall, warp.ready - warp.held);
    const double taken = std::clamp(chosen.free, warp.ready, chosen.at);
    if (taken > warp.ready) note(r.instruction, chosen.stall, taken - warp.ready);
    if (chosen.at > taken) note(r.instruction, Stall::kNotSelected, chosen.at - taken);
    note(r.instruction, Stall::kSelected, r.issue);
  }

  void issue(u32 s, u64 simulated) {
    // Others may have filled the data path meanwhile.
    if (head(*next_[s].warp).pipe == Pipe::kMemory) {
      const double before = next_[s].at;
      find(s);
      if (next_[s].at > before) return;
    }
    WarpState& warp = *next_[s].warp;
    const double now = next_[s].at;
    const Recorded& r = head(warp);
    account(warp, next_[s]);
    const double slots = r.issue;
    scheduler_free_[s] = now + slots;
    warp.front = now + slots;
    double earliest = warp.front;
    Stall why = Stall::kWait;
    Result& result = warp.results[warp.next % warp.results.size()];
    switch (r.kind) {
      case Kind::kArithmetic:
        result = arithmetic(s, r, now);
        if (r.pipe == Pipe::kControl) {
          earliest = std::max(earliest, now + device_.control_latency);
          why = Stall::kBranchResolving;
        }
        if (r.holds && result.at > earliest) {
          earliest = result.at;
          why = result.stall;
        }
        break;
      case Kind::kShared:
      case Kind::kLoad:
      case Kind::kStore:
      case Kind::kSpill:
      case Kind::kRefill:
      case Kind::kAtomic:
        result = memory(r, now);
        if (r.loop_clocks != 0) result.at = std::max(result.at, swap_loop(*warp.place, r, now));
        if (r.holds && result.at > earliest) {
          earliest = result.at;
          why = result.stall;
        }
        if (r.kind == Kind::kLoad) warp.loading = std::max(warp.loading, result.at);
        break;
      case Kind::kCopy:
        warp.copying = std::max(warp.copying, memory(r, now).at);
        break;
      case Kind::kCommit:
        if (!warp.groups.empty()) warp.copying = std::max(warp.copying, warp.groups.back());
        warp.groups.push_back(warp.copying);
        warp.copying = 0;
        break;
      case Kind::kCopyWait: {
        const u32 pending = r.amount == kEveryCopy ? 0 : r.amount;
        double until = 0;
        if (pending < warp.groups.size()) until = warp.groups[warp.groups.size() - 1 - pending];
        if (r.amount == kEveryCopy) until = std::max(until, warp.copying);
        if (until > earliest) {
          earliest = until;
          why = Stall::kLongScoreboard;
        }
        break;
      }
      case Kind::kFence:
        earliest = std::max(earliest, now + device_.l2_latency);
        why = Stall::kLongScoreboard;
        break;
      case Kind::kArrive:
        arrive(warp, r.amount, now);
        break;
      case Kind::kMeet: {
        Place::Phase& phase = warp.place->phases[r.amount];
        why = Stall::kBarrier;
        if (phase.expected == 0) phase.met = now - barrier_latency_;  // who arrived is not in the record
        earliest = phase.met + barrier_latency_;
        if (++warp.meetings == warp.place->record->loop_meetings)
          warp.place->looped = std::max(warp.place->looped, earliest == kNever ? now : earliest);
        if (phase.met == kNever && warp.next + 1 < warp.record->instructions.size())
          phase.waiting.push_back(&warp);
        break;
      }
      case Kind::kSleep:
        earliest = now + r.amount;
        why = Stall::kSleeping;
        break;
    }
    ++warp.next;
    if (warp.next == warp.record->instructions.size()) {
      end(s, warp, std::max(now + slots, warp.loading), simulated);
    } else {
      prepare(warp, earliest, why);
    }
    find(s);
  }

  /// The warp's next instruction is there: when are its sources?
  void prepare(WarpState& warp, double earliest, Stall why) {
    warp.ready = warp.held = earliest;
    warp.hold = why;
    if (earliest == kNever) return;
    const Recorded& r = head(warp);
    for (u32 i = 0; i < r.sources; ++i) {
      const u32 from = warp.record->sources[r.first_source + i];
      if (from >= warp.next || from + warp.results.size() < warp.next) continue;
      const Result& result = warp.results[from % warp.results.size()];
      if (result.at <= warp.ready) continue;
      warp.ready = result.at;
      warp.stall = result.stall;
    }
  }

  Result arithmetic(u32 s, const Recorded& r, double now) {
    const size_t pipe = index(r.pipe);
    const double steps = std::max<double>(1, r.slots);
    double latency = latency_[pipe] * steps + device_.alu_latency * r.steps;
    double busy = steps * interval_[pipe];
    if (r.pipe == Pipe::kTensor) {
      const double rate = tensor_rate_[static_cast<size_t>(r.flop_type)];
      const double work = rate > 0 ? r.amount / rate : 0;
      busy = std::max(steps, work);
      // The parts of a wmma are independent and follow each other as fast as the pipe takes them.
      latency = tensor_latency(device_, r.flop_type, r.amount / steps) + work * (1 - 1 / steps);
    }
    if (r.pipe == Pipe::kFma) {
      if (r.flop_type == FlopType::kNone) busy = std::max(busy, steps * kSchedulers / kIntegerMultiplyRate);
      if (r.slow_fma) busy /= device_.three_register_fma_factor;
    }
    if (r.pipe == Pipe::kMemory) {  // a shuffle
      const double begin = std::max(now, data_path_free_);
      data_path_free_ = begin + busy / kSchedulers;
      return {begin + latency, Stall::kShortScoreboard};
    }
    pipe_free_[s][pipe] = now + busy;
    return {now + latency, r.pipe == Pipe::kSfu ? Stall::kShortScoreboard : Stall::kWait};
  }

  Result memory(const Recorded& r, double now) {
    const bool shared = r.kind == Kind::kShared;
    const double one = data_path_clocks(device_, 1, shared ? 0 : 1);
    const double clocks =
        std::max(one, data_path_clocks(device_, r.passes, shared ? 0 : static_cast<double>(r.amount)));
    const double begin = std::max(now, data_path_free_);
    data_path_free_ = begin + std::max(r.slots / device_.memory_issue_rate, clocks) +
                      r.copy_passes / device_.shared_wavefronts_per_clock;
    // The latencies are those of a request that takes one pass and one transfer.
    if (shared) return {begin + device_.shared_latency + clocks - one, Stall::kShortScoreboard};
    if (r.sectors == 0) return {begin + device_.l1_latency + clocks - one, Stall::kLongScoreboard};
    return {beyond_l1(r, begin) + clocks - one, Stall::kLongScoreboard};
  }

  /// Turns of compare and swap follow each other on a word, whichever warps they are of: who finds it changed
  /// begins again.
  static double swap_loop(Place& place, const Recorded& r, double now) {
    if (place.swapped.empty()) place.swapped.resize(kLoopWords);
    double& free = place.swapped[r.loop_word];
    free = std::max(free, now) + r.loop_clocks;
    return free;
  }

  /// When what an instruction asks for beyond L1 is there, or its stores are where they belong.
  double beyond_l1(const Recorded& r, double begin) {
    const double bytes = r.sectors * static_cast<double>(kSectorBytes);
    const bool stores = is_store(r.kind);
    double& port = stores ? port_out_ : port_in_;
    port = std::max(port, begin) + bytes / device_.l2_bytes_per_clock;
    const bool hit = hits(r);
    const double to_dram = stores ? bytes * work_.stores_to_dram : hit ? 0 : bytes;
    double at = port + (hit ? device_.l2_latency : device_.dram_latency);
    if (!stores) at += l2_.wait(begin) + (hit ? 0 : dram_.wait(begin));
    at = std::max(at, l2_.serve(begin, bytes * (stores ? device_.l2_write_cost : 1), stores));
    if (to_dram > 0) at = std::max(at, dram_.serve(begin, to_dram, stores));
    return at;
  }

  /// Requests of an instruction miss as often as they did, evenly spread.
  bool hits(const Recorded& r) {
    if (is_store(r.kind)) return true;
    if (r.instruction >= missed_.size()) missed_.resize(r.instruction + 1, {-1, 0});
    Misses& misses = missed_[r.instruction];
    if (misses.rate < 0) misses.rate = 1 - work_.hit_rate(r.instruction);
    misses.due += misses.rate;
    if (misses.due < 0.5) return true;
    misses.due -= 1;
    return false;
  }

  void arrive(WarpState& warp, u32 phase_of, double now) {
    Place::Phase& phase = warp.place->phases[phase_of];
    barrier_free_ = std::max(barrier_free_, now) + kBarrierClocksAWarp;
    if (++phase.arrived < phase.expected) return;
    phase.met = barrier_free_;
    for (WarpState* waiting : phase.waiting) {
      prepare(*waiting, std::max(waiting->front, phase.met + barrier_latency_), Stall::kBarrier);
      find(static_cast<u32>(waiting->age % kSchedulers));
    }
    phase.waiting.clear();
  }

  void end(u32 s, WarpState& warp, double now, u64 simulated) {
    auto& mine = scheduled_[s];
    mine.erase(std::find(mine.begin(), mine.end(), &warp));
    Place& place = *warp.place;
    place.latest = std::max(place.latest, now);
    if (--place.live != 0) return;
    note_end(place);
    if (started_ < simulated) start(place, place.latest + device_.block_start_latency);
  }

  /// The rest of a long block goes on as the loop does that is in its record.
  void note_end(const Place& place) {
    ends_.push_back(place.latest);
    const BlockRecord& record = *place.record;
    const double all = place.latest - place.began, loop = place.latest - place.looped;
    longer_ += 1;
    if (all > 0) longer_ += (1 - record.part) / record.loop_part * loop / all;
  }

  struct Misses {
    double rate = -1, due = 0;
  };

  const DeviceDescription& device_;
  const ReplayWork& work_;
  std::array<double, static_cast<size_t>(Pipe::kCount)> interval_{}, latency_{};
  std::array<double, static_cast<size_t>(FlopType::kCount)> tensor_rate_{};
  std::vector<Place> places_;
  std::array<std::vector<WarpState*>, kSchedulers> scheduled_;
  std::array<Candidate, kSchedulers> next_{};
  std::array<double, kSchedulers> scheduler_free_{};
  std::array<std::array<double, static_cast<size_t>(Pipe::kCount)>, kSchedulers> pipe_free_{};
  SharedQueue l2_, dram_;
  double data_path_free_ = 0, port_in_ = 0, port_out_ = 0, barrier_free_ = 0;
  double barrier_latency_ = 0;  ///< after the last warp has been taken
  std::vector<Misses> missed_;
  u64 started_ = 0, ages_ = 0;
  std::vector<double> ends_;
  double longer_ = 0;               ///< how much longer than its record each block is, all added up
  std::vector<StallTimes> stalls_;  ///< by instruction
};

}  // namespace

const char* name_of(Stall stall) {
  static constexpr const char* kNames[] = {
      "selected",           "not selected", "wait",        "short scoreboard", "long scoreboard", "barrier",
      "math pipe throttle", "MIO throttle", "LG throttle", "branch resolving", "sleeping"};
  return kNames[static_cast<size_t>(stall)];
}

ReplayOutcome replay_sm(const DeviceDescription& device, const ReplayWork& work) {
  return Replay(device, work).run();
}

}  // namespace roofline::sim
