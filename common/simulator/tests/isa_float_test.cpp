// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/isa/random_operands.h"

// Floating-point instructions against the host's own scalar arithmetic under the same rounding mode, with the
// manual's rules for NaN, .ftz and .sat spelled out. Broken by arithmetic that moves across a change of
// rounding mode, by contraction, by a rule applied in the wrong order.
namespace roofline::sim::isa::isa_float {
namespace {

using cases::Runner;
using cases::Values;

constexpr int kRounds = 10'000;  // of 32 lanes

struct Mode {
  const char* name;
  int host;
};
constexpr Mode kModes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

/// f(s) computed under a rounding mode: volatile keeps operands and result inside.
template <class T, class F>
T host_result(int mode, F f, const T* s) {
  volatile T a = s[0], b = s[1], c = s[2], result;
  std::fesetround(mode);
  result = f(a, b, c);
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T>
T flushed(T a) {
  return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(T{0}, a) : a;
}

template <class T>
constexpr T kNaN = kNaN32;
template <>
constexpr f64 kNaN<f64> = kNaN64;

template <class T>
T drawn(Values& values) {
  if constexpr (sizeof(T) == 4)
    return values.single();
  else
    return values.wide();
}

template <class T, class F>
void check(const std::string& spelling, std::size_t sources, int mode, bool ftz, bool sat, F f) {
  SCOPED_TRACE(spelling);
  Runner runner(spelling, 1, sources);
  Values values(31);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t k = 0; k < sources; ++k)
      for (int i = 0; i < kWarpSize; ++i) runner.source<T>(k)[i] = drawn<T>(values);
    runner.run();
    for (int i = 0; i < kWarpSize; ++i) {
      T s[3] = {};
      for (std::size_t k = 0; k < sources; ++k) {
        s[k] = runner.source<T>(k)[i];
        if (ftz) s[k] = flushed(s[k]);
      }
      T want = host_result<T>(mode, f, s);
      if (std::isnan(want)) want = kNaN<T>;
      if (ftz) want = flushed(want);
      if (sat) want = std::isnan(want) ? T{0} : want <= 0 ? T{0} : std::min(want, T{1});
      const T got = runner.result<T>()[i];
      ASSERT_EQ(to_bits(got), to_bits(want))
          << "operands " << s[0] << " " << s[1] << " " << s[2] << " got " << got << " want " << want;
    }
  }
}

constexpr auto add = [](auto a, auto b, auto) { return a + b; };
constexpr auto subtract = [](auto a, auto b, auto) { return a - b; };
constexpr auto multiply = [](auto a, auto b, auto) { return a * b; };
constexpr auto divide = [](auto a, auto b, auto) { return a / b; };
constexpr auto fused = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
constexpr auto reciprocal = [](auto a, auto, auto) { return 1 / a; };
constexpr auto root = [](auto a, auto, auto) { return std::sqrt(a); };

TEST(IsaFloat, F32IsRoundedAsTheHostDoes) {
  for (const Mode& mode : kModes) {
    const std::string name = mode.name;
    for (bool ftz : {false, true}) {
      const std::string suffix = "." + name + (ftz ? ".ftz" : "");
      for (bool sat : {false, true}) {
        const std::string full = suffix + (sat ? ".sat.f32" : ".f32");
        check<f32>("add" + full, 2, mode.host, ftz, sat, add);
        check<f32>("sub" + full, 2, mode.host, ftz, sat, subtract);
        check<f32>("mul" + full, 2, mode.host, ftz, sat, multiply);
        check<f32>("fma" + full, 3, mode.host, ftz, sat, fused);
      }
      check<f32>("div" + suffix + ".f32", 2, mode.host, ftz, false, divide);
      check<f32>("rcp" + suffix + ".f32", 1, mode.host, ftz, false, reciprocal);
      check<f32>("sqrt" + suffix + ".f32", 1, mode.host, ftz, false, root);
    }
  }
}

TEST(IsaFloat, F64IsRoundedAsTheHostDoes) {
  for (const Mode& mode : kModes) {
    const std::string suffix = std::string(".") + mode.name + ".f64";
    check<f64>("add" + suffix, 2, mode.host, false, false, add);
    check<f64>("sub" + suffix, 2, mode.host, false, false, subtract);
    check<f64>("mul" + suffix, 2, mode.host, false, false, multiply);
    check<f64>("fma" + suffix, 3, mode.host, false, false, fused);
    check<f64>("div" + suffix, 2, mode.host, false, false, divide);
    check<f64>("rcp" + suffix, 1, mode.host, false, false, reciprocal);
    check<f64>("sqrt" + suffix, 1, mode.host, false, false, root);
  }
}

template <class T>
bool holds(const std::string& name, T a, T b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  const std::string base = name.substr(0, 2);
  if (name == "num") return !unordered;
  if (name == "nan") return unordered;
  if (unordered) return name.size() == 3;
  if (base == "eq") return a == b;
  if (base == "ne") return a != b;
  if (base == "lt") return a < b;
  if (base == "le") return a <= b;
  return base == "gt" ? a > b : a >= b;
}

TEST(IsaFloat, ComparisonsFollowTheManualsTable) {
  Values values(9);
  for (const char* name :
       {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"})
    for (bool ftz : {false, true}) {
      Runner runner(std::string("setp.") + name + (ftz ? ".ftz.f32" : ".f32"), 1, 2);
      for (int round = 0; round < 3000; ++round) {
        u32 want = 0;
        for (u32 i = 0; i < kWarpSize; ++i) {
          f32 a = runner.source<f32>(0)[i] = values.single();
          f32 b = runner.source<f32>(1)[i] = values.below(4) == 0 ? a : values.single();
          if (ftz) a = flushed(a), b = flushed(b);
          want |= (holds(name, a, b) ? 1u : 0u) << i;
        }
        runner.run();
        ASSERT_EQ(*runner.result<u32>(), want) << name;
      }
    }
}

// f32 and f64 to integers, every direction: the manual saturates; a NaN becomes zero, and the
// highest bit alone where one of both sides has 64 bits.
template <class D, class S>
void check_to_integer(const std::string& types) {
  constexpr Mode kDirections[] = {
      {"rni", FE_TONEAREST}, {"rzi", FE_TOWARDZERO}, {"rmi", FE_DOWNWARD}, {"rpi", FE_UPWARD}};
  for (const Mode& mode : kDirections) {
    const std::string spelling = std::string("cvt.") + mode.name + "." + types;
    Runner runner(spelling, 1, 1);
    Values values(13);
    for (int round = 0; round < 5000; ++round) {
      for (int i = 0; i < kWarpSize; ++i) {
        const S scale = static_cast<S>(std::exp2(values.below(70)));
        runner.source<S>(0)[i] = values.below(2) == 0 ? drawn<S>(values) : drawn<S>(values) * scale;
      }
      runner.run();
      for (int i = 0; i < kWarpSize; ++i) {
        const S a = runner.source<S>(0)[i];
        const S whole = host_result<S>(
            mode.host, [](S x, S, S) { return std::nearbyint(x); }, &runner.source<S>(0)[i]);
        // The limits plus one are powers of two, so that they are exact in any float.
        const long double low = static_cast<long double>(std::numeric_limits<D>::min());
        const long double high = static_cast<long double>(std::numeric_limits<D>::max());
        constexpr bool kIsWide = sizeof(D) == 8 || sizeof(S) == 8;
        constexpr D kOfNan = kIsWide ? static_cast<D>(u64{1} << (8 * sizeof(D) - 1)) : D{0};
        const D want = std::isnan(a)   ? kOfNan
                       : whole <= low  ? std::numeric_limits<D>::min()
                       : whole >= high ? std::numeric_limits<D>::max()
                                       : static_cast<D>(whole);
        ASSERT_EQ(runner.result<D>()[i], want) << spelling << " " << a;
      }
    }
  }
}

TEST(IsaFloat, FloatToIntegerSaturates) {
  check_to_integer<s32, f32>("s32.f32");
  check_to_integer<u32, f32>("u32.f32");
  check_to_integer<s64, f32>("s64.f32");
  check_to_integer<u64, f32>("u64.f32");
  check_to_integer<s16, f32>("s16.f32");
  check_to_integer<u8, f32>("u8.f32");
  check_to_integer<s32, f64>("s32.f64");
  check_to_integer<u32, f64>("u32.f64");
  check_to_integer<s64, f64>("s64.f64");
  check_to_integer<u64, f64>("u64.f64");
}

template <class D, class S>
void check_from_integer(const std::string& types) {
  for (const Mode& mode : kModes) {
    Runner runner(std::string("cvt.") + mode.name + "." + types, 1, 1);
    Values values(17);
    for (int round = 0; round < 5000; ++round) {
      for (int i = 0; i < kWarpSize; ++i) runner.source<S>(0)[i] = values.integer<S>();
      runner.run();
      for (int i = 0; i < kWarpSize; ++i) {
        volatile S a = runner.source<S>(0)[i];
        std::fesetround(mode.host);
        volatile D want = static_cast<D>(a);
        std::fesetround(FE_TONEAREST);
        ASSERT_EQ(to_bits(runner.result<D>()[i]), to_bits(D{want})) << types << " " << mode.name << " " << +a;
      }
    }
  }
}

TEST(IsaFloat, IntegerToFloatIsRoundedAsTheHostDoes) {
  check_from_integer<f32, s32>("f32.s32");
  check_from_integer<f32, u32>("f32.u32");
  check_from_integer<f32, s64>("f32.s64");
  check_from_integer<f32, u64>("f32.u64");
  check_from_integer<f32, u16>("f32.u16");
  check_from_integer<f64, s32>("f64.s32");
  check_from_integer<f64, s64>("f64.s64");
  check_from_integer<f64, u64>("f64.u64");
}

TEST(IsaFloat, DoubleToSingleIsRoundedAsTheHostDoes) {
  for (const Mode& mode : kModes) {
    Runner runner(std::string("cvt.") + mode.name + ".f32.f64", 1, 1);
    Values values(19);
    for (int round = 0; round < 20'000; ++round) {
      for (int i = 0; i < kWarpSize; ++i)
        runner.source<f64>(0)[i] =
            values.below(2) == 0 ? values.wide() : values.single() * (1 + values.below(3) * 0x1p-30);
      runner.run();
      for (int i = 0; i < kWarpSize; ++i) {
        volatile f64 a = runner.source<f64>(0)[i];
        std::fesetround(mode.host);
        volatile f32 want = static_cast<f32>(a);
        std::fesetround(FE_TONEAREST);
        // Of a NaN, too: sign and upper payload stay.
        ASSERT_EQ(to_bits(runner.result<f32>()[i]), to_bits(f32{want})) << mode.name << " " << a;
      }
    }
  }
}

}  // namespace
}  // namespace roofline::sim::isa::isa_float
