// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <span>
#include <string>
#include <unordered_map>

#include "simulator/program/traits.h"
#include "simulator/ptx/module.h"

namespace roofline::sim {

/// How many zero bits each register of a function ends with, whatever the inputs: what an address is a
/// multiple of.
class LowZeros {
 public:
  /// `of_symbol`: of a variable's address.
  LowZeros(const ptx::Function& function, std::span<const Traits> traits,
           std::function<u32(const std::string&)> of_symbol);

  u32 of_register(const std::string& name) const;
  u32 of_symbol(const std::string& name) const { return of_symbol_(name); }

 private:
  static constexpr u32 kAll = 64;
  u32 of(const ptx::Operand& operand) const;
  u32 result_of(const ptx::Instruction& in, const Traits& traits) const;

  std::function<u32(const std::string&)> of_symbol_;
  std::unordered_map<std::string, u32> zeros_;
};

}  // namespace roofline::sim
