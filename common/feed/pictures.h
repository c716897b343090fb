// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// Pictures as a decoder delivers them: bytes that depend on a seed, on the picture's number and on the place
/// in it alone. Made by the program that feeds a GPU, and again by the judge.
namespace roofline::feed {

/// Eight bytes at a time (splitmix64).
inline std::uint64_t eight_bytes(std::uint64_t seed, std::uint64_t word) {
  std::uint64_t z = seed + (word + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Writes picture number `picture` of the seed: `bytes` bytes.
inline void decode_picture(std::uint64_t seed, std::uint64_t picture, std::size_t bytes, std::uint8_t* to) {
  const std::size_t words = (bytes + 7) / 8;
  for (std::size_t k = 0; k < words; ++k) {
    const std::uint64_t eight = eight_bytes(seed, picture * words + k);
    std::memcpy(to + 8 * k, &eight, std::min<std::size_t>(8, bytes - 8 * k));
  }
}

/// A step of training changes each weight by one byte of every picture of its batch, in order: weights at the
/// end tell which pictures came, and when.
inline constexpr std::uint32_t kForget = 16'777'619;

/// What stands for a byte where pictures are normalised on the CPU. Exact in a float, and in a half.
inline float normalised(std::uint8_t byte) { return (static_cast<float>(byte) - 128.0F) / 64.0F; }

}  // namespace roofline::feed
