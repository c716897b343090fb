// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/init_check.h"

#include <bit>

#include "simulator/text.h"

namespace roofline::sim {

namespace {

/// Holes in a copy that may be padding of structures.
constexpr u64 kPadding = 15;
/// Of a block: for numbering the threads of a launch.
constexpr u64 kMaxThreads = 1024;

std::string allocation_text(u64 begin, u64 end, const std::string& origin) {
  return std::to_string(end - begin) + "-byte allocation at " + hex(begin) +
         (origin.empty() ? "" : " (" + origin + ")");
}

/// Whether all bytes from the first to the last that the warp accesses were written: quick to find out, where
/// these are not many.
bool all_written(const ObservedAccess& a, const ByteMap& valid) {
  constexpr u64 kMost = ByteMap::kPageBytes;
  const u64 bytes = static_cast<u64>(a.pattern->highest) - static_cast<u64>(a.pattern->lowest);
  return bytes < kMost && valid.has_all(a.base + static_cast<u64>(a.pattern->lowest), bytes + a.width);
}

/// Whether some aligned word of the access (or all of it, when it is narrower) was never written. A hole
/// inside a word is padding of a structure that is read as a whole.
bool misses_word(const ByteMap& valid, u64 address, u32 width) {
  const u32 word = width < 4 ? width : 4;
  for (u32 at = 0; at < width; at += word)
    if (!valid.has_any(address + at, word)) return true;
  return false;
}

}  // namespace

void InitCheck::allocated(u64 address, u64 bytes, const std::string& origin) {
  allocations_[address] = {address + bytes, origin};
  valid_.clear(address, bytes);
}

const InitCheck::Entry* InitCheck::find(u64 address) const {
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return nullptr;
  --next;
  return address < next->second.end ? &*next : nullptr;
}

void InitCheck::copied(u64 to, u64 from, u64 bytes) {
  if (find(from) == nullptr) return written(to, bytes);
  if (find(to) == nullptr) return copied_out(from, bytes);
  valid_.copy(to, valid_, from, bytes);
}

void InitCheck::copied_out(u64 from, u64 bytes) {
  const Entry* const allocation = find(from);
  if (allocation == nullptr || valid_.has_all(from, bytes)) return;
  u64 first = 0, run = 0, longest = 0;
  for (u64 i = 0; i < bytes; ++i) {
    run = valid_.has(from + i) ? 0 : run + 1;
    if (run <= longest) continue;
    longest = run;
    first = i + 1 - run;
  }
  if (longest <= kPadding && longest != bytes) return;
  Finding finding;
  finding.check = kCheckInit;
  finding.level = Finding::Level::kWarning;
  finding.rule = "copy";
  finding.message = "a copy of " + count_of(bytes, "byte") + " to the host holds " +
                    count_of(bytes - valid_.count(from, bytes), "byte") +
                    " that nobody wrote; the longest run starts " +
                    count_of(from + first - allocation->first, "byte") + " into the " +
                    allocation_text(allocation->first, allocation->second.end, allocation->second.origin);
  finding.advice = "does the kernel write every element, and was it launched with enough threads?";
  findings_.add(std::move(finding));
}

void InitCheck::launch_begins(const Grid& grid, const std::vector<Traits>& traits) {
  grid_ = &grid;
  traits_ = &traits;
  reported_.clear();
  launch_ends();
  cluster_writes_ = false;
  shared_.clear();
  last_block_ = nullptr;
}

void InitCheck::block_begins(const Block& block) { shared_[&block].reset(); }
void InitCheck::block_ends(const Block& block) {
  shared_.erase(&block);
  last_block_ = nullptr;
}

ByteMap& InitCheck::shared_of(const Block& block) {
  if (last_block_ != &block) {
    last_shared_ = &shared_[&block];
    last_block_ = &block;
  }
  return *last_shared_;
}

void InitCheck::access(Warp& w, const Instruction& in, const ObservedAccess& a) {
  const bool shared = a.space == ptx::Space::kShared;
  if (!shared && (a.space != ptx::Space::kGlobal || allocations_.empty())) return;
  if (shared && a.address(static_cast<u32>(std::countr_zero(a.mask))) >= w.block->shared_bytes) {
    cluster_writes_ = cluster_writes_ || a.kind != AccessKind::kLoad;
    return;
  }
  if (shared && cluster_writes_) return;
  ByteMap& valid = shared ? shared_of(*w.block) : valid_;
  // An exchange of which nobody reads the old value only writes.
  const InstructionInfo& info = grid_->kernel->info[in.index];
  const bool only_writes =
      info.old_unread && info.traits.atomic == AtomicOperation::kSwap && !info.traits.swaps;
  const bool reads = a.kind != AccessKind::kStore && !only_writes;
  if (reads && !(*traits_)[in.index].barrier_object) read(w, in, a, valid, shared);
  if (a.kind == AccessKind::kLoad) return;
  if (!early_.empty()) settle_early(w, a, shared);
  if (a.pattern->kind == AddressPattern::Kind::kUnit) return valid.set(a.base, u64{a.width} * kWarpSize);
  if (all_written(a, valid)) return;
  for (u32 lanes = a.mask; lanes != 0; lanes &= lanes - 1)
    valid.set(a.address(static_cast<u32>(std::countr_zero(lanes))), a.width);
}

void InitCheck::read(const Warp& w, const Instruction& in, const ObservedAccess& a, const ByteMap& valid,
                     bool shared) {
  if (all_written(a, valid)) return;
  u32 culprit = kWarpSize, culprits = 0;
  u64 missing = 0;
  for (u32 lanes = a.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(lanes));
    const u64 address = a.address(lane);
    if (valid.has_all(address, a.width) || !misses_word(valid, address, a.width)) continue;
    // What lies outside of its memory, even by its end alone, traps in a moment.
    const Entry* const allocation = shared ? nullptr : find(address);
    const u64 memory_end = shared                  ? w.block->shared_bytes
                           : allocation != nullptr ? allocation->second.end
                                                   : 0;
    if (address + a.width > memory_end) continue;
    culprit = std::min(culprit, lane);
    culprits |= 1U << lane;
    missing += a.width - valid.count(address, a.width);
  }
  if (culprit == kWarpSize) return;
  Finding*& known = reported_[in.index];
  if (known != nullptr)
    ++known->count;
  else
    report(w, in, a, culprit, missing, shared);
  for (u32 lanes = culprits; lanes != 0; lanes &= lanes - 1)
    remember_early(w, a, static_cast<u32>(std::countr_zero(lanes)), shared, reported_[in.index]);
}

namespace {

u64 thread_of(const Warp& w, u32 lane) {
  return w.block->linear_id * kMaxThreads + w.index * kWarpSize + lane;
}

}  // namespace

void InitCheck::remember_early(const Warp& w, const ObservedAccess& a, u32 lane, bool shared,
                               const Finding* finding) {
  // An atomic operation makes a value of the garbage that it reads: nobody can come to write it first.
  if (a.kind == AccessKind::kAtomic || early_count_ >= kMostEarly) {
    unwritten_.insert(finding);
    return;
  }
  ++early_count_;
  const u64 block = shared ? w.block->linear_id + 1 : 0;
  early_[{block, a.address(lane) / 4}].push_back({thread_of(w, lane), finding});
}

void InitCheck::settle_early(const Warp& w, const ObservedAccess& a, bool shared) {
  const u64 block = shared ? w.block->linear_id + 1 : 0;
  for (u32 lanes = a.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(lanes));
    const u64 address = a.address(lane);
    for (u64 word = address / 4; word <= (address + a.width - 1) / 4; ++word) {
      const auto found = early_.find({block, word});
      if (found == early_.end()) continue;
      // The first to write it had read it: a sum that was never set to zero.
      for (const EarlyRead& read : found->second)
        if (read.thread == thread_of(w, lane))
          for (const EarlyRead& each : found->second) unwritten_.insert(each.finding);
      early_.erase(found);
    }
  }
}

void InitCheck::launch_ends() {
  for (const auto& [word, reads] : early_)
    for (const EarlyRead& read : reads) unwritten_.insert(read.finding);
  early_.clear();
  early_count_ = 0;
}

void InitCheck::report(const Warp& w, const Instruction& in, const ObservedAccess& a, u32 lane, u64 missing,
                       bool shared) {
  const u32 thread = w.index * kWarpSize + lane;
  const u64 address = a.address(lane);
  Finding finding;
  finding.check = kCheckInit;
  finding.rule = shared ? "shared-memory" : "global-memory";
  finding.kernel = readable_name(grid_->kernel->name);
  finding.block = block_text(*grid_, w.block->linear_id);
  finding.thread = thread_text(*grid_, thread);
  finding.message = "thread " + finding.thread + " of block " + finding.block + " reads " +
                    count_of(a.width, "byte") + " that nobody wrote, at ";
  if (shared) {
    finding.message += "shared memory " + hex(address);
    finding.advice = "shared memory holds garbage when a block starts: write every element before it is read";
  } else {
    const Entry& allocation = *find(address);
    finding.message += hex(address) + ", " + count_of(address - allocation.first, "byte") + " into the " +
                       allocation_text(allocation.first, allocation.second.end, allocation.second.origin);
    finding.advice =
        allocation.second.origin.ends_with("in a kernel")
            ? "malloc does not clear memory: write every element before it is read"
            : "cudaMalloc does not clear memory: cudaMemset or cudaMemcpy it first, or write it in a kernel";
  }
  if (missing > a.width) finding.message += "; its warp reads " + count_of(missing, "such byte");
  finding.places = {place_of(*grid_->kernel, in.index, "thread " + finding.thread + " reads")};
  reported_[in.index] = &findings_.add(std::move(finding));
}

}  // namespace roofline::sim
