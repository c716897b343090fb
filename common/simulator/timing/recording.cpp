// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/recording.h"

#include <algorithm>
#include <limits>

namespace roofline::sim {

namespace {

/// How far ptxas moves an instruction up: as far as registers last.
constexpr u32 kWindow = 48;

using Kind = Recorded::Kind;

bool is_memory(Kind kind) {
  return kind == Kind::kShared || kind == Kind::kLoad || kind == Kind::kStore || kind == Kind::kAtomic ||
         kind == Kind::kCopy;
}

/// Where a warp has met so often.
auto after_meetings(std::vector<Recorded>& all, u64 meetings) {
  auto end = all.begin();
  for (; end != all.end() && meetings > 0; ++end) meetings -= end->kind == Kind::kMeet ? 1 : 0;
  return end;
}

/// The latest meeting at a barrier where the warp had met before, and the first one there; 0: there is none.
struct Loop {
  u64 first = 0, last = 0;
};
Loop loop_of(const std::vector<Recorded>& all, u64 meetings) {
  std::vector<u32> barriers;
  for (const Recorded& r : all)
    if (r.kind == Kind::kMeet && barriers.size() < meetings) barriers.push_back(r.instruction);
  for (size_t last = barriers.size(); last-- > 1;)
    for (size_t first = 0; first < last; ++first)
      if (barriers[first] == barriers[last]) return {first + 1, last + 1};
  return {};
}

u16 narrow(u32 value) { return static_cast<u16>(std::min<u32>(value, std::numeric_limits<u16>::max())); }

}  // namespace

/// The order of one basic block, and the instructions that it is of.
struct BlockRecorder::Schedule {
  std::vector<u32> instructions;
  std::vector<u32> order;  ///< places in the order of execution, in the order of issue
};

BlockRecorder::BlockRecorder(const DeviceDescription& device) : device_(device) {}
BlockRecorder::~BlockRecorder() = default;

void BlockRecorder::begin(u64 block, u32 warps, u32 most) {
  block_ = block;
  used_ = warps;
  schedules_.clear();
  while (warps_.size() < warps) warps_.push_back(std::make_unique<Warp>(*this));
  for (u32 i = 0; i < warps; ++i) warps_[i]->begin(most);
}

BlockRecorder::Warp* BlockRecorder::warp(u32 index) { return warps_[index].get(); }

BlockRecord BlockRecorder::finish() {
  BlockRecord record;
  record.block = block_;
  u64 seen = 0, fewest = ~u64{0};  // meetings of a warp
  bool cut = false;
  for (u32 i = 0; i < used_; ++i) {
    Warp& warp = *warps_[i];
    warp.close();
    for (u32& source : warp.record_.sources) source = warp.position_[source];
    const auto& all = warp.record_.instructions;
    cut = cut || warp.seen_ > all.size();
    seen += warp.seen_;
    fewest = std::min<u64>(fewest, static_cast<u64>(std::ranges::count(all, Kind::kMeet, &Recorded::kind)));
  }
  u64 until = ~u64{0};
  if (cut) {
    const Loop loop = loop_of(warps_[0]->record_.instructions, fewest);
    record.loop_meetings = static_cast<u32>(loop.first);
    if (loop.last != 0) until = loop.last;
  }
  u64 kept = 0, before = 0;
  for (u32 i = 0; i < used_; ++i) {
    auto& all = warps_[i]->record_.instructions;
    all.erase(after_meetings(all, until), all.end());
    kept += all.size();
    before += static_cast<u64>(after_meetings(all, record.loop_meetings) - all.begin());
    record.warps.push_back(std::move(warps_[i]->record_));
    warps_[i]->record_ = {};
  }
  if (seen > 0) {
    record.part = static_cast<double>(kept) / static_cast<double>(seen);
    record.loop_part = static_cast<double>(kept - before) / static_cast<double>(seen);
  }
  return record;
}

/// A list schedule: of the instructions of the window that can start, the one with the longest way to the
/// end of the basic block goes first.
const std::vector<u32>& BlockRecorder::order(const Warp& warp, u32 first) {
  const auto& all = warp.record_.instructions;
  const auto count = static_cast<u32>(all.size()) - first;
  u64 hash = 0xcbf2'9ce4'8422'2325u;
  for (u32 i = 0; i < count; ++i) hash = (hash ^ all[first + i].instruction) * 0x100'0000'01b3u;
  const auto [begin, end] = schedules_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const auto& known = it->second->instructions;
    bool same = known.size() == count;
    for (u32 i = 0; same && i < count; ++i) same = known[i] == all[first + i].instruction;
    if (same) return it->second->order;
  }
  auto schedule = std::make_unique<Schedule>();
  const auto latency = [&](const Recorded& r) -> float {
    switch (r.kind) {
      case Kind::kShared:
        return static_cast<float>(device_.shared_latency);
      case Kind::kLoad:
      case Kind::kAtomic:
        return static_cast<float>(device_.l2_latency);
      case Kind::kRefill:
        return static_cast<float>(device_.l1_latency);
      case Kind::kSpill:
      case Kind::kStore:
      case Kind::kCopy:
        return 1;
      default:
        break;
    }
    const double slots = std::max<double>(1, r.slots), steps = device_.alu_latency * r.steps;
    const double latency_of_one = speed_of(device_, r.pipe).latency;
    const bool is_chain = r.pipe != Pipe::kTensor && r.pipe != Pipe::kMemory && r.pipe != Pipe::kControl;
    return static_cast<float>(is_chain ? latency_of_one * slots + steps : latency_of_one);
  };
  // Edges from earlier to later instructions, those of memory order without a wait.
  struct Edge {
    u32 to;
    float wait;
  };
  std::vector<std::vector<Edge>> after(count);
  std::vector<u32> open(count, 0);
  const auto edge = [&](u32 from, u32 to, float wait) {
    after[from].push_back({to, wait});
    ++open[to];
  };
  constexpr u32 kNone = ~0u;
  u32 last_store[2] = {kNone, kNone};
  std::vector<u32> loads[2];
  for (u32 i = 0; i < count; ++i) {
    const Recorded& r = all[first + i];
    schedule->instructions.push_back(r.instruction);
    for (u32 s = 0; s < r.sources; ++s)
      if (const u32 from = warp.record_.sources[r.first_source + s]; from >= first)
        edge(from - first, i, latency(all[from]));
    if (!is_memory(r.kind)) continue;
    // A copy reads other memory and writes shared memory. A shared access is a store if it says so.
    const bool shared = r.kind == Kind::kShared || r.kind == Kind::kCopy;
    const bool stores = r.kind == Kind::kStore || r.kind == Kind::kAtomic || r.kind == Kind::kCopy ||
                        (r.kind == Kind::kShared && r.amount != 0);
    const size_t kind = shared ? 0 : 1;
    if (last_store[kind] != kNone) edge(last_store[kind], i, 0);
    if (stores) {
      for (const u32 load : loads[kind]) edge(load, i, 0);
      loads[kind].clear();
      last_store[kind] = i;
    } else {
      loads[kind].push_back(i);
    }
  }
  // A branch that tests something is the last of its block. Of one that tests nothing ptxas makes the exit,
  // or puts the blocks behind each other.
  if (count > 1 && all.back().pipe == Pipe::kControl && all.back().sources != 0)
    for (u32 i = 0; i + 1 < count; ++i) edge(i, count - 1, 0);
  std::vector<float> height(count, 0), start(count, 0);
  for (u32 i = count; i-- > 0;)
    for (const Edge& e : after[i]) height[i] = std::max(height[i], height[e.to] + e.wait + 1);
  std::vector<u32> waiting(count);
  for (u32 i = 0; i < count; ++i) waiting[i] = i;
  float now = 0;
  schedule->order.reserve(count);
  while (!waiting.empty()) {
    const u32 window = std::min<u32>(kWindow, static_cast<u32>(waiting.size()));
    u32 best = kNone;
    float soonest = std::numeric_limits<float>::max();
    for (u32 k = 0; k < window; ++k) {
      const u32 i = waiting[k];
      if (open[i] != 0) continue;
      soonest = std::min(soonest, start[i]);
      if (start[i] <= now && (best == kNone || height[i] > height[waiting[best]])) best = k;
    }
    if (best == kNone) {
      now = soonest;
      continue;
    }
    const u32 i = waiting[best];
    waiting.erase(waiting.begin() + best);
    schedule->order.push_back(i);
    for (const Edge& e : after[i]) {
      --open[e.to];
      start[e.to] = std::max(start[e.to], now + e.wait);
    }
    now += std::max<float>(1, all[first + i].issue);
  }
  return schedules_.emplace(hash, std::move(schedule))->second->order;
}

// ---- one warp ----

void BlockRecorder::Warp::Producers::add(u32 instruction) {
  for (u32 i = 0; i < count; ++i)
    if (from[i] == instruction) return;
  if (count < kMost) {
    from[count++] = instruction;
    return;
  }
  u32* oldest = std::min_element(from, from + kMost);
  *oldest = std::max(*oldest, instruction);
}

void BlockRecorder::Warp::Producers::add(const Producers& others) {
  for (u32 i = 0; i < others.count; ++i) add(others.from[i]);
}

void BlockRecorder::Warp::begin(u32 most) {
  record_ = {};
  position_.clear();
  std::fill(rows_.begin(), rows_.end(), Producers{});
  most_ = most;
  open_ = 0;
  seen_ = 0;
  predicated_until_ = 0;
  refills_ = {};
  next_ = Kind::kArithmetic;
}

bool BlockRecorder::Warp::is_full() {
  if (record_.instructions.size() < most_) return false;
  next_ = Kind::kArithmetic;
  ++seen_;
  return true;
}

const BlockRecorder::Warp::Producers* BlockRecorder::Warp::producers(Slot slot) const {
  if (slot.bits == 0 || slot.bank() != 0) return nullptr;
  const size_t row = slot.offset() / 64;
  return row < rows_.size() && rows_[row].count != 0 ? &rows_[row] : nullptr;
}

void BlockRecorder::Warp::set(Slot slot, const Producers& producers) {
  if (slot.bits == 0 || slot.bank() != 0) return;
  const size_t row = slot.offset() / 64;
  if (row >= rows_.size()) rows_.resize(row + 64);
  rows_[row] = producers;
}

BlockRecorder::Warp::Producers BlockRecorder::Warp::sources_of(const Instruction& in,
                                                               const InstructionInfo& info,
                                                               std::vector<u32>& all) {
  all.clear();
  Producers some;
  const auto wait_for = [&](const Producers& from) {
    some.add(from);
    for (u32 i = 0; i < from.count; ++i)
      if (std::find(all.begin(), all.end(), from.from[i]) == all.end()) all.push_back(from.from[i]);
  };
  const auto read = [&](Slot slot) {
    if (producers(slot) == nullptr) return;
    Producers& from = rows_[slot.offset() / 64];
    from.used = true;
    wait_for(from);
  };
  if (predicated_until_ != 0) wait_for(condition_);
  read(in.a);
  read(in.b);
  read(in.c);
  read(in.e);
  if (in.guard_kind != Guard::kNone) read(in.guard);
  if (info.is_store) read(in.d);
  if (in.extra != nullptr)
    for (size_t i = written_slots(in, info); i < in.extra->slots.size(); ++i) read(in.extra->slots[i]);
  return some;
}

/// Results of an earlier round of a loop that nobody has read, where this instruction leaves its own: the
/// scoreboard of a register says only that something is on its way, so that the second must wait for the
/// first. Whoever reads a result waits for it anyway, and ptxas drops what nobody reads but where other lanes
/// or other memory are touched.
void BlockRecorder::Warp::wait_for_unused(const Instruction& in, const InstructionInfo& info,
                                          std::vector<u32>& all) const {
  if (info.traits.gathers == Gathers::kNone && !info.traits.swaps) return;
  const auto overwrite = [&](Slot slot) {
    const Producers* from = producers(slot);
    if (from == nullptr || from->used) return;
    for (u32 i = 0; i < from->count; ++i)
      if (from->from[i] < open_ && std::find(all.begin(), all.end(), from->from[i]) == all.end())
        all.push_back(from->from[i]);
  };
  overwrite(in.d);
  if (in.extra == nullptr) return;
  for (size_t i = 0; i < written_slots(in, info); ++i) overwrite(in.extra->slots[i]);
}

void BlockRecorder::Warp::wait_for_refills(std::vector<u32>& all) {
  for (u32 i = 0; i < refills_.count; ++i)
    if (std::find(all.begin(), all.end(), refills_.from[i]) == all.end()) all.push_back(refills_.from[i]);
  refills_ = {};
}

void BlockRecorder::Warp::append(Recorded record, const std::vector<u32>& sources) {
  record.first_source = static_cast<u32>(record_.sources.size());
  record.sources = static_cast<u8>(std::min<size_t>(sources.size(), 255));
  record_.sources.insert(record_.sources.end(), sources.begin(), sources.begin() + record.sources);
  position_.push_back(static_cast<u32>(record_.instructions.size()));
  record_.instructions.push_back(record);
  ++seen_;
}

void BlockRecorder::Warp::issue(const Instruction& in, const InstructionInfo& info, MemoryLevel level,
                                const RequestUse& use) {
  const Pipe pipe = info.cost.pipe;
  if (info.traits.gathers >= Gathers::kBarrier) return;  // arrive() and meet() say it
  if (pipe == Pipe::kNone) {
    // It hands on what it reads.
    if (record_.instructions.size() >= most_) return;
    const Producers from = sources_of(in, info, scratch_);
    set(in.d, from);
    if (!info.is_store) set(in.e, from);
    if (in.extra != nullptr)
      for (size_t i = 0; i < std::min<size_t>(in.extra->written, in.extra->slots.size()); ++i)
        set(in.extra->slots[i], from);
    return;
  }
  if (is_full()) return;
  if (!in.hidden && in.index >= predicated_until_) predicated_until_ = 0;
  sources_of(in, info, scratch_);
  wait_for_unused(in, info, scratch_);
  if (!info.is_spill) wait_for_refills(scratch_);
  Recorded r;
  r.pipe = pipe;
  r.issue = static_cast<u8>(std::max<u32>(1, info.cost.issue));
  r.slots = static_cast<u16>(std::max<u32>(1, info.cost.pipe_slots()));
  r.steps = info.cost.steps;
  r.holds = info.cost.holds == Holds::kResult;
  if (info.cost.holds == Holds::kL2) r.kind = Kind::kFence;
  r.flop_type = info.cost.flop_type;
  r.slow_fma = info.three_register_sources;
  r.instruction = in.index;
  if (pipe == Pipe::kTensor) r.amount = info.cost.flops;
  if (pipe == Pipe::kMemory && level != MemoryLevel::kNone) {
    r.passes = narrow(use.passes);
    r.sectors = narrow(level == MemoryLevel::kBeyondL1 ? use.sectors : 0);
    r.amount = use.transfers;
    r.kind = level == MemoryLevel::kShared ? Kind::kShared
             : info.is_atomic              ? Kind::kAtomic
             : info.is_spill               ? info.is_store ? Kind::kSpill : Kind::kRefill
             : info.is_store               ? Kind::kStore
                                           : Kind::kLoad;
    if (r.kind == Kind::kShared) r.amount = info.is_store || info.is_atomic ? 1 : 0;
    r.loop_clocks = narrow(static_cast<u32>(loop_clocks(owner_.device_, info, use.turns)));
    r.loop_word = static_cast<u16>(use.word % kLoopWords);
  }
  if (next_ == Kind::kCopy) {
    r.copy_passes = narrow(use.passes);
    r.passes = narrow(copy_use_.passes);
    r.amount = copy_use_.transfers;
    r.sectors = narrow(copy_level_ == MemoryLevel::kBeyondL1 ? copy_use_.sectors : 0);
  }
  if (next_ != Kind::kArithmetic) r.kind = next_;
  if (r.kind == Kind::kCopyWait) r.amount = pending_;
  next_ = Kind::kArithmetic;
  const auto self = static_cast<u32>(record_.instructions.size());
  append(r, scratch_);
  if (r.kind == Kind::kRefill) refills_.add(self);
  Producers me;
  me.add(self);
  if (r.kind != Kind::kCopy) {
    if (!info.is_store) {
      set(in.d, me);
      set(in.e, me);
    }
    if (in.extra != nullptr) {
      for (size_t i = 0; i < written_slots(in, info); ++i) set(in.extra->slots[i], me);
    }
  }
  if (pipe == Pipe::kControl || r.kind == Kind::kCopyWait || r.holds ||
      info.traits.gathers == Gathers::kWarpBarrier)
    close();
}

void BlockRecorder::Warp::predicate(const Instruction& in, const InstructionInfo& info, bool skips) {
  if (skips) {
    if (is_full()) return;
    Recorded r;
    r.issue = static_cast<u8>(std::min<u32>(info.predication.slots, std::numeric_limits<u8>::max()));
    r.instruction = in.index;
    append(r, {});
    return;
  }
  if (predicated_until_ != info.predication.until) condition_ = {};
  if (const Producers* from = producers(in.a); from != nullptr) condition_.add(*from);
  predicated_until_ = info.predication.until;
}

void BlockRecorder::Warp::note_copy(MemoryLevel level, const RequestUse& use) {
  next_ = Kind::kCopy;
  copy_level_ = level;
  copy_use_ = use;
}

void BlockRecorder::Warp::wait_for_copies(u32 pending, bool uncommitted) {
  next_ = Kind::kCopyWait;
  pending_ = uncommitted ? kEveryCopy : pending;
}

void BlockRecorder::Warp::arrive(u32 phase, const Instruction& in) {
  arrived_at_ = in.index;
  if (is_full()) return;
  close();
  Recorded r;
  r.kind = Kind::kArrive;
  r.instruction = arrived_at_;
  r.pipe = Pipe::kControl;
  r.issue = 1;
  r.amount = phase;
  append(r, {});
  close();
}

void BlockRecorder::Warp::meet(u32 phase) {
  if (is_full()) return;
  close();
  Recorded r;
  r.kind = Kind::kMeet;
  r.instruction = arrived_at_;
  r.amount = phase;
  append(r, {});
  close();
}

void BlockRecorder::Warp::sleep(double cycles, const Instruction& in) {
  if (is_full()) return;
  close();
  Recorded r;
  r.kind = Kind::kSleep;
  r.instruction = in.index;
  r.amount = static_cast<u32>(std::min(cycles, 4e9));
  append(r, {});
  close();
}

/// The basic block has ended: its instructions take their places.
void BlockRecorder::Warp::close() {
  auto& all = record_.instructions;
  const u32 first = open_;
  open_ = static_cast<u32>(all.size());
  if (all.size() - first < 3) return;
  const std::vector<u32>& order = owner_.order(*this, first);
  const std::vector<Recorded> before(all.begin() + first, all.end());
  for (u32 i = 0; i < order.size(); ++i) {
    all[first + i] = before[order[i]];
    position_[first + order[i]] = first + i;
  }
}

}  // namespace roofline::sim
