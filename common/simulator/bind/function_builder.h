// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/analysis/control_flow_graph.h"
#include "simulator/analysis/copies.h"
#include "simulator/bind/row_allocation.h"
#include "simulator/isa/binder.h"
#include "simulator/isa/matrix/fragment_order.h"
#include "simulator/isa/row.h"
#include "simulator/program/function.h"
#include "simulator/program/launch.h"

namespace roofline::sim {

/// What names outside a function mean; implemented by the kernel linker (bind/module.cpp).
class Symbols {
 public:
  virtual ~Symbols() = default;
  struct Variable {
    ptx::Space space = ptx::Space::kNone;  ///< kGlobal, kConst or kShared
    u64 address = 0;                       ///< in that space
  };
  virtual std::optional<Variable> variable(const std::string& name) = 0;
  /// Address of a function for a function pointer; 0 when there is no such function.
  virtual u64 function_address(const std::string& name) = 0;
  /// The function of that name bound for this kernel, or nullptr when it has no body.
  virtual const Function* function(const std::string& name) = 0;
  virtual bool permutes_fragments() const { return false; }
  /// Not compiled with -G.
  virtual bool is_optimised() const { return true; }
};

/// Binds one PTX function: names become rows, instructions become code. While it works, a frame slot holds
/// the number of a virtual row; row_allocation.h gives them their offsets at the end.
class FunctionBuilder final : public isa::Binder, public isa::FragmentOrder {
 public:
  /// `lenient`: an unknown instruction traps when it is executed, instead of being an error.
  FunctionBuilder(const ptx::Function& source, Symbols& symbols, Kernel& kernel, Function& result,
                  bool lenient);
  /// What ptxas spilled in the machine code of this function. Before build().
  void find_spills(std::span<const Spill> spills);
  void build();

  Slot source(const ptx::Operand& operand, ptx::Type type) override;
  Slot destination(const ptx::Operand& operand, ptx::Type type) override;
  Slot predicate(const ptx::Operand& operand) override;
  Slot predicate_destination(const ptx::Operand& operand) override;
  Slot scratch(u32 bytes_per_lane) override;
  Address address(const ptx::Operand& operand, ptx::Space space) override;
  ptx::Type type_of(const ptx::Operand& operand) const override;
  Extra& extra() override;
  void branch_to(const std::string& label, Instruction& in, int slot) override;
  void bind_call(Instruction& in) override;
  const ptx::Function& function() const override { return source_; }
  const ptx::Instruction& instruction() const override { return source_.instructions[current_]; }
  bool permutes_fragments() const override { return symbols_.permutes_fragments(); }

 private:
  struct Register {
    ptx::Type type;
    Slot slot;  ///< virtual row, given at first use
    bool has_slot = false;
    std::string alias_of;  ///< the register that it is a copy of
  };

  // Layout (function_builder.cpp)
  std::vector<Traits> find_rows();
  void lay_out_local();
  void bind_instruction(u32 index);
  void bind_unknown(Instruction& in);
  void bind_spills();
  bool bind_alias(u32 index);
  bool load_kernel_parameter(bool as_alias);
  void fix_branches();
  void find_joins();
  void finish_rows();
  void name_registers(const RowPlaces& places);
  void finish_instruction(Instruction& in);
  void add_final_return();
  u32 instruction_at(u32 code) const;
  void note_order(const Instruction& in, InstructionInfo& info);
  void note_flags();
  void note_operand_ports();
  void note_machine_code();
  void keep_arrays_in_registers(std::span<InstructionInfo> info);

  // Operands (operands.cpp)
  Register& declared(const std::string& name, ptx::TextPosition at);
  Slot slot_of(Register& declared_register);
  Slot literal(u64 image, u32 bytes);
  void refuse_part(const ptx::Operand& operand) const;
  Slot predicate_literal(bool value);
  Slot constant_row(u32 bytes);
  Slot symbol_address(const std::string& name, s64 offset, u32 bytes, ptx::TextPosition at,
                      Address* address = nullptr);
  Slot local_address(u64 place, u32 bytes);
  Slot special(const std::string& name, u32& bytes, ptx::TextPosition at);
  Slot clock(const std::string& name, u32& bytes);
  Slot entry_row(FilledRow row);
  Slot launch_row(FilledRow row);
  Slot kernel_parameter(u32 offset, u32 bytes, u32 row_bytes, bool is_signed);
  Slot new_row(u32 bytes, bool is_predicate);
  Slot used(Slot slot);
  Slot defined(Slot slot);
  void emit_hidden(Execute execute, Slot d, Slot a, bool afterwards = false);
  CallSite::Piece call_piece(const std::string& name, const ptx::Operand* operand, ptx::TextPosition at);

  const ptx::Function& source_;
  Symbols& symbols_;
  Kernel& kernel_;
  Function& result_;
  bool lenient_;
  struct Found {
    const isa::Row* row = nullptr;
    isa::Match match;
  };
  std::vector<Found> found_;    ///< in the instruction table, by PTX instruction
  std::vector<Traits> traits_;  ///< likewise
  ControlFlowGraph graph_;
  FoundCopies copies_;
  u32 current_ = 0;
  u32 first_index_ = 0, dummy_index_ = 0;
  std::vector<u32> shared_polls_;  ///< instructions that may wait for a change of shared memory

  std::unordered_map<std::string, Register> registers_;
  struct LocalVariable {
    u32 offset = 0, bytes = 0;
    bool is_param = false;
  };
  std::unordered_map<std::string, LocalVariable> local_;
  std::unordered_map<std::string, u32> kernel_parameters_;  ///< offset by name

  std::map<std::pair<u32, u64>, Slot> literals_;
  std::map<std::string, Slot> specials_;
  std::vector<u8> constants_;
  RowUse rows_;
  std::vector<u32> code_begin_;  ///< by PTX instruction
  std::vector<Instruction> after_;
  std::vector<std::vector<Spill>> spills_;  ///< by PTX instruction; empty: none
  struct FixUp {
    u32 code, target;
    Extra* extra = nullptr;
    int slot = -1;
  };
  std::vector<FixUp> fix_ups_;
  std::vector<FixUp> pending_fix_ups_;  ///< of the instruction being bound
};

}  // namespace roofline::sim
