// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/channel/content_hash.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace roofline::sim {
namespace {

constexpr size_t kHalf =
    128;  ///< words; a block is two halves, word i of one multiplied with word i of the other
constexpr u64 kPrime = (u64{1} << 61) - 1;

using Block = std::array<u32, 2 * kHalf>;

/// SplitMix64 (Steele, Lea, Flood, 2014).
u64 next(u64& state) {
  u64 z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

u64 nh(const Block& words, const Block& keys) {
  u64 sum = 0;
  for (size_t i = 0; i < kHalf; i++) sum += u64{words[i] + keys[i]} * u64{words[kHalf + i] + keys[kHalf + i]};
  return sum;
}

u64 times_plus(u64 a, u64 b, u64 c) {
  const auto product = static_cast<unsigned __int128>(a) * b + c;
  const u64 folded = static_cast<u64>(product & kPrime) + static_cast<u64>(product >> 61);
  return folded >= kPrime ? folded - kPrime : folded;
}

}  // namespace

u64 content_hash(std::span<const std::byte> bytes, u64 key) {
  Block keys, words;
  for (u32& each : keys) each = static_cast<u32>(next(key));
  const u64 point = next(key) % kPrime;
  u64 hash = times_plus(bytes.size() % kPrime, 1, 0);
  while (!bytes.empty()) {
    const size_t n = std::min(bytes.size(), sizeof words);
    if (n < sizeof words) words = {};
    std::memcpy(words.data(), bytes.data(), n);
    hash = times_plus(hash, point, nh(words, keys) % kPrime);
    bytes = bytes.subspan(n);
  }
  return hash;
}

}  // namespace roofline::sim
