// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "simulator/tests/isa/random_operands.h"

// f16 and bf16 against exact arithmetic in 113 bits, rounded by looking the neighbours up in the list of all
// numbers of the format. Broken by double rounding, by wrong ties, by subnormals that a bit trick forgets.
namespace roofline::sim::isa::isa_half {
namespace {

using cases::Runner;
using cases::Values;
using Exact = __float128;

/// The value of a half from its definition, without the code under test.
template <class H>
f64 value_of(u16 bits) {
  constexpr int kMantissa = std::is_same_v<H, Half> ? 10 : 7, kBias = std::is_same_v<H, Half> ? 15 : 127;
  const int exponent = (bits & 0x7fff) >> kMantissa, mantissa = bits & ((1 << kMantissa) - 1);
  const f64 sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == 2 * kBias + 1) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - kBias - kMantissa);
  return sign * std::ldexp(mantissa + (1 << kMantissa), exponent - kBias - kMantissa);
}

/// All finite magnitudes, in order; index = bits.
template <class H>
const std::vector<f64>& magnitudes() {
  static const std::vector<f64> list = [] {
    std::vector<f64> values;
    for (u32 bits = 0; std::isfinite(value_of<H>(static_cast<u16>(bits))); ++bits)
      values.push_back(value_of<H>(static_cast<u16>(bits)));
    return values;
  }();
  return list;
}

/// x (not NaN) rounded by its neighbours in the list: "rn", "rz", "rm" or "rp".
template <class H>
u16 rounded(Exact x, const std::string& mode, bool negative_zero) {
  const std::vector<f64>& list = magnitudes<H>();
  const bool negative = x < 0 || (x == 0 && negative_zero);
  const Exact size = negative ? -x : x;
  const auto above =
      std::lower_bound(list.begin(), list.end(), size, [](f64 a, Exact b) { return Exact{a} < b; });
  std::size_t result = static_cast<std::size_t>(above - list.begin());
  const bool exact = above != list.end() && Exact{*above} == size;
  if (!exact) {
    const std::size_t below = result - 1;
    // Beyond the largest number the next one would follow at the same distance; it stands for infinity.
    const f64 next = result < list.size() ? list[result] : 2 * list.back() - list[list.size() - 2];
    const Exact twice = 2 * size, middle = Exact{list[below]} + Exact{next};
    const bool up = mode == "rz"   ? false
                    : mode == "rm" ? negative
                    : mode == "rp" ? !negative
                                   : twice > middle || (twice == middle && below % 2 == 1);
    if (!up) result = below;
  }
  return static_cast<u16>(result | (negative ? 0x8000u : 0u));
}

template <class H>
H drawn(Values& values) {
  if constexpr (std::is_same_v<H, Half>) {
    return values.half();
  } else {
    // Exponents close enough for exact sums in 113 bits; the extremes come in the cases.
    const u16 bits = values.bfloat().bits;
    const u32 exponent = 127 - 20 + (bits >> 7 & 0xffu) % 40;
    return {static_cast<u16>((bits & 0x807fu) | exponent << 7)};
  }
}

template <class H, class F>
void check(const std::string& spelling, std::size_t sources, F f) {
  SCOPED_TRACE(spelling);
  Runner runner(spelling, 1, sources);
  Values values(41);
  for (int round = 0; round < 4000; ++round) {
    for (std::size_t k = 0; k < sources; ++k)
      for (int i = 0; i < kWarpSize; ++i) runner.source<H>(k)[i] = drawn<H>(values);
    runner.run();
    for (int i = 0; i < kWarpSize; ++i) {
      f64 s[3] = {};
      for (std::size_t k = 0; k < sources; ++k) s[k] = value_of<H>(runner.source<H>(k)[i].bits);
      if (std::isinf(s[0]) || std::isinf(s[1]) || std::isinf(s[2])) continue;  // in the cases
      const bool nan = std::isnan(s[0]) || std::isnan(s[1]) || std::isnan(s[2]);
      const Exact exact = nan ? Exact{0} : f(Exact{s[0]}, Exact{s[1]}, Exact{s[2]});
      const u16 got = runner.result<H>()[i].bits;
      if (!nan && exact == 0) {
        ASSERT_EQ(got & 0x7fffu, 0u) << s[0] << " " << s[1] << " " << s[2];
      } else {
        ASSERT_EQ(got, nan ? u16{0x7fff} : rounded<H>(exact, "rn", false))
            << s[0] << " " << s[1] << " " << s[2];
      }
    }
  }
}

constexpr auto add = [](Exact a, Exact b, Exact) { return a + b; };
constexpr auto subtract = [](Exact a, Exact b, Exact) { return a - b; };
constexpr auto multiply = [](Exact a, Exact b, Exact) { return a * b; };
constexpr auto fused = [](Exact a, Exact b, Exact c) { return a * b + c; };

TEST(IsaHalf, ArithmeticIsRoundedOnce) {
  check<Half>("add.f16", 2, add);
  check<Half>("sub.f16", 2, subtract);
  check<Half>("mul.f16", 2, multiply);
  check<Half>("fma.rn.f16", 3, fused);
  check<BFloat>("add.bf16", 2, add);
  check<BFloat>("sub.bf16", 2, subtract);
  check<BFloat>("mul.bf16", 2, multiply);
  check<BFloat>("fma.rn.bf16", 3, fused);
}

// A warp of everyday numbers is computed in f32, one with a number near the ends of the range in f64: the
// other lanes must not see which it was. Broken by a bound of the everyday range that is too wide.
TEST(IsaHalf, BothWaysOfFusedBfloatAgree) {
  Runner plain("fma.rn.bf16", 1, 3), odd("fma.rn.bf16", 1, 3);
  Values values(53);
  for (int round = 0; round < 30'000; ++round) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (int i = 0; i < kWarpSize; ++i) {
        // Products and sums down to 2^-130 and up to 2^127: on both sides of the bounds.
        const u32 exponent = round % 2 == 0 ? 127 - 50 + values.below(100) : values.below(255);
        const BFloat drawn{static_cast<u16>((values.bfloat().bits & 0x807fu) | exponent << 7)};
        plain.source<BFloat>(k)[i] = odd.source<BFloat>(k)[i] = drawn;
      }
    }
    odd.source<BFloat>(0)[kWarpSize - 1] = {0x7fff};
    plain.run(), odd.run();
    for (int i = 0; i + 1 < kWarpSize; ++i)
      ASSERT_EQ(plain.result<u16>()[i], odd.result<u16>()[i])
          << plain.source<u16>(0)[i] << " " << plain.source<u16>(1)[i] << " " << plain.source<u16>(2)[i];
  }
}

// The packed forms run through the same functions: each half must come out as the single form gives it.
TEST(IsaHalf, PackedFormsAreTwoSingleOnes) {
  Values values(43);
  for (const char* opcode : {"add", "sub", "mul", "fma.rn", "min", "max"}) {
    for (const char* type : {"f16", "bf16"}) {
      const std::string single = std::string(opcode) + "." + type;
      const std::size_t sources = single.starts_with("fma") ? 3 : 2;
      Runner pair(single + "x2", 1, sources), low(single, 1, sources), high(single, 1, sources);
      for (int round = 0; round < 500; ++round) {
        for (std::size_t k = 0; k < sources; ++k)
          for (int i = 0; i < kWarpSize; ++i) {
            low.source<u16>(k)[i] = pair.source<u16>(k)[2 * i] = values.half().bits;
            high.source<u16>(k)[i] = pair.source<u16>(k)[2 * i + 1] = values.half().bits;
          }
        pair.run(), low.run(), high.run();
        for (int i = 0; i < kWarpSize; ++i) {
          ASSERT_EQ(pair.result<u16>()[2 * i], low.result<u16>()[i]) << single;
          ASSERT_EQ(pair.result<u16>()[2 * i + 1], high.result<u16>()[i]) << single;
        }
      }
    }
  }
}

template <class H>
void check_narrowing(const std::string& type) {
  for (const std::string mode : {"rn", "rz", "rm", "rp"}) {
    Runner single("cvt." + mode + "." + type + ".f32", 1, 1), wide("cvt." + mode + "." + type + ".f64", 1, 1);
    Values values(47);
    for (int round = 0; round < 8'000; ++round) {
      for (int i = 0; i < kWarpSize; ++i) {
        // Half the time a midpoint of two neighbours, or one bit beside it.
        const u32 near = u32{values.half().bits} << 13 | 0x1000u;
        const f32 tie = std::bit_cast<f32>((near + 0x3800'0000u) ^ (values.below(4) == 0 ? 1u : 0u));
        single.source<f32>(0)[i] = values.below(2) == 0 ? tie : values.single();
        wide.source<f64>(0)[i] = f64{single.source<f32>(0)[i]} * (values.below(2) == 0 ? 1 : 1 + 0x1p-45);
      }
      single.run(), wide.run();
      for (int i = 0; i < kWarpSize; ++i) {
        const f64 a = single.source<f32>(0)[i], b = wide.source<f64>(0)[i];
        if (std::isinf(a)) continue;
        const bool minus = std::signbit(a);
        ASSERT_EQ(single.result<H>()[i].bits, std::isnan(a) ? 0x7fff : rounded<H>(a, mode, minus))
            << type << mode << a;
        ASSERT_EQ(wide.result<H>()[i].bits, std::isnan(b) ? 0x7fff : rounded<H>(b, mode, minus))
            << type << mode << b;
      }
    }
  }
}

TEST(IsaHalf, NarrowingInEveryDirection) {
  check_narrowing<Half>("f16");
  check_narrowing<BFloat>("bf16");
}

// All 65536 values of each format.
TEST(IsaHalf, WideningIsExact) {
  Runner half("cvt.f32.f16", 1, 1), bfloat("cvt.f32.bf16", 1, 1);
  for (u32 base = 0; base < 0x10000; base += kWarpSize) {
    for (u32 i = 0; i < kWarpSize; ++i)
      half.source<u16>(0)[i] = bfloat.source<u16>(0)[i] = static_cast<u16>(base + i);
    half.run(), bfloat.run();
    for (u32 i = 0; i < kWarpSize; ++i) {
      const f64 h = value_of<Half>(static_cast<u16>(base + i)),
                b = value_of<BFloat>(static_cast<u16>(base + i));
      ASSERT_EQ(to_bits(half.result<f32>()[i]), to_bits(std::isnan(h) ? kNaN32 : static_cast<f32>(h)));
      ASSERT_EQ(to_bits(bfloat.result<f32>()[i]), to_bits(std::isnan(b) ? kNaN32 : static_cast<f32>(b)));
    }
  }
}

// Every e4m3 and e5m2 number survives the way to f16 and back; NaN stays NaN, infinity of e5m2 becomes the
// limit.
TEST(IsaHalf, ByteFloatsRoundTrip) {
  for (const std::string type : {"e4m3x2", "e5m2x2"}) {
    Runner widen("cvt.rn.f16x2." + type, 1, 1), narrow("cvt.rn.satfinite." + type + ".f16x2", 1, 1);
    for (u32 byte = 0; byte < 256; ++byte) {
      for (int i = 0; i < kWarpSize; ++i)
        widen.source<u16>(0)[i] = static_cast<u16>(byte | (255 - byte) << 8);
      widen.run();
      for (int i = 0; i < kWarpSize; ++i) narrow.source<u32>(0)[i] = widen.result<u32>()[i];
      narrow.run();
      const u32 back = narrow.result<u16>()[0] & 0xffu, size = byte & 0x7fu;
      if (type == "e4m3x2")
        EXPECT_EQ(back, size == 0x7f ? 0x7fu : byte);
      else
        EXPECT_EQ(back, size > 0x7c ? 0x7fu : size == 0x7c ? byte - 1 : byte);
    }
  }
}

}  // namespace
}  // namespace roofline::sim::isa::isa_half
