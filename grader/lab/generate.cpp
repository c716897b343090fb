// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/generate.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "grader/base/parallel.h"
#include "grader/lab/e4m3.h"
#include "grader/lab/half.h"

namespace roofline::grader {
namespace {

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }
  void absorb(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

/// The top 24 (float) or 53 (double) bits as a fraction in [-1, 1), then scaled.
template <class T>
T uniform(std::uint64_t bits, T middle, T half_range) {
  if constexpr (std::is_same_v<T, double>) {
    return middle + half_range * (static_cast<double>(static_cast<std::int64_t>(bits) >> 11) * 0x1p-52);
  } else {
    return middle + half_range * (static_cast<float>(static_cast<std::int32_t>(bits) >> 8) * 0x1p-23F);
  }
}

template <class T, class Make>
void fill(std::span<std::byte> array, const Make& make) {
  T* elements = reinterpret_cast<T*>(array.data());
  parallel_chunks(array.size() / sizeof(T), std::size_t{1} << 18, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) elements[i] = make(i);
  });
}

/// Two numbers from each 64 random bits, made of 32 of them each. Chunks are even, so a pair never straddles
/// two of them.
template <class T, class Make>
void fill_pairs(std::span<std::byte> array, std::uint64_t seed, const Make& make) {
  T* elements = reinterpret_cast<T*>(array.data());
  parallel_chunks(array.size() / sizeof(T), std::size_t{1} << 18, [=](std::size_t begin, std::size_t end) {
    std::size_t i = begin;
    for (; i + 1 < end; i += 2) {
      const std::uint64_t bits = random_bits(seed, i / 2);
      elements[i] = make(static_cast<std::uint32_t>(bits));
      elements[i + 1] = make(static_cast<std::uint32_t>(bits >> 32));
    }
    if (i < end) elements[i] = make(static_cast<std::uint32_t>(random_bits(seed, i / 2)));
  });
}

/// Eight bytes from each 64 random bits.
void fill_bytes(std::span<std::byte> array, std::uint64_t seed) {
  parallel_chunks(array.size(), std::size_t{1} << 20, [=](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += 8) {
      const std::uint64_t bits = random_bits(seed, i / 8);
      std::memcpy(array.data() + i, &bits, std::min<std::size_t>(8, end - i));
    }
  });
}

template <class T>
void fill_integers(std::span<std::byte> array, std::uint64_t seed, double low, double high) {
  if (low == -1 && high == 1) {
    if constexpr (sizeof(T) == 1) return fill_bytes(array, seed);
    fill<T>(array, [=](std::size_t i) { return static_cast<T>(random_bits(seed, i)); });
    return;
  }
  const auto range = static_cast<std::uint64_t>(high - low) + 1;
  fill<T>(array, [=](std::size_t i) {
    return static_cast<T>(static_cast<std::int64_t>(low) +
                          static_cast<std::int64_t>(random_bits(seed, i) % range));
  });
}

/// Special values by bit pattern, for any IEEE format given by its widths.
template <class Bits>
std::array<Bits, 10> special_patterns(unsigned mantissa_bits) {
  const Bits sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  const Bits mantissa = static_cast<Bits>((Bits{1} << mantissa_bits) - 1);
  const Bits infinity = static_cast<Bits>(~(sign | mantissa));
  const Bits quiet = static_cast<Bits>(infinity | (Bits{1} << (mantissa_bits - 1)));
  const auto negative = [&](Bits pattern) { return static_cast<Bits>(pattern | sign); };
  return {quiet,
          infinity,
          negative(infinity),
          sign,
          Bits{1},
          mantissa,
          negative(mantissa),
          static_cast<Bits>(infinity - 1),
          static_cast<Bits>(mantissa + 1),
          Bits{0}};
}

template <class Bits>
void inject(std::span<std::byte> array, std::uint64_t seed, unsigned mantissa_bits) {
  const auto patterns = special_patterns<Bits>(mantissa_bits);
  const std::size_t count = array.size() / sizeof(Bits);
  Bits* elements = reinterpret_cast<Bits*>(array.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random_bits(seed, i);
    if (i < patterns.size())
      elements[i] = patterns[i];
    else if (bits % 37 == 0)
      elements[i] = patterns[(bits >> 32) % patterns.size()];
  }
}

/// Sixteen bits of each number are more than the type can tell apart: a table of all of them.
void fill_e4m3(std::span<std::byte> array, std::uint64_t seed, double middle, double half_range) {
  constexpr unsigned kBits = 16, kSigned = 64 - kBits;
  std::vector<E4M3> numbers(std::size_t{1} << kBits);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = e4m3_of(uniform<double>(std::uint64_t{i} << kSigned, middle, half_range));
  fill<E4M3>(array, [&](std::size_t i) { return numbers[random_bits(seed, i) >> kSigned]; });
}

}  // namespace

std::uint64_t derive(std::uint64_t master, Purpose purpose, std::uint64_t index) {
  const std::uint64_t k0 = master, k1 = master ^ 0x726f6f666c696e65U;
  SipState state{k0 ^ 0x736f6d6570736575U, k1 ^ 0x646f72616e646f6dU, k0 ^ 0x6c7967656e657261U,
                 k1 ^ 0x7465646279746573U};
  state.absorb(static_cast<std::uint64_t>(purpose));
  state.absorb(index);
  state.absorb(std::uint64_t{16} << 56);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

std::uint64_t entropy() {
  std::uint64_t value = 0;
  while (value == 0) {
    if (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) value = 0;
  }
  return value;
}

void fill_random(Type type, std::span<std::byte> array, std::uint64_t seed, double low, double high) {
  const double middle = (low + high) / 2, half = (high - low) / 2;
  const auto middle32 = static_cast<float>(middle), half32 = static_cast<float>(half);
  switch (type) {
    case Type::kF32:
      fill_pairs<float>(array, seed,
                        [=](std::uint32_t bits) { return uniform<float>(bits, middle32, half32); });
      break;
    case Type::kF64:
      fill<double>(array, [=](std::size_t i) { return uniform<double>(random_bits(seed, i), middle, half); });
      break;
    case Type::kF16:
      fill_pairs<_Float16>(
          array, seed, [=](std::uint32_t bits) { return half_of(uniform<float>(bits, middle32, half32)); });
      break;
    case Type::kS8:
      fill_integers<std::int8_t>(array, seed, low, high);
      break;
    case Type::kU8:
      fill_integers<std::uint8_t>(array, seed, low, high);
      break;
    case Type::kS32:
      fill_integers<std::int32_t>(array, seed, low, high);
      break;
    case Type::kU32:
      fill_integers<std::uint32_t>(array, seed, low, high);
      break;
    case Type::kS64:
      fill_integers<std::int64_t>(array, seed, low, high);
      break;
    case Type::kU64:
      fill_integers<std::uint64_t>(array, seed, low, high);
      break;
    case Type::kE4M3:
      fill_e4m3(array, seed, middle, half);
      break;
  }
}

void inject_special(Type type, std::span<std::byte> array, std::uint64_t seed) {
  if (type == Type::kF32) inject<std::uint32_t>(array, seed, 23);
  if (type == Type::kF64) inject<std::uint64_t>(array, seed, 52);
  if (type == Type::kF16) inject<std::uint16_t>(array, seed, 10);
}

double random_scalar(Type type, std::uint64_t seed) {
  const std::uint64_t bits = random_bits(seed, 0);
  const double magnitude = 0.5 + 1.5 * static_cast<double>(bits >> 11) * 0x1p-53;
  const double value = (bits & 1) != 0 ? -magnitude : magnitude;
  if (type == Type::kF32) return static_cast<double>(static_cast<float>(value));
  if (type == Type::kF16)
    return static_cast<double>(static_cast<float>(static_cast<_Float16>(static_cast<float>(value))));
  return value;
}

double random_between(double low, double high, std::uint64_t seed) {
  return low + (high - low) * static_cast<double>(random_bits(seed, 0) >> 11) * 0x1p-53;
}

double random_integer_below(unsigned bits, std::uint64_t seed) {
  return static_cast<double>(random_bits(seed, 0) >> (64 - bits));
}

std::uint32_t poison_word(std::uint64_t seed) {
  // A NaN as float, as either half, and twice as double: a sum that reads poison is poisoned.
  const auto bits = static_cast<std::uint32_t>(random_bits(seed, 0));
  std::uint32_t word = 0x7ff87e00U | (bits & 0x000701ffU);
  // Neither half is what a device makes of a NaN, 0x7fff, or a CPU, 0x7e00: those are results.
  if (word >> 16U == 0x7fff) word ^= 0x10000U;
  if ((word & 0x1ffU) == 0 || (word & 0x1ffU) == 0x1ff) word ^= 1U;
  return word;
}

void fill_poison(std::span<std::byte> bytes, std::uint32_t word) {
  const std::size_t words = bytes.size() / 4;
  // Any alignment: a byte array may start one element past an aligned address.
  std::byte* out = bytes.data();
  parallel_chunks(words, std::size_t{1} << 18, [=](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) std::memcpy(out + i * 4, &word, 4);
  });
  if (bytes.size() % 4 != 0) std::memcpy(out + words * 4, &word, bytes.size() % 4);
}

}  // namespace roofline::grader
