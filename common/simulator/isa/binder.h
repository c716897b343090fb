// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/program/instruction.h"
#include "simulator/ptx/module.h"

namespace roofline::sim::isa {

/// Turns the operands of one PTX instruction into slots while a function is loaded. Implemented by
/// bind/function_builder; used by the shapes of the instruction table. Throws LoadError (ptx/load_error.h)
/// with the operand's position when an operand does not fit.
class Binder {
 public:
  virtual ~Binder() = default;

  /// A source of the given type: register, literal (broadcast once into the constants), special register or
  /// symbol (its address). A register wider than the type is narrowed by a hidden instruction first.
  virtual Slot source(const ptx::Operand& operand, ptx::Type type) = 0;
  /// A destination of the given type. "_" yields a scratch row. A wider register is sign- or zero-extended by
  /// a hidden instruction afterwards (per type.kind).
  virtual Slot destination(const ptx::Operand& operand, ptx::Type type) = 0;
  /// A predicate source; "!p" is resolved by a hidden instruction.
  virtual Slot predicate(const ptx::Operand& operand) = 0;
  virtual Slot predicate_destination(const ptx::Operand& operand) = 0;
  /// A row nobody else uses, of `bytes` a lane.
  virtual Slot scratch(u32 bytes_per_lane) = 0;

  /// An address operand: the base row (u64 a lane, or u32 for shared/local registers of 32 bits) goes to
  /// `base`, the constant part to `offset`. `base_bytes` is 8 or 4; 0 when the address is absolute.
  struct Address {
    Slot base;
    u32 base_bytes = 0;
    s64 offset = 0;
    ptx::Space space = ptx::Space::kNone;  ///< space of the symbol when the base is a symbol
    bool is_param = false;                 ///< names a .param variable: offset is into that space
    bool is_kernel_param = false;
    /// Call-space .param: `base` is an area of the frame; lane l's bytes start at l * param_stride in it.
    u32 param_stride = 0;
  };
  virtual Address address(const ptx::Operand& operand, ptx::Space space) = 0;

  /// Declared type of a register operand (kNone for literals).
  virtual ptx::Type type_of(const ptx::Operand& operand) const = 0;
  /// Out-of-line data owned by the function being built.
  virtual Extra& extra() = 0;
  /// Index of the instruction that a label names (valid after the whole function is bound: a fix-up is kept
  /// and written to `in.immediate`, or to extra().numbers[slot] when slot >= 0).
  virtual void branch_to(const std::string& label, Instruction& in, int slot = -1) = 0;
  /// Resolves the callee and the arguments of a call into a CallSite (program/function.h) at
  /// in.extra->pointer.
  virtual void bind_call(Instruction& in);
  /// The function or label-list being built, for call, brx and messages.
  virtual const ptx::Function& function() const = 0;
  virtual const ptx::Instruction& instruction() const = 0;
};

}  // namespace roofline::sim::isa
