// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "grader/lab/spec.h"

/// Random inputs. Element i depends only on the seed and on i, so that threads fill pieces independently and
/// any element can be computed again.
namespace roofline::grader {

/// What a derived seed is for: two purposes never share a stream.
enum class Purpose : std::uint64_t {
  kArray = 1,
  kScalar,
  kPoison,
  kPositions,
  kSpecial,
  kCalls,
  kDraw,
  kWhole,
  kSamples
};

/// A seed for one purpose and one index. One-way (SipHash-2-4 keyed with the master), so that a worker that
/// works out the seed of the input it sees learns nothing about the next call.
std::uint64_t derive(std::uint64_t master, Purpose purpose, std::uint64_t index);

/// 64 random bits from the kernel, never 0.
std::uint64_t entropy();

/// Element `index` of the stream: 64 random bits.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15U;  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Fills an array with values uniform in [low, high), each with a full random mantissa; integers take whole
/// values in [low, high], or all bit patterns where the range is the default [-1, 1).
void fill_random(Type type, std::span<std::byte> array, std::uint64_t seed, double low, double high);

/// Overwrites about one element in 37 with NaN, +-Inf, -0, +-denormals, the largest and the smallest normal
/// value. Floating-point types only; others are left alone. The first elements hold one of each where they
/// fit.
void inject_special(Type type, std::span<std::byte> array, std::uint64_t seed);

/// A scalar of the type, +-[0.5, 2) for floating point: never so small that the result hides it.
double random_scalar(Type type, std::uint64_t seed);

/// Uniform in [low, high).
double random_between(double low, double high, std::uint64_t seed);

/// An integer in [0, 2^bits), bits at most 53.
double random_integer_below(unsigned bits, std::uint64_t seed);

/// A 32-bit pattern for memory that nobody has written: a NaN in float, half and (repeated) double.
std::uint32_t poison_word(std::uint64_t seed);
void fill_poison(std::span<std::byte> bytes, std::uint32_t word);

}  // namespace roofline::grader
