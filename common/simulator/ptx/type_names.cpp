// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/type_names.h"

#include <algorithm>
#include <array>

namespace roofline::sim::ptx {
namespace {

using TypeKind = Type::Kind;

struct NamedType {
  std::string_view name;
  Type type;
};

// Sorted by name. Packed types keep the width of the whole register.
constexpr std::array kTypes = {
    NamedType{"b1", {TypeKind::kOther, 1, 1}},          NamedType{"b128", {TypeKind::kBits, 128, 1}},
    NamedType{"b16", {TypeKind::kBits, 16, 1}},         NamedType{"b32", {TypeKind::kBits, 32, 1}},
    NamedType{"b64", {TypeKind::kBits, 64, 1}},         NamedType{"b8", {TypeKind::kBits, 8, 1}},
    NamedType{"bf16", {TypeKind::kBFloat, 16, 1}},      NamedType{"bf16x2", {TypeKind::kBFloat, 32, 2}},
    NamedType{"e2m1", {TypeKind::kOther, 4, 1}},        NamedType{"e2m1x2", {TypeKind::kOther, 8, 2}},
    NamedType{"e2m3", {TypeKind::kOther, 6, 1}},        NamedType{"e2m3x2", {TypeKind::kOther, 16, 2}},
    NamedType{"e3m2", {TypeKind::kOther, 6, 1}},        NamedType{"e3m2x2", {TypeKind::kOther, 16, 2}},
    NamedType{"e4m3", {TypeKind::kOther, 8, 1}},        NamedType{"e4m3x2", {TypeKind::kOther, 16, 2}},
    NamedType{"e5m2", {TypeKind::kOther, 8, 1}},        NamedType{"e5m2x2", {TypeKind::kOther, 16, 2}},
    NamedType{"f16", {TypeKind::kFloat, 16, 1}},        NamedType{"f16x2", {TypeKind::kFloat, 32, 2}},
    NamedType{"f32", {TypeKind::kFloat, 32, 1}},        NamedType{"f32x2", {TypeKind::kFloat, 64, 2}},
    NamedType{"f64", {TypeKind::kFloat, 64, 1}},        NamedType{"pred", {TypeKind::kPredicate, 1, 1}},
    NamedType{"s16", {TypeKind::kSigned, 16, 1}},       NamedType{"s16x2", {TypeKind::kSigned, 32, 2}},
    NamedType{"s32", {TypeKind::kSigned, 32, 1}},       NamedType{"s4", {TypeKind::kOther, 4, 1}},
    NamedType{"s64", {TypeKind::kSigned, 64, 1}},       NamedType{"s8", {TypeKind::kSigned, 8, 1}},
    NamedType{"samplerref", {TypeKind::kOther, 64, 1}}, NamedType{"surfref", {TypeKind::kOther, 64, 1}},
    NamedType{"texref", {TypeKind::kOther, 64, 1}},     NamedType{"tf32", {TypeKind::kOther, 32, 1}},
    NamedType{"u16", {TypeKind::kUnsigned, 16, 1}},     NamedType{"u16x2", {TypeKind::kUnsigned, 32, 2}},
    NamedType{"u32", {TypeKind::kUnsigned, 32, 1}},     NamedType{"u4", {TypeKind::kOther, 4, 1}},
    NamedType{"u64", {TypeKind::kUnsigned, 64, 1}},     NamedType{"u8", {TypeKind::kUnsigned, 8, 1}},
    NamedType{"ue8m0x2", {TypeKind::kOther, 16, 2}},
};
static_assert(std::is_sorted(kTypes.begin(), kTypes.end(),
                             [](const NamedType& a, const NamedType& b) { return a.name < b.name; }));

}  // namespace

std::optional<Type> type_named(std::string_view name) {
  const auto found =
      std::lower_bound(kTypes.begin(), kTypes.end(), name,
                       [](const NamedType& entry, std::string_view key) { return entry.name < key; });
  if (found == kTypes.end() || found->name != name) return std::nullopt;
  return found->type;
}

std::string name_of(Type type) {
  if (type.kind == TypeKind::kOther || type.kind == TypeKind::kNone) return "?";
  for (const NamedType& entry : kTypes) {
    if (entry.type == type) return std::string(entry.name);
  }
  return "?";
}

}  // namespace roofline::sim::ptx
