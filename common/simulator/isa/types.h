// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/ptx/module.h"
#include "simulator/types.h"

/// The PTX types as C++ types, and the lists of them that a row's `.type` may take.
namespace roofline::sim::isa {

/// Storage of one .f16 or .bf16 lane: only the bits, so that nothing computes in it by accident.
struct Half {
  u16 bits;
};
struct BFloat {
  u16 bits;
};
/// Two of them in a 32-bit register; lane i of the warp is elements 2i and 2i+1.
struct HalfPair {
  Half element[2];
};
struct BFloatPair {
  BFloat element[2];
};

/// A PTX type and the C++ type that one lane of it is computed in.
template <class L, ptx::Type::Kind kKind, u16 kBits, u8 kLanes = 1>
struct Tag {
  using Lane = L;
  static constexpr ptx::Type kType{kKind, kBits, kLanes};
};

using U8 = Tag<u8, ptx::Type::Kind::kUnsigned, 8>;
using U16 = Tag<u16, ptx::Type::Kind::kUnsigned, 16>;
using U32 = Tag<u32, ptx::Type::Kind::kUnsigned, 32>;
using U64 = Tag<u64, ptx::Type::Kind::kUnsigned, 64>;
using S8 = Tag<s8, ptx::Type::Kind::kSigned, 8>;
using S16 = Tag<s16, ptx::Type::Kind::kSigned, 16>;
using S32 = Tag<s32, ptx::Type::Kind::kSigned, 32>;
using S64 = Tag<s64, ptx::Type::Kind::kSigned, 64>;
using B8 = Tag<u8, ptx::Type::Kind::kBits, 8>;
using B16 = Tag<u16, ptx::Type::Kind::kBits, 16>;
using B32 = Tag<u32, ptx::Type::Kind::kBits, 32>;
using B64 = Tag<u64, ptx::Type::Kind::kBits, 64>;
using F16 = Tag<Half, ptx::Type::Kind::kFloat, 16>;
using BF16 = Tag<BFloat, ptx::Type::Kind::kBFloat, 16>;
using F16X2 = Tag<HalfPair, ptx::Type::Kind::kFloat, 32, 2>;
using BF16X2 = Tag<BFloatPair, ptx::Type::Kind::kBFloat, 32, 2>;
/// Two 16-bit integers, computed as a whole word by the rows that take them.
using U16X2 = Tag<u32, ptx::Type::Kind::kUnsigned, 32, 2>;
using S16X2 = Tag<u32, ptx::Type::Kind::kSigned, 32, 2>;
using F32 = Tag<f32, ptx::Type::Kind::kFloat, 32>;
using F64 = Tag<f64, ptx::Type::Kind::kFloat, 64>;
using Pred = Tag<bool, ptx::Type::Kind::kPredicate, 1>;

template <class... Tags>
struct TypeList {
  static std::vector<ptx::Type> all() { return {Tags::kType...}; }

  /// Calls `use.template operator()<Tag>()` for the tag that stands for `type`; false when there is none.
  template <class Use>
  static bool select(ptx::Type type, Use use) {
    return ((Tags::kType == type ? (use.template operator()<Tags>(), true) : false) || ...);
  }
};

using INTS = TypeList<U16, U32, U64, S16, S32, S64>;
using NARROW_INTS = TypeList<U16, U32, S16, S32>;
using SIGNED = TypeList<S16, S32, S64>;
using WORDS = TypeList<U32, S32>;
using WIDE_WORDS = TypeList<U32, U64, S32, S64>;
using BITS = TypeList<B16, B32, B64>;
using WIDE_BITS = TypeList<B32, B64>;
using FLOATS = TypeList<F32, F64>;

}  // namespace roofline::sim::isa
