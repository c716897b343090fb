// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/isa/random_operands.h"

// The approximated functions against double precision, over a dense sample of their range, within the error
// bounds of the PTX manual. Broken by a worse polynomial or a range reduction that loses its way.
namespace roofline::sim::isa {
namespace {

using cases::Runner;

/// Largest `error(result, exact)` over every `stride`-th f32 between two bit patterns (of the same sign).
template <class F, class E>
double worst(const std::string& spelling, u32 from, u32 to, u32 stride, F exact, E error) {
  Runner runner(spelling, 1, 1);
  double largest = 0;
  for (u64 bits = from; bits < to; bits += u64{stride} * kWarpSize) {
    f32* a = runner.source<f32>(0);
    for (u32 i = 0; i < kWarpSize; ++i)
      a[i] = std::bit_cast<f32>(static_cast<u32>(std::min<u64>(bits + u64{i} * stride, to)));
    runner.run();
    for (u32 i = 0; i < kWarpSize; ++i)
      largest = std::max(largest, error(double{runner.result<f32>()[i]}, exact(double{a[i]})));
  }
  return largest;
}

constexpr auto relative = [](double got, double want) { return std::fabs(got - want) / std::fabs(want); };
constexpr auto absolute = [](double got, double want) { return std::fabs(got - want); };

constexpr u32 kMinus = 0x8000'0000u;
u32 pattern(f32 a) { return to_bits(a); }

TEST(IsaApproximate, Exponential) {
  const auto exact = [](double a) { return std::exp2(a); };
  EXPECT_LT(worst("ex2.approx.f32", 0, pattern(127.99f), 331, exact, relative), 0x1p-22);
  EXPECT_LT(worst("ex2.approx.f32", kMinus, pattern(-125.99f), 331, exact, relative), 0x1p-22);
  // Subnormal results: a unit in the last place.
  EXPECT_LE(worst("ex2.approx.f32", pattern(-126.0f), pattern(-160.0f), 7, exact, absolute), 0x1p-149);
}

TEST(IsaApproximate, Logarithm) {
  const auto exact = [](double a) { return std::log2(a); };
  EXPECT_LT(worst("lg2.approx.f32", pattern(0.5f), pattern(2.0f), 3, exact, absolute), 0x1p-22);
  EXPECT_LT(worst("lg2.approx.f32", 1, pattern(0.5f), 331, exact, relative), 0x1p-22);
  EXPECT_LT(worst("lg2.approx.f32", pattern(2.0f), 0x7f7f'ffffu, 331, exact, relative), 0x1p-22);
}

TEST(IsaApproximate, SineAndCosine) {
  const auto sine = [](double a) { return std::sin(a); };
  const auto cosine = [](double a) { return std::cos(a); };
  for (u32 sign : {0u, kMinus}) {
    EXPECT_LT(worst("sin.approx.f32", sign, sign | pattern(3.1415927f), 331, sine, absolute), 0x1p-20);
    EXPECT_LT(worst("cos.approx.f32", sign, sign | pattern(3.1415927f), 331, cosine, absolute), 0x1p-20);
    EXPECT_LT(worst("sin.approx.f32", sign | pattern(3.0f), sign | pattern(1e6f), 31, sine, absolute),
              0x1p-20);
    EXPECT_LT(worst("cos.approx.f32", sign | pattern(3.0f), sign | pattern(1e6f), 31, cosine, absolute),
              0x1p-20);
    // Anything beyond is still a sine.
    EXPECT_LE(worst(
                  "sin.approx.f32", sign | pattern(1e6f), sign | 0x7f7f'ffffu, 31, [](double) { return 0.0; },
                  absolute),
              1.0);
  }
}

TEST(IsaApproximate, HyperbolicTangent) {
  const auto exact = [](double a) { return std::tanh(a); };
  for (u32 sign : {0u, kMinus})
    EXPECT_LT(worst("tanh.approx.f32", sign | 1u, sign | 0x7f7f'ffffu, 331, exact, relative), 0x1p-11);
}

TEST(IsaApproximate, RootsAndReciprocals) {
  const auto reciprocal = [](double a) { return 1 / a; };
  EXPECT_LT(worst("rcp.approx.f32", pattern(0x1p-126f), pattern(0x1p126f), 331, reciprocal, relative),
            0x1p-23);
  EXPECT_LT(worst(
                "sqrt.approx.f32", pattern(0x1p-126f), 0x7f7f'ffffu, 331,
                [](double a) { return std::sqrt(a); }, relative),
            0x1p-23);
  EXPECT_LT(worst(
                "rsqrt.approx.f32", pattern(0x1p-126f), 0x7f7f'ffffu, 331,
                [](double a) { return 1 / std::sqrt(a); }, relative),
            0x1.2p-23);  // the manual: 2^-22.9
}

}  // namespace
}  // namespace roofline::sim::isa
