// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/joined_loads.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string_view>

#include "simulator/analysis/control_flow_graph.h"
#include "simulator/analysis/erased.h"
#include "simulator/analysis/low_zeros.h"
#include "simulator/analysis/register_uses.h"

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

constexpr u32 kMostBytes = 16;  ///< of a joined load

bool has(const ptx::Instruction& in, std::string_view modifier) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) != in.modifiers.end();
}

bool is_load(const Traits& traits) { return traits.copies == Copies::kParameter; }

/// Bytes of the one element that it loads from shared memory; 0 where it is no such load.
u32 loaded_bytes(const ptx::Instruction& in, const Traits& traits) {
  if (!is_load(traits) || traits.strength != Strength::kPlain || !in.guard.empty() ||
      in.modifiers.size() != 2 || in.modifiers[0] != "shared" || in.operands.size() != 2 ||
      in.operands[0].kind != Kind::kRegister || in.operands[1].kind != Kind::kAddress ||
      in.operands[1].name.empty())
    return 0;
  // b32, u32, s32, f32 and the like
  const std::string_view bits = std::string_view(in.modifiers[1]).substr(1);
  return bits == "16" ? 2 : bits == "32" ? 4 : bits == "64" ? 8 : 0;
}

/// Whether loads after it cannot take place before it.
bool holds_back(const ptx::Instruction& in, const Traits& traits) {
  if (traits.flow != Flow::kNext || is_barrier(traits.gathers) || traits.fence != Fence::kNone ||
      traits.async_copy != AsyncCopy::kNone)
    return true;
  const bool elsewhere = has(in, "global") || has(in, "local") || has(in, "param") || has(in, "const");
  if (is_load(traits) || (traits.plain_store && elsewhere)) return traits.strength != Strength::kPlain;
  return std::any_of(in.operands.begin(), in.operands.end(),
                     [](const auto& operand) { return operand.kind == Kind::kAddress; });
}

class Joiner {
 public:
  Joiner(ptx::Function& function, std::span<const Traits> traits, LowZeros zeros)
      : function_(function),
        traits_(traits),
        graph_(function, traits),
        registers_(function, traits),
        zeros_(std::move(zeros)) {}

  void run() {
    for (const auto& block : graph_.blocks())
      for (u32 begin = block.begin; begin < block.end;) {
        u32 end = begin;
        while (end < block.end && !holds_back(at(end), traits_[end])) ++end;
        join(begin, end);
        begin = end + 1;
      }
    erase(function_, gone_);
  }

 private:
  ptx::Instruction& at(u32 i) { return function_.instructions[i]; }

  /// Loads of [begin, end) by what they have in common, then by offset.
  void join(u32 begin, u32 end) {
    using Common = std::tuple<std::string, bool, std::string, u32, u32, u32, u32>;
    std::map<Common, std::map<s64, u32>> all;
    for (u32 i = begin; i < end; ++i) {
      if (loaded_bytes(at(i), traits_[i]) == 0) continue;
      const ptx::Operand& address = at(i).operands[1];
      const ptx::SourceLine& line = at(i).source;
      all[{address.name, address.base_is_symbol, at(i).modifiers[1], line.file, line.line, line.caller_file,
           line.caller_line}]
          .emplace(address.offset, i);
    }
    for (const auto& [common, loads] : all)
      if (loads.size() > 1) join(loads);
  }

  void join(const std::map<s64, u32>& loads) {
    const ptx::Operand& address = at(loads.begin()->second).operands[1];
    const u32 bytes = loaded_bytes(at(loads.begin()->second), traits_[loads.begin()->second]);
    const u32 zeros =
        address.base_is_symbol ? zeros_.of_symbol(address.name) : zeros_.of_register(address.name);
    for (auto load = loads.begin(); load != loads.end();) {
      const auto before = load;
      for (const u32 count : {4u, 2u}) {
        const u32 size = count * bytes;
        if (size > kMostBytes || zeros < static_cast<u32>(std::countr_zero(size)) || load->first % size != 0)
          continue;
        std::vector<u32> members;
        for (auto next = load; next != loads.end() && members.size() < count; ++next)
          if (next->first == load->first + static_cast<s64>(members.size() * bytes))
            members.push_back(next->second);
          else
            break;
        if (members.size() < count || !can_join(members)) continue;
        replace(members);
        std::advance(load, count);
        break;
      }
      if (load == before) ++load;
    }
  }

  /// Nothing between the first and the others touches what they write or where they read.
  bool can_join(const std::vector<u32>& members) const {
    const auto [first, last] = std::minmax_element(members.begin(), members.end());
    const auto between = [&](const auto& uses, const std::string& name, u32 end) {
      const auto found = uses.find(name);
      return found != uses.end() && std::any_of(found->second.begin(), found->second.end(),
                                                [&](u32 i) { return *first <= i && i < end; });
    };
    if (between(registers_.writes, function_.instructions[*first].operands[1].name, *last)) return false;
    return std::all_of(members.begin(), members.end(), [&](u32 i) {
      const std::string& written = function_.instructions[i].operands[0].name;
      const bool alone = std::count_if(members.begin(), members.end(), [&](u32 j) {
                           return function_.instructions[j].operands[0].name == written;
                         }) == 1;
      return alone && written != function_.instructions[i].operands[1].name &&
             (i == *first ||
              (!between(registers_.writes, written, i) && !between(registers_.reads, written, i)));
    });
  }

  void replace(const std::vector<u32>& members) {
    const u32 first = *std::min_element(members.begin(), members.end());
    ptx::Operand values;
    values.kind = Kind::kVector;
    values.at = at(first).operands[0].at;
    for (const u32 i : members) values.elements.push_back(at(i).operands[0]);
    const s64 lowest = at(members.front()).operands[1].offset;
    at(first).modifiers.insert(at(first).modifiers.end() - 1, members.size() == 4 ? "v4" : "v2");
    at(first).operands[0] = std::move(values);
    at(first).operands[1].offset = lowest;
    for (const u32 i : members)
      if (i != first) gone_.insert(i);
  }

  ptx::Function& function_;
  std::span<const Traits> traits_;
  const ControlFlowGraph graph_;
  const RegisterUses registers_;
  const LowZeros zeros_;
  std::set<u32> gone_;
};

/// Arrays begin at multiples of 16, as ptxas lays them out.
void align_arrays(std::vector<ptx::Variable>& variables, std::map<std::string, u32>& zeros) {
  for (ptx::Variable& variable : variables) {
    if (variable.space != ptx::Space::kShared) continue;
    if (variable.is_array && (variable.bytes == 0 || variable.bytes >= kMostBytes))
      variable.alignment = std::max(variable.alignment, kMostBytes);
    zeros[variable.name] = static_cast<u32>(std::countr_zero(std::max(variable.alignment, 1u)));
  }
}

bool is_candidate(const ptx::Instruction& in, TraitsOf traits_of) {
  return in.modifiers.size() == 2 && in.modifiers[0] == "shared" && loaded_bytes(in, traits_of(in)) != 0;
}

}  // namespace

void join_loads(ptx::Module& module, TraitsOf traits_of) {
  if (module.is_debug) return;
  for (ptx::Function& function : module.functions) {
    const auto candidates = std::count_if(function.instructions.begin(), function.instructions.end(),
                                          [&](const auto& in) { return is_candidate(in, traits_of); });
    if (candidates < 2) continue;
    std::map<std::string, u32> shared;
    align_arrays(module.variables, shared);
    align_arrays(function.variables, shared);
    std::vector<Traits> traits;
    for (const ptx::Instruction& in : function.instructions) traits.push_back(traits_of(in));
    const auto of_symbol = [&](const std::string& name) {
      const auto found = shared.find(name);
      return found == shared.end() ? 0 : found->second;
    };
    Joiner(function, traits, LowZeros(function, traits, of_symbol)).run();
  }
}

}  // namespace roofline::sim
