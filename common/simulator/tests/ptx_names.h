// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// Every name that an operand uses must be declared under exactly that name, once.
class Names {
 public:
  Names(const Module& module, const Function& function) : function_(function) {
    for (const Variable& v : module.variables) globals_.insert(v.name);
    for (const Function& f : module.functions) globals_.insert(f.name);
    for (const RegisterDeclaration& r : function.registers) add(r.name);
    for (const Variable& v : function.variables) add(v.name);
    for (const Label& l : function.labels) {
      add(l.name);
      EXPECT_LE(l.instruction, function.instructions.size());
    }
    for (const CallPrototype& p : function.prototypes) add(p.name);
    for (const BranchTargets& t : function.branch_targets) add(t.name);
    for (const auto* list : {&function.parameters, &function.results}) {
      for (const Variable& v : *list) locals_.insert(v.name);
    }
  }

  void check() const {
    for (const Instruction& instruction : function_.instructions) {
      expect_local(instruction.guard);
      for (const Operand& operand : instruction.operands) check(operand);
      if (!instruction.call) continue;
      check(instruction.call->target);
      for (const Operand& operand : instruction.call->arguments) check(operand);
      for (const std::string& result : instruction.call->results)
        EXPECT_TRUE(locals_.contains(result)) << result;
      expect_local(instruction.call->prototype);
    }
    for (const BranchTargets& targets : function_.branch_targets) {
      for (const std::string& label : targets.labels)
        EXPECT_TRUE(locals_.contains(label) || globals_.contains(label));
    }
  }

 private:
  void add(const std::string& name) {
    EXPECT_TRUE(locals_.insert(name).second) << name << " is declared twice";
  }
  void expect_local(const std::string& name) const {
    EXPECT_TRUE(name.empty() || locals_.contains(name)) << name;
  }
  void check(const Operand& operand) const {
    const bool is_symbol = operand.kind == Operand::Kind::kSymbol ||
                           (operand.kind == Operand::Kind::kAddress && operand.base_is_symbol);
    const bool is_register = operand.kind == Operand::Kind::kRegister ||
                             (operand.kind == Operand::Kind::kAddress && !operand.base_is_symbol);
    if (is_symbol) {
      EXPECT_TRUE(locals_.contains(operand.name) || globals_.contains(operand.name)) << operand.name;
    }
    if (is_register) expect_local(operand.name);
    for (const Operand& element : operand.elements) check(element);
  }

  const Function& function_;
  std::set<std::string> locals_, globals_;
};

inline void check_names(const Module& module) {
  for (const Function& function : module.functions) {
    SCOPED_TRACE(function.name);
    Names(module, function).check();
  }
}

}  // namespace roofline::sim::ptx
