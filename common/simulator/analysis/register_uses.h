// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simulator/program/traits.h"
#include "simulator/ptx/module.h"

namespace roofline::sim {

/// Where the registers of a function are written and read: positions of instructions, in text order. A
/// guarded write counts twice, because the register keeps its old value in some lanes.
class RegisterUses {
 public:
  RegisterUses(const ptx::Function& function, std::span<const Traits> traits);

  std::unordered_map<std::string, std::vector<u32>> writes, reads;
  /// Never true of a register that is a parameter or a result: the caller writes or reads it, too.
  bool written_once(const std::string& name) const {
    const auto found = writes.find(name);
    return found != writes.end() && found->second.size() == 1 && !shared_with_caller_.contains(name);
  }

 private:
  std::unordered_set<std::string> shared_with_caller_;
};

}  // namespace roofline::sim
