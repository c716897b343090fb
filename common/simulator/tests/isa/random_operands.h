// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cfenv>
#include <random>

#include "simulator/tests/isa/instruction_case.h"

/// Runs one spelling on rows of random operands, with all lanes active.
namespace roofline::sim::isa::cases {

class Runner {
 public:
  Runner(const std::string& spelling, std::size_t results, std::size_t sources)
      : instruction_(instruction_of(spelling, std::vector<std::string>(results, "0"),
                                    std::vector<std::string>(sources, "0"))),
        binder_(instruction_) {
    Match match;
    const Row* row = find(instruction_, match);
    if (row == nullptr) throw std::runtime_error("no row for " + spelling);
    row->bind(*row, match, binder_, in_);
    warp_.bank[0] = warp_.bank[1] = binder_.memory();
    warp_.mask = ~0u;
  }
  Runner(const Runner&) = delete;

  template <class T>
  T* source(std::size_t k) {
    return warp_.row<T>(binder_.sources.at(k).slot);
  }
  template <class T>
  const T* result(std::size_t k = 0) {
    return warp_.row<T>(binder_.results.at(k).slot);
  }
  u32& predicate(std::size_t k) { return warp_.predicate(binder_.sources.at(k).slot); }
  void run() { in_.execute(warp_, in_); }
  CaseBinder& binder() { return binder_; }

 private:
  ptx::Instruction instruction_;
  CaseBinder binder_;
  Instruction in_;
  Warp warp_;
};

/// Random values with the odd ones made likely: limits, small numbers, for floats zeros, subnormals,
/// infinities, NaN.
class Values {
 public:
  explicit Values(u64 seed) : engine_(seed) {}

  u64 bits() { return engine_(); }
  u32 below(u32 n) { return static_cast<u32>(engine_() % n); }

  template <class T>
  T integer() {
    constexpr u64 kOdd[] = {0,
                            1,
                            2,
                            ~u64{0},
                            0x7fff'ffff'ffff'ffff,
                            0x8000'0000'0000'0000,
                            0x8000'0000,
                            0x7fff'ffff,
                            0xffff'ffff,
                            0x8000,
                            0x7fff,
                            0xffff,
                            31,
                            32,
                            33,
                            63,
                            64};
    const u64 any = bits();
    switch (below(4)) {
      case 0:
        return static_cast<T>(kOdd[any % std::size(kOdd)]);
      case 1:
        return static_cast<T>(any >> (any & 63u));
      default:
        return static_cast<T>(any);
    }
  }

  f32 single() { return std::bit_cast<f32>(float_bits<u32, 23, 127>()); }
  f64 wide() { return std::bit_cast<f64>(float_bits<u64, 52, 1023>()); }
  Half half() { return {float_bits<u16, 10, 15>()}; }
  BFloat bfloat() { return {float_bits<u16, 7, 127>()}; }

 private:
  template <class U, int kMantissa, int kBias>
  U float_bits() {
    constexpr u64 kExponents = u64{2} * kBias + 1;
    const u64 any = bits(), sign = any >> 63 << (sizeof(U) * 8 - 1),
              mantissa = any & ((u64{1} << kMantissa) - 1);
    const auto with = [&](u64 exponent, u64 m) { return static_cast<U>(sign | exponent << kMantissa | m); };
    switch (below(12)) {
      case 0:
        return with(0, 0);
      case 1:
        return with(0, mantissa);
      case 2:
        return with(kExponents, 0);
      case 3:
        return with(kExponents, mantissa);
      case 4:
        return with(kExponents - 1, mantissa);
      case 5:
        return with(1, mantissa);
      case 6:
        return with(bits() % (kExponents + 1), mantissa);
      case 7:
        return with(kBias, mantissa & 3u);  // near one: sums and products that end in ties
      default:
        return with(kBias - 12 + bits() % 24, mantissa);
    }
  }
  std::mt19937_64 engine_;
};

}  // namespace roofline::sim::isa::cases
