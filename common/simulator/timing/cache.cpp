// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/cache.h"

#ifdef __x86_64__
#include <smmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <limits>

#include "simulator/timing/managed_memory.h"

namespace roofline::sim {
namespace {

/// A multiplier whose multiples, and those of its power-of-two shifts, fall evenly into any number of sets:
/// no set of 12 to 384 gets more than 8 of 6 * sets lines at any stride of 2^0 to 2^25 lines (found by
/// search; the golden ratio's shifts are not even).
constexpr u64 kSpread = 0xe41b'378a'caf1'8cb1u;

u64 multiply_high(u64 a, u64 b) { return static_cast<u64>((static_cast<unsigned __int128>(a) * b) >> 64); }

/// 32 bits that tell lines apart: the device window spans less than 2^31 lines, and the host window differs
/// in bit 37 of the line number.
u32 tag_of(u64 line) {
  return static_cast<u32>(line & 0x7fff'ffffu) | static_cast<u32>((line >> 37 & 1) << 31);
}

/// Ways (as bits) whose tag equals `tag`.
#ifdef __x86_64__
u32 matching_ways(const std::array<u32, 16>& tags, u32 tag) {
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
  const auto compare = [&](int i) {
    return _mm_cmpeq_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(tags.data()) + i), wanted);
  };
  const __m128i low = _mm_packs_epi32(compare(0), compare(1));
  const __m128i high = _mm_packs_epi32(compare(2), compare(3));
  return static_cast<u32>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
}

template <size_t kWays>
u32 matching_ways(const std::array<u64, kWays>& tags, u64 tag) {
  const __m128i wanted = _mm_set1_epi64x(static_cast<s64>(tag));
  u32 found = 0;
  for (size_t i = 0; i < kWays; i += 2) {
    const __m128i same =
        _mm_cmpeq_epi64(_mm_load_si128(reinterpret_cast<const __m128i*>(tags.data() + i)), wanted);
    found |= static_cast<u32>(_mm_movemask_pd(_mm_castsi128_pd(same))) << i;
  }
  return found;
}
#else
template <class Tag, size_t kWays>
u32 matching_ways(const std::array<Tag, kWays>& tags, Tag tag) {
  Tag found = 0;
  for (u32 i = 0; i < kWays; ++i) found |= Tag{tags[i] == tag} << i;
  return static_cast<u32>(found);
}
#endif

}  // namespace

L1Cache::L1Cache(u64 bytes) : sets_(bytes / kLineBytes / kWays) { reset(); }

void L1Cache::reset() {
  // What earlier rounds left is wiped only before a tag or a stamp could come twice.
  constexpr u16 kLastRound = std::numeric_limits<u16>::max();
  if (clock_ > std::numeric_limits<u32>::max() / 2 || round_ == kLastRound) {
    std::fill(sets_.begin(), sets_.end(), Set{});
    clock_ = round_ = 0;
  }
  ++round_;
}

/// The way whose last use is the longest ago. No step waits for a load that depends on the one before.
template <size_t kWays>
static u32 oldest(const std::array<u32, kWays>& stamps) {
  static_assert(kWays == 8);
  u64 first = u64{stamps[0]} << 3;
  for (u32 way = 1; way < kWays; ++way) first = std::min(first, u64{stamps[way]} << 3 | way);
  return static_cast<u32>(first & (kWays - 1));
}

L1Cache::Set& L1Cache::set_of(u64 line) { return sets_[multiply_high(line * kSpread, sets_.size())]; }

u32 L1Cache::load(u64 line, u32 sector_mask) {
  if (sets_.empty()) return sector_mask;
  if (clock_ == std::numeric_limits<u32>::max()) reset();
  Set& set = set_of(line);
  const u64 tag = round_tag(line);
  const u32 found = matching_ways(set.tag, tag);
  u32 way = 0, missed = sector_mask;
  if (found != 0) {
    way = static_cast<u32>(std::countr_zero(found));
    missed &= ~u32{set.sectors[way]};
  } else {
    way = oldest(set.stamp);
    set.tag[way] = tag;
    set.sectors[way] = 0;
  }
  set.sectors[way] = static_cast<u8>(set.sectors[way] | sector_mask);
  set.stamp[way] = ++clock_;
  return missed;
}

void L1Cache::invalidate(u64 line) {
  if (sets_.empty()) return;
  Set& set = set_of(line);
  for (u32 found = matching_ways(set.tag, round_tag(line)); found != 0; found &= found - 1) {
    const auto way = static_cast<u32>(std::countr_zero(found));
    set.tag[way] = set.stamp[way] = 0;
  }
}

L2Cache::L2Cache(u64 bytes, u32 ways) : ways_(std::clamp(ways, 1u, kMaxWays)) {
  sets_.resize(std::max<u64>(1, bytes / kLineBytes / ways_));
  inverse_ = std::numeric_limits<u64>::max() / sets_.size() + 1;
  invalidate_all();
}

void L2Cache::invalidate_all() {
  Set empty;
  empty.tag.fill(std::numeric_limits<u32>::max());
  empty.state.fill(0);
  empty.referenced = 0;
  empty.hand = 0;
  std::fill(sets_.begin(), sets_.end(), empty);
}

u64 L2Cache::set_index(u64 line) const {
  if (sets_.size() == 1) return 0;
  // A contiguous array covers the sets evenly (its lines are consecutive), which is what real hashes achieve.
  const u64 in_window = line & ((u64{1} << 38) - 1);
  const u64 round = multiply_high(in_window, inverse_);
  const u64 place = in_window - round * sets_.size();
  // Each round of the sets starts elsewhere, so that strides of whole rounds do not alias.
  const u64 rotated = place + multiply_high(round * kSpread, sets_.size());
  return rotated < sets_.size() ? rotated : rotated - sets_.size();
}

/// Second chance: the first way from the hand on that was not hit since the hand passed it last.
u32 L2Cache::victim(Set& set) const {
  const u32 all = (1u << ways_) - 1;
  const u32 from_hand = all & ~((1u << set.hand) - 1);
  u32 candidates = ~u32{set.referenced} & from_hand;
  if (candidates == 0) {
    set.referenced = static_cast<u16>(set.referenced & ~from_hand);
    candidates = ~u32{set.referenced} & all;
    set.hand = 0;
  }
  const u32 way = static_cast<u32>(std::countr_zero(candidates));
  // The ways that the hand skipped lose their mark.
  set.referenced = static_cast<u16>(set.referenced & ~(((1u << way) - 1) & ~((1u << set.hand) - 1)));
  set.hand = static_cast<u16>(way + 1 == ways_ ? 0 : way + 1);
  return way;
}

void L2Cache::access_line(u64 line, u32 sectors, SectorRun::Kind kind, Traffic& traffic) {
  Set& set = sets_[set_index(line)];
  const u32 tag = tag_of(line);
  const u32 found = matching_ways(set.tag, tag);
  u32 way;
  if (found != 0) {
    way = static_cast<u32>(std::countr_zero(found));
  } else {
    way = victim(set);
    set.tag[way] = tag;
    set.state[way] = 0;
  }
  const u32 state = set.state[way];
  const u32 missed = sectors & ~state;
  const auto touched = static_cast<u64>(std::popcount(sectors));
  // Sectors of one line that arrive one after the other are one use, not a reuse.
  if (missed == 0) set.referenced = static_cast<u16>(set.referenced | 1u << way);
  u32 now = state | sectors;
  if (kind == SectorRun::kWrite) {
    traffic.write_sectors += touched;
  } else {
    const auto misses = static_cast<u64>(std::popcount(missed));
    traffic.read_sectors += touched;
    traffic.read_hits += touched - misses;
    traffic.dram_read_bytes += misses * kSectorBytes;
  }
  if (kind != SectorRun::kRead) {
    traffic.dram_write_bytes += static_cast<u64>(std::popcount(sectors & ~(state >> 4))) * kSectorBytes;
    now |= sectors << 4;
  }
  set.state[way] = static_cast<u8>(now);
}

[[gnu::always_inline]] inline void L2Cache::access_own(const SectorRun& run, Traffic& traffic) {
  const u64 reads = traffic.read_sectors, hits = traffic.read_hits;
  u64 sector = run.first_sector;
  const u64 end = sector + run.count;
  while (sector < end) {
    const u64 line_end = std::min(end, (sector | 3) + 1);
    const u32 mask = ((1u << (line_end - sector)) - 1) << (sector & 3);
    access_line(sector / 4, mask, static_cast<SectorRun::Kind>(u64{run.kind}), traffic);
    sector = line_end;
  }
  if (run.instruction < traffic.by_instruction.size()) {
    Traffic::Reads& own = traffic.by_instruction[run.instruction];
    own.sectors += traffic.read_sectors - reads;
    own.hits += traffic.read_hits - hits;
  }
}

void L2Cache::over_a_link(const SectorRun& run, PeerBytes& moved, Traffic& traffic) {
  const u64 bytes = run.count * kSectorBytes;
  if (run.kind != SectorRun::kRead) moved.written += bytes;
  if (run.kind == SectorRun::kWrite) return;
  moved.read += bytes;
  if (run.instruction < traffic.by_instruction.size())
    traffic.by_instruction[run.instruction].sectors += run.count;
}

/// Pinned memory, which stays with the host (managed memory comes to the device), and device memory, which is
/// that of the GPU that has it.
[[gnu::noinline]] void L2Cache::access_elsewhere(SectorRun run, Traffic& traffic, MemoryHomes::Span& near) {
  while (run.count != 0) {
    const u64 address = run.first_sector * kSectorBytes;
    const bool on_host = address >= kHostWindow;
    if (address < kDeviceWindow || (on_host && managed_ != nullptr && managed_->is_managed(address)))
      return access_own(run, traffic);
    if (on_host) {
      PeerBytes moved;
      over_a_link(run, moved, traffic);
      traffic.host_read_bytes += moved.read;
      traffic.host_write_bytes += moved.written;
      return;
    }
    if (!near.holds(address)) near = homes_->span_at(address);
    SectorRun first = run;
    first.count = static_cast<u32>(std::min<u64>(run.count, (near.end - address) / kSectorBytes));
    if (near.gpu == window_of(window_)) {
      access_own(first, traffic);
    } else {
      if (traffic.peers.empty()) traffic.peers.resize(kMaxDevices);
      over_a_link(first, traffic.peers[near.gpu], traffic);
    }
    run.first_sector += first.count;
    run.count -= first.count;
  }
}

void L2Cache::access(const SectorRun* runs, size_t n, Traffic& traffic) {
  if (managed_ != nullptr) managed_->touch(runs, n);
  constexpr size_t kAhead = 8;  // hides the host's own cache misses on the tags
  MemoryHomes::Span near;
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) __builtin_prefetch(&sets_[set_index(runs[i + kAhead].first_sector / 4)]);
    if (runs[i].first_sector * kSectorBytes - window_ < window_bytes_) [[likely]]
      access_own(runs[i], traffic);
    else
      access_elsewhere(runs[i], traffic, near);
  }
}

bool L2Cache::contains(u64 sector) const {
  const Set& set = sets_[set_index(sector / 4)];
  const u32 found = matching_ways(set.tag, tag_of(sector / 4));
  return found != 0 && (set.state[static_cast<u32>(std::countr_zero(found))] >> (sector & 3) & 1) != 0;
}

}  // namespace roofline::sim
