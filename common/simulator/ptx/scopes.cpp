// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/scopes.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace roofline::sim::ptx {
namespace {

constexpr std::size_t kMaximumDepth = 200;
constexpr std::string_view kComponents[] = {".x", ".y", ".z", ".w"};

// Sorted. Those with components .x .y .z (.w) stand in kVectors.
constexpr std::array<std::string_view, 37> kScalars = {
    "%aggr_smem_size",
    "%clock",
    "%clock64",
    "%clock_hi",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%current_graph_exec",
    "%dynamic_smem_size",
    "%globaltimer",
    "%globaltimer_hi",
    "%globaltimer_lo",
    "%gridid",
    "%is_explicit_cluster",
    "%laneid",
    "%lanemask_eq",
    "%lanemask_ge",
    "%lanemask_gt",
    "%lanemask_le",
    "%lanemask_lt",
    "%nsmid",
    "%nwarpid",
    "%pm0",
    "%pm0_64",
    "%pm1",
    "%pm1_64",
    "%pm2",
    "%pm2_64",
    "%pm3",
    "%pm3_64",
    "%reserved_smem_offset_0",
    "%reserved_smem_offset_1",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_end",
    "%smid",
    "%total_smem_size",
    "%warpid",
};
constexpr std::array<std::string_view, 8> kVectors = {
    "%cluster_ctaid", "%cluster_nctaid", "%clusterid", "%ctaid", "%nclusterid", "%nctaid", "%ntid", "%tid",
};
static_assert(std::is_sorted(kScalars.begin(), kScalars.end()));
static_assert(std::is_sorted(kVectors.begin(), kVectors.end()));

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_environment_register(std::string_view name) {
  constexpr std::string_view kPrefix = "%envreg";
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  if (name.size() == 1) return is_digit(name[0]);
  return name.size() == 2 && name[0] >= '1' && name[0] <= '3' && is_digit(name[1]) &&
         (name[0] < '3' || name[1] < '2');
}

}  // namespace

bool is_special_register(std::string_view name) {
  if (std::binary_search(kScalars.begin(), kScalars.end(), name)) return true;
  if (is_environment_register(name)) return true;
  const std::size_t dot = name.find('.');
  if (dot == name.npos) return false;
  return std::binary_search(kVectors.begin(), kVectors.end(), name.substr(0, dot)) &&
         std::find(std::begin(kComponents), std::end(kComponents), name.substr(dot)) != std::end(kComponents);
}

void Scopes::open(const Token& brace) {
  if (scopes_.size() > kMaximumDepth) lexer_.fail(brace, "scopes are nested too deeply");
  Scope& scope = scopes_.emplace_back();
  if (opened_ != 0) scope.suffix.append("@").append(std::to_string(opened_));
  scope.at = brace.at;
  ++opened_;
}

void Scopes::close() {
  Scope closed = std::move(scopes_.back());
  scopes_.pop_back();
  std::vector<Reference>& outer = scopes_.empty() ? unanswered_ : scopes_.back().references;
  for (const Reference& reference : closed.references) {
    const auto found = closed.names.find(reference.name);
    if (found == closed.names.end() || found->second.kind != Kind::kLabel) {
      outer.push_back(reference);
    } else if (found->second.unique != reference.name) {
      target_of(reference) = found->second.unique;
    }
  }
}

std::string& Scopes::target_of(const Reference& reference) {
  switch (reference.where) {
    case Reference::Where::kOperand:
      return function_.instructions[reference.index].operands[reference.element].name;
    case Reference::Where::kPrototype:
      return function_.instructions[reference.index].call->prototype;
    case Reference::Where::kTargetList:
      break;
  }
  return function_.branch_targets[reference.index].labels[reference.element];
}

void Scopes::check_new(const Token& token, const Scope& scope) const {
  TextPosition earlier;
  if (const auto name = scope.names.find(token.text); name != scope.names.end()) {
    earlier = name->second.at;
  } else if (const auto range = scope.ranges.find(token.text); range != scope.ranges.end()) {
    earlier = range->second.at;
  } else {
    return;
  }
  lexer_.fail(token, "'" + std::string(token.text) + "' is already declared in this scope, in line " +
                         std::to_string(earlier.line));
}

const std::string& Scopes::declare(const Token& token, Kind kind, Type type, u32 lanes) {
  Scope& scope = scopes_.back();
  check_new(token, scope);
  Name& name = scope.names[token.text];
  name = {kind, std::string(token.text) + scope.suffix, type, lanes, false, token.at};
  return name.unique;
}

void Scopes::declare_range(const Token& prefix, u32 count, Type type, u32 lanes) {
  Scope& scope = scopes_.back();
  check_new(prefix, scope);
  scope.ranges[prefix.text] = {count, type, lanes, prefix.at};
}

Scopes::Name* Scopes::find(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->names.find(name);
    Name* result = found != scope->names.end() ? &found->second : find_in_ranges(*scope, name);
    if (result == nullptr) continue;
    if (result->kind == Kind::kRegister && !result->is_listed) {
      list(result->unique, result->type);
      result->is_listed = true;
    }
    return result;
  }
  return nullptr;
}

Scopes::Name* Scopes::find_in_ranges(Scope& scope, std::string_view name) {
  // A prefix may itself end in a digit, so each split of the trailing digits is tried.
  constexpr std::size_t kMostDigits = 7;
  if (scope.ranges.empty()) return nullptr;
  for (std::size_t digits = 1; digits <= kMostDigits && digits < name.size(); ++digits) {
    if (!is_digit(name[name.size() - digits])) return nullptr;
    const std::string_view number = name.substr(name.size() - digits);
    if (digits > 1 && number[0] == '0') continue;
    const auto range = scope.ranges.find(name.substr(0, name.size() - digits));
    u64 index = 0;
    for (const char digit : number) index = index * 10 + static_cast<u64>(digit - '0');
    if (range == scope.ranges.end() || index >= range->second.count) continue;
    Name& added = scope.names[name];
    added = {range->second.lanes > 1 ? Kind::kVectorRegister : Kind::kRegister,
             std::string(name) + scope.suffix,
             range->second.type,
             range->second.lanes,
             false,
             range->second.at};
    return &added;
  }
  return nullptr;
}

std::string Scopes::component(Name& vector, u32 lane) {
  std::string name = vector.unique + std::string(kComponents[lane]);
  if (!vector.is_listed) {
    for (u32 i = 0; i < vector.lanes; ++i) list(vector.unique + std::string(kComponents[i]), vector.type);
    vector.is_listed = true;
  }
  return name;
}

}  // namespace roofline::sim::ptx
