// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/types.h"

#include <string>
#include <string_view>

namespace roofline::sim::isa {

namespace {

struct Named {
  std::string_view name;
  ptx::Type type;
};

using Kind = ptx::Type::Kind;
constexpr Named kNames[] = {
    {"b8", {Kind::kBits, 8}},           {"b16", {Kind::kBits, 16}},
    {"b32", {Kind::kBits, 32}},         {"b64", {Kind::kBits, 64}},
    {"b128", {Kind::kBits, 128}},       {"u8", {Kind::kUnsigned, 8}},
    {"u16", {Kind::kUnsigned, 16}},     {"u32", {Kind::kUnsigned, 32}},
    {"u64", {Kind::kUnsigned, 64}},     {"s8", {Kind::kSigned, 8}},
    {"s16", {Kind::kSigned, 16}},       {"s32", {Kind::kSigned, 32}},
    {"s64", {Kind::kSigned, 64}},       {"f16", {Kind::kFloat, 16}},
    {"f32", {Kind::kFloat, 32}},        {"f64", {Kind::kFloat, 64}},
    {"bf16", {Kind::kBFloat, 16}},      {"f16x2", {Kind::kFloat, 32, 2}},
    {"bf16x2", {Kind::kBFloat, 32, 2}}, {"u16x2", {Kind::kUnsigned, 32, 2}},
    {"s16x2", {Kind::kSigned, 32, 2}},  {"pred", {Kind::kPredicate, 1}},
};

}  // namespace

ptx::Type type_named(std::string_view name) {
  for (const Named& named : kNames)
    if (named.name == name) return named.type;
  return {};
}

std::string name_of(ptx::Type type) {
  for (const Named& named : kNames)
    if (named.type == type) return std::string(named.name);
  return "?";
}

}  // namespace roofline::sim::isa
