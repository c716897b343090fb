// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define ROOFLINE_HOST_DEVICE __host__ __device__
#else
#define ROOFLINE_HOST_DEVICE
#endif

/// Pictures as a decoder delivers them: bytes that depend on a seed, on the picture's number and on the place
/// in it alone. Made by the program that feeds a GPU, and again by the judge.
namespace roofline::feed {

/// 64 random bits for each number (splitmix64).
inline ROOFLINE_HOST_DEVICE std::uint64_t bits_of(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}
#undef ROOFLINE_HOST_DEVICE

/// Writes picture number `picture` of the seed: `bytes` bytes, in words that follow each other at a random
/// distance. About as fast as memory takes them: on a GPU a CPU that decodes must keep up with the link.
inline void decode_picture(std::uint64_t seed, std::uint64_t picture, std::size_t bytes, std::uint8_t* to) {
  constexpr std::size_t kWord = sizeof(std::uint64_t), kWords = 4;  // independent of each other
  const std::uint64_t distance = bits_of(seed, 2 * picture + 1) | 1U;
  std::uint64_t words[kWords];
  for (std::size_t k = 0; k < kWords; ++k) words[k] = bits_of(seed, 2 * picture) + k * distance;
  while (bytes >= sizeof words) {
    std::memcpy(to, words, sizeof words);
    for (std::uint64_t& word : words) word += kWords * distance;
    to += sizeof words;
    bytes -= sizeof words;
  }
  for (std::size_t k = 0; bytes > 0; ++k) {
    const std::size_t part = std::min(kWord, bytes);
    std::memcpy(to, &words[k], part);
    to += part;
    bytes -= part;
  }
}

/// A step of training changes each weight by one byte of every picture of its batch, in order: weights at the
/// end tell which pictures came, and when.
inline constexpr std::uint32_t kForget = 16'777'619;

/// What stands for a byte where pictures are normalised on the CPU. Exact in a float, and in a half.
inline float normalised(std::uint8_t byte) { return (static_cast<float>(byte) - 128.0F) / 64.0F; }

}  // namespace roofline::feed
