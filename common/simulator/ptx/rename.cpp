// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/rename.h"

#include <unordered_set>

namespace roofline::sim::ptx {
namespace {

/// Variables of these spaces live in the module even when a function declares them.
bool is_static(Space space) {
  return space == Space::kGlobal || space == Space::kConst || space == Space::kShared;
}

class Visitor {
 public:
  Visitor(Function& function, const std::function<void(std::string&)>& visit)
      : function_(function), visit_(visit) {
    for (const Label& label : function.labels) own_.insert(label.name);
    for (const auto* list : {&function.results, &function.parameters, &function.variables})
      for (const Variable& variable : *list)
        if (!is_static(variable.space)) own_.insert(variable.name);
  }

  void run() {
    for (Instruction& instruction : function_.instructions) {
      for (Operand& operand : instruction.operands) look(operand);
      if (!instruction.call) continue;
      for (Operand& argument : instruction.call->arguments) look(argument);
      look(instruction.call->target);
    }
    for (BranchTargets& targets : function_.branch_targets)
      for (std::string& label : targets.labels) look(label);  // .calltargets stand there too
    for (Variable& variable : function_.variables) {
      if (is_static(variable.space)) look(variable.name);
      for (auto& relocation : variable.relocations) look(relocation.symbol);
    }
  }

 private:
  void look(std::string& name) {
    if (!own_.contains(name)) visit_(name);
  }
  void look(Operand& operand) {
    const bool names_symbol = operand.kind == Operand::Kind::kSymbol ||
                              (operand.kind == Operand::Kind::kAddress && operand.base_is_symbol);
    if (names_symbol) look(operand.name);
    for (Operand& element : operand.elements) look(element);
  }

  Function& function_;
  const std::function<void(std::string&)>& visit_;
  std::unordered_set<std::string> own_;
};

}  // namespace

void for_each_mention(Function& function, const std::function<void(std::string&)>& visit) {
  Visitor(function, visit).run();
}

void rename(Module& module, const Names& names) {
  if (names.empty()) return;
  const std::function<void(std::string&)> change = [&](std::string& name) {
    if (const auto found = names.find(name); found != names.end()) name = found->second;
  };
  for (Variable& variable : module.variables) {
    change(variable.name);
    for (auto& relocation : variable.relocations) change(relocation.symbol);
  }
  for (Function& function : module.functions) {
    for_each_mention(function, change);
    change(function.name);
  }
  for (std::string& name : module.aliases) change(name);
}

}  // namespace roofline::sim::ptx
