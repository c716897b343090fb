// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/replay_memory.h"

#include <bit>
#include <cstring>

namespace roofline::sim {
namespace {

/// Everything that decides a replay, in one number.
u64 hash_of(const ReplayWork& work) {
  u64 hash = 0x9e37'79b9'7f4a'7c15u;
  const auto mix = [&](u64 value) {
    hash = (hash ^ value) * 0xff51'afd7'ed55'8ccdu;
    hash ^= hash >> 32;
  };
  mix(work.blocks);
  mix(work.resident);
  mix(work.most_instructions);
  for (const double value :
       {work.start_interval, work.l2_bytes_per_clock, work.dram_bytes_per_clock, work.stores_to_dram})
    mix(std::bit_cast<u64>(value));
  for (const BlockRecord& record : work.records) {
    mix(std::bit_cast<u64>(record.part));
    mix(std::bit_cast<u64>(record.loop_part));
    mix(record.loop_meetings);
    for (const WarpRecord& warp : record.warps) {
      mix(warp.instructions.size());
      for (const Recorded& r : warp.instructions) {
        static_assert(sizeof r == 8 * sizeof(u32), "no bytes between its members");
        u32 words[8];
        std::memcpy(words, &r, sizeof r);
        for (const u32 word : words) mix(word);
        if (r.sectors != 0) mix(std::bit_cast<u64>(work.hit_rate(r.instruction)));
      }
      for (const u32 source : warp.sources) mix(source);
    }
  }
  return hash;
}

}  // namespace

const ReplayOutcome& ReplayMemory::replay(const DeviceDescription& device, const ReplayWork& work) {
  constexpr size_t kMost = 256;
  const u64 hash = hash_of(work);
  if (const auto known = outcomes_.find(hash); known != outcomes_.end()) return known->second;
  if (outcomes_.size() >= kMost) outcomes_.clear();
  return outcomes_[hash] = replay_sm(device, work);
}

}  // namespace roofline::sim
