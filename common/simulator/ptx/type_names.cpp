// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/type_names.h"

#include <algorithm>
#include <array>

namespace roofline::sim::ptx {
namespace {

using Kind = Type::Kind;

struct NamedType {
  std::string_view name;
  Type type;
};

// Sorted by name. Packed types keep the width of the whole register.
constexpr std::array kTypes = {
    NamedType{"b1", {Kind::kOther, 1, 1}},          NamedType{"b128", {Kind::kBits, 128, 1}},
    NamedType{"b16", {Kind::kBits, 16, 1}},         NamedType{"b32", {Kind::kBits, 32, 1}},
    NamedType{"b64", {Kind::kBits, 64, 1}},         NamedType{"b8", {Kind::kBits, 8, 1}},
    NamedType{"bf16", {Kind::kBFloat, 16, 1}},      NamedType{"bf16x2", {Kind::kBFloat, 32, 2}},
    NamedType{"e2m1", {Kind::kOther, 4, 1}},        NamedType{"e2m1x2", {Kind::kOther, 8, 2}},
    NamedType{"e2m3", {Kind::kOther, 6, 1}},        NamedType{"e2m3x2", {Kind::kOther, 16, 2}},
    NamedType{"e3m2", {Kind::kOther, 6, 1}},        NamedType{"e3m2x2", {Kind::kOther, 16, 2}},
    NamedType{"e4m3", {Kind::kOther, 8, 1}},        NamedType{"e4m3x2", {Kind::kOther, 16, 2}},
    NamedType{"e5m2", {Kind::kOther, 8, 1}},        NamedType{"e5m2x2", {Kind::kOther, 16, 2}},
    NamedType{"f16", {Kind::kFloat, 16, 1}},        NamedType{"f16x2", {Kind::kFloat, 32, 2}},
    NamedType{"f32", {Kind::kFloat, 32, 1}},        NamedType{"f32x2", {Kind::kFloat, 64, 2}},
    NamedType{"f64", {Kind::kFloat, 64, 1}},        NamedType{"pred", {Kind::kPredicate, 1, 1}},
    NamedType{"s16", {Kind::kSigned, 16, 1}},       NamedType{"s16x2", {Kind::kSigned, 32, 2}},
    NamedType{"s32", {Kind::kSigned, 32, 1}},       NamedType{"s4", {Kind::kOther, 4, 1}},
    NamedType{"s64", {Kind::kSigned, 64, 1}},       NamedType{"s8", {Kind::kSigned, 8, 1}},
    NamedType{"samplerref", {Kind::kOther, 64, 1}}, NamedType{"surfref", {Kind::kOther, 64, 1}},
    NamedType{"texref", {Kind::kOther, 64, 1}},     NamedType{"tf32", {Kind::kOther, 32, 1}},
    NamedType{"u16", {Kind::kUnsigned, 16, 1}},     NamedType{"u16x2", {Kind::kUnsigned, 32, 2}},
    NamedType{"u32", {Kind::kUnsigned, 32, 1}},     NamedType{"u4", {Kind::kOther, 4, 1}},
    NamedType{"u64", {Kind::kUnsigned, 64, 1}},     NamedType{"u8", {Kind::kUnsigned, 8, 1}},
    NamedType{"ue8m0x2", {Kind::kOther, 16, 2}},
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
  if (type.kind == Kind::kOther || type.kind == Kind::kNone) return "?";
  for (const NamedType& entry : kTypes) {
    if (entry.type == type) return std::string(entry.name);
  }
  return "?";
}

}  // namespace roofline::sim::ptx
