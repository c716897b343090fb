// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/ptx/declarations.h"
#include "simulator/ptx/lexer.h"
#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// Reads what follows the '=' of a variable into Variable::initial and ::relocations.
class Initialiser {
 public:
  /// `dimensions`: outermost first; 0 for an open first one, whose size (and Variable::bytes) then follows.
  Initialiser(Lexer& lexer, Variable& variable, std::vector<u64> dimensions,
              std::vector<ModuleReference>& references, u64 byte_limit);
  void parse();

 private:
  void list(std::size_t depth, u64 begin);
  void element(u64 index);
  void number(u64 at, bool negative);
  void symbol(u64 at, u64 mask);
  s64 addend();
  void store(const Token& token, u64 at, u64 bits, u32 bytes);
  u64 float_bits(const Token& token, double value) const;
  /// Elements in one entry of the list at this depth.
  u64 stride(std::size_t depth) const;

  Lexer& lexer_;
  Variable& variable_;
  std::vector<u64> dimensions_;
  std::vector<ModuleReference>& references_;
  u64 byte_limit_;
  u64 element_bytes_;
  bool is_open_;
};

}  // namespace roofline::sim::ptx
