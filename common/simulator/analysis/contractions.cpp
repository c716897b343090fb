// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/contractions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "simulator/analysis/control_flow_graph.h"
#include "simulator/analysis/erased.h"
#include "simulator/analysis/register_uses.h"

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

bool has(const ptx::Instruction& in, std::string_view modifier) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) != in.modifiers.end();
}

bool is_float_type(std::string_view name) {
  return name == "f32" || name == "f64" || name == "f16" || name == "f16x2" || name == "bf16" ||
         name == "bf16x2";
}

/// A float instruction with no modifiers but .ftz, .sat and its type.
bool is_plain(const ptx::Instruction& in) {
  return !in.modifiers.empty() && is_float_type(in.modifiers.back()) &&
         std::all_of(in.modifiers.begin(), in.modifiers.end() - 1,
                     [](const auto& m) { return m == "ftz" || m == "sat"; });
}

bool is_product(const ptx::Instruction& in, const Traits& traits) {
  return traits.arithmetic == Arithmetic::kProduct && in.guard.empty() && in.operands.size() == 3 &&
         is_plain(in) && !has(in, "sat");
}

bool is_sum(const ptx::Instruction& in, const Traits& traits) {
  const Arithmetic a = traits.arithmetic;
  return (a == Arithmetic::kSum || a == Arithmetic::kDifference) && in.operands.size() == 3 && is_plain(in);
}

bool is_register(const ptx::Operand& operand, const std::string& name) {
  return operand.kind == Kind::kRegister && operand.name == name;
}

/// The operand enters with the other sign.
void turn(ptx::Operand& operand) {
  if (operand.kind == Kind::kFloat) {
    operand.bits ^= u64{1} << (operand.is_single ? 31 : 63);
    operand.number = -operand.number;
  } else {
    operand.minus = !operand.minus;
  }
}

bool can_turn(const ptx::Operand& operand) {
  return operand.kind == Kind::kRegister || operand.kind == Kind::kFloat;
}

/// A product with every place that uses it.
struct Product {
  struct Use {
    u32 sum;
    u32 operand;  ///< 1 or 2
    bool minus;   ///< through neg
  };
  std::vector<Use> uses;
  std::vector<u32> links;  ///< neg and mov on the way
};

class Contractor {
 public:
  Contractor(ptx::Function& function, std::span<const Traits> traits)
      : function_(function), traits_(traits), graph_(function, traits), registers_(function, traits) {
    number_stretches();
  }

  void run() {
    for (u32 i = 0; i < function_.instructions.size(); ++i) {
      Product product;
      if (is_product(function_.instructions[i], traits_[i]) && follow(i, i, false, product) &&
          !product.uses.empty())
        products_.emplace(i, std::move(product));
    }
    settle();
    std::set<u32> gone;
    for (const auto& [at, product] : products_) {
      for (const Product::Use& use : product.uses) fuse(at, use);
      gone.insert(at);
      gone.insert(product.links.begin(), product.links.end());
    }
    erase(function_, gone);
  }

 private:
  /// Blocks that follow each other on the only way there are one block to ptxas.
  void number_stretches() {
    const auto& blocks = graph_.blocks();
    std::vector<u32> predecessors(blocks.size());
    for (const auto& block : blocks)
      for (u32 s : block.successors) ++predecessors[s];
    stretch_.resize(blocks.size());
    for (u32 b = 1; b < blocks.size(); ++b) {
      const auto& before = blocks[b - 1];
      const bool goes_on = before.successors == std::vector<u32>{b} && !before.may_exit;
      stretch_[b] = goes_on && predecessors[b] == 1 ? stretch_[b - 1] : b;
    }
  }
  u32 stretch_of(u32 i) const { return stretch_[graph_.block_of(i)]; }

  bool keeps(const ptx::Operand& factor, u32 from, u32 to) const {
    const auto writes = registers_.writes.find(factor.name);
    if (factor.kind != Kind::kRegister || writes == registers_.writes.end()) return true;
    return std::none_of(writes->second.begin(), writes->second.end(),
                        [&](u32 at) { return from <= at && at < to; });
  }

  /// Adds the uses of what `at` computes, which is the product or a copy of it; false when one is no sum.
  bool follow(u32 product_at, u32 at, bool minus, Product& result) const {
    const ptx::Instruction& product = function_.instructions[product_at];
    const ptx::Operand& value = function_.instructions[at].operands[0];
    const auto reads = registers_.reads.find(value.name);
    if (value.kind != Kind::kRegister || !registers_.written_once(value.name) ||
        reads == registers_.reads.end())
      return false;
    for (const u32 use : reads->second) {
      const ptx::Instruction& user = function_.instructions[use];
      if (use <= at || stretch_of(use) != stretch_of(at)) return false;
      if (is_link(use, product)) {
        result.links.push_back(use);
        if (!follow(product_at, use, minus != (traits_[use].arithmetic == Arithmetic::kNegation), result))
          return false;
        continue;
      }
      const bool first = user.operands.size() == 3 && is_register(user.operands[1], value.name);
      const bool second = user.operands.size() == 3 && is_register(user.operands[2], value.name);
      if (!is_sum(user, traits_[use]) || user.modifiers.back() != product.modifiers.back() ||
          has(user, "ftz") != has(product, "ftz") || first == second ||
          user.operands[0].kind != Kind::kRegister)
        return false;
      if (!keeps(product.operands[1], product_at, use) || !keeps(product.operands[2], product_at, use))
        return false;
      if (!can_turn(product.operands[1]) || !can_turn(user.operands[first ? 2 : 1])) return false;
      result.uses.push_back({use, first ? 1u : 2u, minus});
    }
    return true;
  }

  bool is_link(u32 at, const ptx::Instruction& product) const {
    const ptx::Instruction& in = function_.instructions[at];
    if (!in.guard.empty() || in.operands.size() != 2 || in.operands[0].kind != Kind::kRegister ||
        in.operands[1].kind != Kind::kRegister)
      return false;
    return (traits_[at].arithmetic == Arithmetic::kNegation && in.modifiers == product.modifiers) ||
           traits_[at].copies == Copies::kValue;
  }

  /// Where both operands of a sum are products, one of them stays a product, and then for all of its sums.
  void settle() {
    std::map<u32, std::vector<std::pair<u32, u32>>> by_sum;  // operand, product
    for (const auto& [at, product] : products_)
      for (const Product::Use& use : product.uses) by_sum[use.sum].emplace_back(use.operand, at);
    for (auto& [sum, rivals] : by_sum) {
      std::erase_if(rivals, [&](const auto& rival) { return !products_.contains(rival.second); });
      if (rivals.size() < 2) continue;
      std::sort(rivals.begin(), rivals.end());
      const u32 first = rivals[0].second, second = rivals[1].second;
      products_.erase(products_.at(first).uses.size() <= products_.at(second).uses.size() ? second : first);
    }
  }

  void fuse(u32 at, const Product::Use& use) {
    const ptx::Instruction& product = function_.instructions[at];
    ptx::Instruction& sum = function_.instructions[use.sum];
    const bool subtracts = traits_[use.sum].arithmetic == Arithmetic::kDifference;
    ptx::Operand addend = sum.operands[use.operand == 1 ? 2 : 1];
    ptx::Operand factor = product.operands[1];
    if (use.minus != (subtracts && use.operand == 2)) turn(factor);
    if (subtracts && use.operand == 1) turn(addend);
    sum.opcode = traits_[at].fused;
    sum.modifiers.insert(sum.modifiers.begin(), "rn");
    sum.operands = {sum.operands[0], std::move(factor), product.operands[2], std::move(addend)};
  }

  ptx::Function& function_;
  std::span<const Traits> traits_;
  const ControlFlowGraph graph_;
  const RegisterUses registers_;
  std::vector<u32> stretch_;         ///< by block
  std::map<u32, Product> products_;  ///< by position
};

}  // namespace

void contract(ptx::Module& module, TraitsOf traits_of) {
  if (module.is_debug) return;
  for (ptx::Function& function : module.functions) {
    // Most functions have none that is_plain, and need no look into the table.
    const auto is_candidate = [&](const ptx::Instruction& in) {
      return is_plain(in) && is_product(in, traits_of(in));
    };
    if (std::none_of(function.instructions.begin(), function.instructions.end(), is_candidate)) continue;
    std::vector<Traits> traits;
    for (const ptx::Instruction& in : function.instructions) traits.push_back(traits_of(in));
    Contractor(function, traits).run();
  }
}

}  // namespace roofline::sim
