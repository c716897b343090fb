// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/chapters.h"
#include "simulator/isa/integer_math.h"
#include "simulator/isa/shapes.h"

/// "Extended-Precision Integer Arithmetic Instructions": a carry bit a lane, in Lanes::carry.
namespace roofline::sim::isa {

namespace {

enum class Product { kNone, kLow, kHigh };

/// a + b + carry with the carry out. Subtraction is a + ~b + carry: its carry is 1 when nothing was borrowed.
/// The manual calls the bit a borrow, which is the same in chains of subtractions; but code that nvcc makes
/// (division of 128-bit integers) reads it with addc, and relies on this.
template <class U>
struct Sum {
  U value;
  bool carry;
};

template <class U>
constexpr Sum<U> add(U a, U b, U carry) {
  const U partial = a + b, value = partial + carry;
  return {value, partial < a || value < partial};
}

template <class T, Product kProduct>
constexpr auto factor(T a, T b) {
  return kProduct == Product::kHigh ? wrap(high_product(a, b)) : wrap(a) * wrap(b);
}

/// kIn: adds the carry (addc); kOut: sets it (.cc).
template <class T, Product kProduct, bool kSubtract, bool kIn, bool kOut>
void execute(Warp& w, const Instruction& in) {
  using U = std::make_unsigned_t<T>;
  alignas(64) U results[kWarpSize];
  alignas(32) u8 flags[kWarpSize];
  const T* a = w.row<T>(in.a);
  const T* b = w.row<T>(in.b);
  const T* c = kProduct == Product::kNone ? b : w.row<T>(in.c);
  const u32 carries = kIn ? w.carry : kSubtract ? ~0u : 0;
#pragma GCC ivdep
  for (u32 i = 0; i < kWarpSize; ++i) {
    const U carry = carries >> i & 1u, last = static_cast<U>(kSubtract ? ~c[i] : c[i]);
    const U first = kProduct == Product::kNone ? static_cast<U>(a[i]) : factor<T, kProduct>(a[i], b[i]);
    const Sum<U> sum = add<U>(first, last, carry);
    results[i] = sum.value;
    flags[i] = sum.carry ? 1 : 0;
  }
  merge_rows(w.row<T>(in.d), results, w.mask, sizeof(T));
  if (kOut) w.carry = (w.carry & ~w.mask) | (collect_flags(flags) & w.mask);
}

template <Product kProduct, bool kSubtract, bool kIn>
void bind(const Row&, const Match& match, Binder& binder, Instruction& in) {
  WIDE_WORDS::select(match.type, [&]<class T>() {
    using Lane = typename T::Lane;
    if constexpr (kProduct == Product::kNone) {
      BinaryShape<T>::slots(match, binder, in);
    } else {
      TernaryShape<T>::slots(match, binder, in);
    }
    in.execute = !kIn || match.has("cc") ? &execute<Lane, kProduct, kSubtract, kIn, true>
                                         : &execute<Lane, kProduct, kSubtract, kIn, false>;
  });
}

template <Product kProduct, bool kSubtract, bool kIn>
Row carrying(std::string_view syntax) {
  return {.syntax = syntax,
          .types = WIDE_WORDS::all(),
          .types2 = {},
          .bind = bind<kProduct, kSubtract, kIn>,
          .cost = kProduct == Product::kNone ? arithmetic_cost : fused_cost};
}

}  // namespace

std::vector<Row> extended_rows() {
  return {
      carrying<Product::kNone, false, false>("add.cc.type d, a, b"),
      carrying<Product::kNone, false, true>("addc{.cc}.type d, a, b"),
      carrying<Product::kNone, true, false>("sub.cc.type d, a, b"),
      carrying<Product::kNone, true, true>("subc{.cc}.type d, a, b"),
      carrying<Product::kLow, false, false>("mad.lo.cc.type d, a, b, c"),
      carrying<Product::kHigh, false, false>("mad.hi.cc.type d, a, b, c"),
      carrying<Product::kLow, false, true>("madc.lo{.cc}.type d, a, b, c"),
      carrying<Product::kHigh, false, true>("madc.hi{.cc}.type d, a, b, c"),
  };
}

}  // namespace roofline::sim::isa
