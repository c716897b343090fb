// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/isa/random_operands.h"

// Integer instructions against plain definitions in 128 bits or bit by bit, on random operands. Broken by any
// vectorised shortcut that is not exact: division in double, masks instead of loops, products in narrow
// types.
namespace roofline::sim::isa::isa_integer {
namespace {

using cases::Runner;
using cases::Values;
using Wide = __int128;

constexpr int kRounds = 20'000;  // of 32 lanes

/// Every source row is of type T; `reference` gives the result for one lane.
template <class D, class T, class F>
void compare_with(const std::string& spelling, std::size_t sources, F reference) {
  SCOPED_TRACE(spelling);
  Runner runner(spelling, 1, sources);
  Values values(20'251);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t k = 0; k < sources; ++k)
      for (int i = 0; i < kWarpSize; ++i) runner.source<T>(k)[i] = values.integer<T>();
    runner.run();
    for (int i = 0; i < kWarpSize; ++i) {
      T s[4] = {};
      for (std::size_t k = 0; k < sources; ++k) s[k] = runner.source<T>(k)[i];
      const D want = static_cast<D>(reference(s)), got = runner.result<D>()[i];
      ASSERT_EQ(got, want) << "operands " << +s[0] << " " << +s[1] << " " << +s[2];
    }
  }
}

template <class T>
void check_type(const std::string& type) {
  constexpr int kBits = sizeof(T) * 8;
  const auto all = [](T x) { return Wide{x}; };
  compare_with<T, T>("add." + type, 2, [&](T* s) { return all(s[0]) + s[1]; });
  compare_with<T, T>("sub." + type, 2, [&](T* s) { return all(s[0]) - s[1]; });
  compare_with<T, T>("mul.lo." + type, 2,
                     [](T* s) { return static_cast<u64>(s[0]) * static_cast<u64>(s[1]); });
  compare_with<T, T>("mul.hi." + type, 2, [](T* s) {
    if constexpr (std::is_signed_v<T>)
      return (Wide{s[0]} * s[1]) >> kBits;
    else
      return (static_cast<unsigned __int128>(s[0]) * s[1]) >> kBits;
  });
  compare_with<T, T>("mad.lo." + type, 3, [](T* s) {
    return static_cast<u64>(s[0]) * static_cast<u64>(s[1]) + static_cast<u64>(s[2]);
  });
  compare_with<T, T>("sad." + type, 3,
                     [&](T* s) { return all(s[2]) + (s[0] < s[1] ? all(s[1]) - s[0] : all(s[0]) - s[1]); });
  compare_with<T, T>("div." + type, 2, [&](T* s) { return s[1] == 0 ? Wide{-1} : all(s[0]) / s[1]; });
  compare_with<T, T>("rem." + type, 2, [&](T* s) { return s[1] == 0 ? Wide{-1} : all(s[0]) % s[1]; });
  compare_with<T, T>("min." + type, 2, [](T* s) { return std::min(s[0], s[1]); });
  compare_with<T, T>("max." + type, 2, [](T* s) { return std::max(s[0], s[1]); });
}

TEST(IsaInteger, ArithmeticAgreesWith128Bits) {
  check_type<u16>("u16");
  check_type<s16>("s16");
  check_type<u32>("u32");
  check_type<s32>("s32");
  check_type<u64>("u64");
  check_type<s64>("s64");
}

TEST(IsaInteger, WideProductsAndSaturation) {
  compare_with<u64, u32>("mul.wide.u32", 2, [](u32* s) { return u64{s[0]} * s[1]; });
  compare_with<s64, s32>("mul.wide.s32", 2, [](s32* s) { return s64{s[0]} * s[1]; });
  compare_with<u32, u16>("mul.wide.u16", 2, [](u16* s) { return u32{s[0]} * s[1]; });
  compare_with<s32, s16>("mul.wide.s16", 2, [](s16* s) { return s32{s[0]} * s[1]; });
  const auto held = [](s64 x) { return std::min<s64>(std::max<s64>(x, -2147483648LL), 2147483647LL); };
  compare_with<s32, s32>("add.sat.s32", 2, [&](s32* s) { return held(s64{s[0]} + s[1]); });
  compare_with<s32, s32>("sub.sat.s32", 2, [&](s32* s) { return held(s64{s[0]} - s[1]); });
  compare_with<s32, s32>("mad.hi.sat.s32", 3, [&](s32* s) { return held((s64{s[0]} * s[1] >> 32) + s[2]); });
}

/// The manual's loops, bit by bit.
template <class T>
T extract_by_bits(T a, u32 b, u32 c) {
  constexpr u32 msb = sizeof(T) * 8 - 1;
  const u32 position = b & 0xffu, length = c & 0xffu;
  const auto bit = [a](u32 i) { return static_cast<u64>(a) >> i & 1u; };
  const u64 sign = !std::is_signed_v<T> || length == 0 ? 0 : bit(std::min(position + length - 1, msb));
  u64 d = 0;
  for (u32 i = 0; i <= msb; ++i) d |= (i < length && position + i <= msb ? bit(position + i) : sign) << i;
  return static_cast<T>(d);
}

template <class T>
void check_fields(const std::string& type, const std::string& bits) {
  using U = std::make_unsigned_t<T>;
  constexpr u32 msb = sizeof(T) * 8 - 1;
  Runner extract("bfe." + type, 1, 3), insert("bfi." + bits, 1, 4);
  Values values(77);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kWarpSize; ++i) {
      extract.source<T>(0)[i] = values.integer<T>();
      insert.source<U>(0)[i] = values.integer<U>();
      insert.source<U>(1)[i] = values.integer<U>();
      for (std::size_t k = 1; k < 3; ++k) {
        const u32 amount = values.below(3) == 0 ? values.integer<u32>() : values.below(70);
        extract.source<u32>(k)[i] = insert.source<u32>(k + 1)[i] = amount;
      }
    }
    extract.run();
    insert.run();
    for (int i = 0; i < kWarpSize; ++i) {
      const u32 b = extract.source<u32>(1)[i], c = extract.source<u32>(2)[i];
      ASSERT_EQ(extract.result<T>()[i], extract_by_bits(extract.source<T>(0)[i], b, c))
          << type << " " << b << " " << c;
      u64 want = insert.source<U>(1)[i];
      for (u32 k = 0; k < (c & 0xffu) && (b & 0xffu) + k <= msb; ++k) {
        const u32 at = (b & 0xffu) + k;
        want = (want & ~(u64{1} << at)) | (u64{insert.source<U>(0)[i]} >> k & 1u) << at;
      }
      ASSERT_EQ(insert.result<U>()[i], static_cast<U>(want)) << bits << " " << b << " " << c;
    }
  }
}

TEST(IsaInteger, BitFieldsAgreeWithTheManualsLoops) {
  check_fields<u32>("u32", "b32");
  check_fields<s32>("s32", "b32");
  check_fields<u64>("u64", "b64");
  check_fields<s64>("s64", "b64");
}

TEST(IsaInteger, CountsAndFindsAgreeWithLoops) {
  const auto highest = [](u64 x, int bits) {
    for (int i = bits - 1; i >= 0; --i)
      if ((x >> i & 1u) != 0) return static_cast<u32>(i);
    return ~0u;
  };
  compare_with<u32, u32>("clz.b32", 1, [&](u32* s) { return 31u - highest(s[0], 32); });
  compare_with<u32, u32>("bfind.u32", 1, [&](u32* s) { return highest(s[0], 32); });
  compare_with<u32, s32>("bfind.s32", 1,
                         [&](s32* s) { return highest(static_cast<u32>(s[0] < 0 ? ~s[0] : s[0]), 32); });
  compare_with<u32, u32>("brev.b32", 1, [](u32* s) {
    u32 d = 0;
    for (int i = 0; i < 32; ++i) d |= (s[0] >> i & 1u) << (31 - i);
    return d;
  });
  compare_with<u32, u32>("popc.b32", 1, [](u32* s) {
    u32 n = 0;
    for (int i = 0; i < 32; ++i) n += s[0] >> i & 1u;
    return n;
  });
  compare_with<u32, u32>("prmt.b32", 3, [](u32* s) {
    u32 d = 0;
    for (int i = 0; i < 4; ++i) {
      const u32 selector = s[2] >> (4 * i) & 15u, from = selector & 7u;
      const u32 byte = (from < 4 ? s[0] >> (8 * from) : s[1] >> (8 * (from - 4))) & 255u;
      d |= ((selector & 8u) == 0 ? byte : byte >= 128 ? 255u : 0u) << (8 * i);
    }
    return d;
  });
}

TEST(IsaInteger, ExtendedPrecisionAddsUp) {
  // Two words with carry are one long addition or subtraction.
  Values values(5);
  for (int round = 0; round < kRounds; ++round) {
    const u64 a = values.integer<u64>(), b = values.integer<u64>();
    const auto low = [](u64 x) { return static_cast<u32>(x); };
    const auto high = [](u64 x) { return static_cast<u32>(x >> 32); };
    u32 carry = 0;
    const auto step = [&](const std::string& spelling, u32 x, u32 y) {
      const ptx::Instruction instruction = cases::instruction_of(spelling, {"0"}, {"0", "0"});
      cases::CaseBinder binder(instruction);
      Match match;
      const Row* row = find(instruction, match);
      Instruction in;
      row->bind(*row, match, binder, in);
      Warp w;
      w.bank[0] = w.bank[1] = binder.memory();
      w.mask = ~0u;
      w.carry = carry;
      w.row<u32>(binder.sources[0].slot)[7] = x;
      w.row<u32>(binder.sources[1].slot)[7] = y;
      in.execute(w, in);
      carry = (w.carry >> 7 & 1u) != 0 ? ~0u : 0u;
      return w.row<u32>(binder.results[0].slot)[7];
    };
    const u64 sum_low = step("add.cc.u32", low(a), low(b)), sum_high = step("addc.cc.u32", high(a), high(b));
    ASSERT_EQ(sum_high << 32 | sum_low, a + b);
    ASSERT_EQ(carry != 0, a + b < a);
    carry = 0;
    const u64 rest_low = step("sub.cc.u32", low(a), low(b)),
              rest_high = step("subc.cc.u32", high(a), high(b));
    ASSERT_EQ(rest_high << 32 | rest_low, a - b);
    ASSERT_EQ(carry != 0, a >= b);  // nothing borrowed
    if (round > 2000) break;
  }
}

}  // namespace
}  // namespace roofline::sim::isa::isa_integer
