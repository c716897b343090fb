// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/bind/function_builder.h"

#include <algorithm>
#include <bit>

#include "simulator/analysis/atomic_forms.h"
#include "simulator/analysis/packed_halves.h"
#include "simulator/analysis/predication.h"
#include "simulator/analysis/register_arrays.h"
#include "simulator/bind/hidden.h"
#include "simulator/isa/control_flow.h"
#include "simulator/isa/system.h"
#include "simulator/machine/access_cache.h"
#include "simulator/machine/register_access.h"
#include "simulator/program/instruction_text.h"
#include "simulator/ptx/load_error.h"
#include "simulator/ptx/type_names.h"

namespace roofline::sim {

void isa::Binder::bind_call(Instruction&) { load_error(instruction().at, "calls cannot be bound here"); }

namespace {

using Kind = ptx::Operand::Kind;

u32 align_up(u64 value, u64 alignment) {
  alignment = std::max<u64>(alignment, 1);
  return static_cast<u32>((value + alignment - 1) / alignment * alignment);
}

[[noreturn]] void throw_unknown(ptx::TextPosition at, const std::string& message) {
  UnknownInstruction error("PTX line " + std::to_string(at.line) + ": " + message);
  error.at = at;
  throw error;
}

std::string unknown_text(const ptx::Instruction& in) {
  std::string message = "unknown instruction '" + spelling_of(in) + "'";
  const auto near = isa::near_misses(in);
  if (!near.empty()) message += "; nearest in the table:";
  for (size_t i = 0; i < near.size() && i < 5; ++i) message += "\n    " + std::string(near[i]->syntax);
  return message;
}

void trap_unknown(Warp& w, const Instruction& in) {
  w.trap(TrapKind::kIllegalInstruction, static_cast<u32>(std::countr_zero(w.mask)), in, in.extra->strings[0]);
}

}  // namespace

FunctionBuilder::FunctionBuilder(const ptx::Function& source, Symbols& symbols, Kernel& kernel,
                                 Function& result, bool lenient)
    : source_(source),
      symbols_(symbols),
      kernel_(kernel),
      result_(result),
      lenient_(lenient),
      traits_(find_rows()),
      graph_(source, traits_),
      copies_(find_copies(source, traits_, graph_)) {
  for (const ptx::RegisterDeclaration& r : source.registers) registers_[r.name].type = r.type;
  rows_.accesses.resize(source.instructions.size());
  first_index_ = static_cast<u32>(kernel.info.size());
  dummy_index_ = first_index_ + static_cast<u32>(source.instructions.size());
  kernel.info.resize(dummy_index_ + 1);
  kernel.meets_blocks.resize(dummy_index_ + 1);
  kernel.info[dummy_index_].cost = {.pipe = Pipe::kNone, .issue = 0};
}

std::vector<Traits> FunctionBuilder::find_rows() {
  std::vector<Traits> traits;
  for (const ptx::Instruction& in : source_.instructions) {
    Found& found = found_.emplace_back();
    found.row = isa::find(in, found.match);
    traits.push_back(found.row == nullptr ? Traits{} : isa::traits_of(*found.row, found.match));
  }
  return traits;
}

void FunctionBuilder::build() {
  lay_out_local();
  const u32 count = static_cast<u32>(source_.instructions.size());
  for (current_ = 0; current_ < count; ++current_) {
    kernel_.info[first_index_ + current_] = describe(instruction());
    kernel_.info[first_index_ + current_].traits = traits_[current_];
    if (copies_.copies[current_].is_copy && !bind_alias(current_)) copies_.copies[current_].is_copy = false;
  }
  for (current_ = 0; current_ < count; ++current_) {
    code_begin_.push_back(static_cast<u32>(result_.code.size()));
    bind_spills();
    if (copies_.copies[current_].is_copy) {
      kernel_.elided.push_back({first_index_ + current_, first_index_ + copies_.copies[current_].donor});
      kernel_.info[first_index_ + current_].cost = {.pipe = Pipe::kNone, .issue = 0};
    } else {
      bind_instruction(current_);
    }
  }
  code_begin_.push_back(static_cast<u32>(result_.code.size()));
  add_final_return();
  fix_branches();
  find_joins();
  note_operand_ports();
  note_flags();
  if (symbols_.is_optimised()) note_machine_code();
  finish_rows();
}

void FunctionBuilder::lay_out_local() {
  u32 offset = 0;
  if (source_.is_entry) {
    for (const ptx::Variable& parameter : source_.parameters) {
      offset = align_up(offset, parameter.alignment);
      kernel_parameters_[parameter.name] = offset;
      kernel_.parameter_offsets.push_back(offset);
      kernel_.parameter_sizes.push_back(static_cast<u32>(parameter.bytes));
      offset += static_cast<u32>(parameter.bytes);
    }
    kernel_.parameter_bytes = offset;
    offset = 0;
  }
  const auto place = [&](const ptx::Variable& variable, bool is_param) {
    offset = align_up(offset, variable.alignment);
    local_[variable.name] = {
        .offset = offset, .bytes = static_cast<u32>(variable.bytes), .is_param = is_param};
    offset += static_cast<u32>(variable.bytes);
    return local_[variable.name].offset;
  };
  for (const ptx::Variable& variable : source_.variables)
    if (variable.space == ptx::Space::kLocal || variable.space == ptx::Space::kParam)
      place(variable, variable.space == ptx::Space::kParam);
  const auto interface = [&](const std::vector<ptx::Variable>& from, std::vector<Function::Parameter>& to,
                             bool is_result) {
    for (const ptx::Variable& variable : from) {
      Function::Parameter parameter{.bytes = static_cast<u32>(variable.bytes), .slot = {}};
      if (variable.space == ptx::Space::kReg) {
        parameter.in_register = true;
        parameter.slot = slot_of(
            registers_.try_emplace(variable.name, Register{.type = variable.type, .slot = {}, .alias_of = {}})
                .first->second);
        if (is_result) {
          rows_.results.push_back(parameter.slot.bits);
        } else {
          rows_.rows[parameter.slot.bits].at_entry = true;
        }
      } else {
        parameter.offset = place(variable, true);
      }
      to.push_back(parameter);
    }
  };
  if (!source_.is_entry) {
    interface(source_.parameters, result_.parameters, false);
    interface(source_.results, result_.results, true);
  }
  result_.local_bytes = align_up(offset, 16);
}

/// Registers that only name another row. Done before anything is bound: blocks need not stand in the order in
/// which they execute.
bool FunctionBuilder::bind_alias(u32 index) {
  const ptx::Instruction& in = source_.instructions[index];
  if (traits_[index].copies == Copies::kParameter) return load_kernel_parameter(true);
  Register& to = declared(in.operands[0].name, in.at);
  const ptx::Operand& from = in.operands[1];
  const ptx::Type type = ptx::type_named(in.modifiers.back()).value_or(ptx::Type{});
  if (type.bits != to.type.bits) return false;
  if (from.kind == Kind::kRegister) {
    if (declared(from.name, from.at).type.bits != type.bits) return false;
    to.alias_of = from.name;
    return true;
  }
  const size_t hidden = result_.code.size();
  const Slot slot = source(from, type);
  if (result_.code.size() != hidden) {  // needs a conversion: a real instruction after all
    result_.code.resize(hidden);
    rows_.accesses[index] = {};
    return false;
  }
  rows_.accesses[index] = {};
  to.slot = slot;
  to.has_slot = true;
  return true;
}

/// ld.param of a kernel's own parameter at a constant place: the value is a row of the constant bank, filled
/// at launch. False when the address is computed.
bool FunctionBuilder::load_kernel_parameter(bool as_alias) {
  const ptx::Instruction& in = instruction();
  const ptx::Operand& address = in.operands[1];
  const auto parameter = kernel_parameters_.find(address.name);
  if (!address.base_is_symbol || parameter == kernel_parameters_.end()) return false;
  const ptx::Type type = ptx::type_named(in.modifiers.back()).value_or(ptx::Type{});
  const u32 bytes = std::max<u32>(type.bits / 8u, 1);
  const bool is_vector = in.operands[0].kind == Kind::kVector;
  const size_t count = is_vector ? in.operands[0].elements.size() : 1;
  for (size_t i = 0; i < count; ++i) {
    const ptx::Operand& to = is_vector ? in.operands[0].elements[i] : in.operands[0];
    if (to.kind == Kind::kDiscard) continue;
    Register& r = declared(to.name, to.at);
    const u32 row_bytes = std::max<u32>(r.type.bits / 8u, 1);
    const s64 offset = parameter->second + address.offset + static_cast<s64>(i * bytes);
    if (row_bytes < bytes || offset < 0 || offset + bytes > kernel_.parameter_bytes)
      load_error(in.at,
                 "'" + in.operands[1].name + "' does not hold " + std::to_string(bytes) + " bytes there");
    const Slot row =
        kernel_parameter(static_cast<u32>(offset), bytes, row_bytes, type.kind == ptx::Type::Kind::kSigned);
    if (as_alias) {
      r.slot = row;
      r.has_slot = true;
      continue;
    }
    Instruction copy;
    copy.execute = resize(row_bytes, row_bytes, false);
    copy.d = defined(slot_of(r));
    copy.a = row;
    copy.hidden = i != 0;
    copy.index = copy.hidden ? dummy_index_ : first_index_ + current_;
    finish_instruction(copy);
  }
  kernel_.info[first_index_ + current_].cost = {.pipe = Pipe::kNone, .issue = 0};
  return true;
}

void FunctionBuilder::finish_instruction(Instruction& in) {
  const ptx::Instruction& text = instruction();
  rows_.accesses[current_].guarded = !text.guard.empty();
  // Branches test their guard themselves, so that a divergent one knows both sides.
  if (!text.guard.empty() && traits_[current_].flow != Flow::kBranch) {
    in.guard = used(slot_of(declared(text.guard, text.at)));
    in.guard_kind = text.guard_negated ? Guard::kUnless : Guard::kIf;
  }
  for (FixUp& fix_up : pending_fix_ups_) {
    fix_up.code = static_cast<u32>(result_.code.size());
    if (fix_up.slot >= 0) fix_up.extra = const_cast<Extra*>(in.extra);
    fix_ups_.push_back(fix_up);
  }
  pending_fix_ups_.clear();
  result_.code.push_back(in);
  for (Instruction& hidden : after_) {
    hidden.guard = in.guard;
    hidden.guard_kind = in.guard_kind;
    result_.code.push_back(hidden);
  }
  after_.clear();
}

void FunctionBuilder::bind_unknown(Instruction& in) {
  const std::string message = unknown_text(instruction());
  if (!lenient_) throw_unknown(instruction().at, message);
  Extra& text = extra();
  text.strings.push_back(message);
  in.extra = &text;
  in.execute = trap_unknown;
  finish_instruction(in);
}

void FunctionBuilder::bind_instruction(u32 index) {
  const bool may_read_parameter = source_.is_entry && traits_[index].copies == Copies::kParameter &&
                                  source_.instructions[index].operands.size() == 2;
  if (may_read_parameter && load_kernel_parameter(false)) return;
  const auto& [row, match] = found_[index];
  Instruction in;
  in.index = first_index_ + index;
  if (row == nullptr) return bind_unknown(in);
  row->bind(*row, match, *this, in);
  InstructionInfo& info = kernel_.info[in.index];
  if (row->cost != nullptr) info.cost = row->cost(match);
  info.space = row->space;
  info.is_load = row->is_load;
  info.is_store = row->is_store;
  info.is_atomic = row->is_atomic;
  info.width = in.width;
  if (in.execute == nullptr) return bind_unknown(in);
  note_order(in, info);
  finish_instruction(in);
}

/// Facts about the whole kernel that decide how its blocks may be scheduled.
void FunctionBuilder::note_order(const Instruction& in, InstructionInfo& info) {
  const ptx::Instruction& text = instruction();
  const auto has = [&](std::string_view word) {
    return std::any_of(text.modifiers.begin(), text.modifiers.end(),
                       [&](const auto& m) { return m == word; });
  };
  const bool reads_memory = info.is_load || info.is_atomic;
  bool ordered = (in.flags & kAccessOrdered) != 0 && reads_memory;
  bool old_is_read = false;
  if (info.is_atomic && (in.flags & kAccessResult) != 0 && !text.operands.empty()) {
    const std::string& result = text.operands[0].name;
    old_is_read = text.operands[0].kind != Kind::kRegister || copies_.registers.reads.contains(result);
  }
  info.old_unread = info.is_atomic && !old_is_read;
  ordered |= old_is_read;
  const bool in_shared = has("shared") || has("shared::cta") || has("shared::cluster");
  const bool waits = has("volatile") || has("acquire") || has("relaxed") || has("acq_rel") || has("mmio");
  const bool loops = graph_.has_loop() || !source_.is_entry;
  // A plain load in a loop with a fence is how older code waits for a flag.
  const bool is_fence = info.traits.fence == Fence::kWider;
  if (is_fence && loops) ordered = true;
  if (info.traits.gathers == Gathers::kClusterBarrier || has("shared::cluster")) kernel_.uses_clusters = true;
  if (info.traits.needs_stack) kernel_.has_calls = true;
  const bool may_spin = loops && (is_fence || info.traits.polls || (reads_memory && (ordered || waits)));
  if (may_spin) {
    kernel_.may_spin = true;
    emit_hidden(note_spin, {}, {}, true);
  }
  if (ordered && !in_shared) kernel_.in_order = true;
  const bool can_be_deferred = (in.flags & kAccessDeferrable) != 0 && info.is_atomic && !old_is_read;
  if (in_shared) {
    kernel_.meets_blocks[in.index] = has("shared::cluster");
    if (may_spin) shared_polls_.push_back(in.index);
    return;
  }
  const bool is_flag = (info.is_load || info.is_store) && (waits || has("release"));
  const bool meets_cluster = info.traits.gathers == Gathers::kClusterBarrier;
  kernel_.meets_blocks[in.index] = is_fence || is_flag || info.is_atomic || meets_cluster;
  if (kernel_.meets_blocks[in.index] && !can_be_deferred) kernel_.meets_otherwise = true;
  const bool polls = is_fence || (is_flag && info.is_load) || old_is_read;
  if (polls && (!source_.is_entry || graph_.in_loop(current_))) kernel_.waits_for_blocks = true;
}

/// Behind a fence a plain store may be a flag, too. In clusters a store to a generic address may go to
/// another block, which polls its own shared memory.
void FunctionBuilder::note_flags() {
  if (kernel_.uses_clusters) {
    for (const u32 i : shared_polls_) kernel_.meets_blocks[i] = true;
    for (u32 i = first_index_; i < dummy_index_; ++i)
      if (kernel_.info[i].is_store && kernel_.info[i].space == ptx::Space::kGeneric)
        kernel_.meets_blocks[i] = true;
  }
  const auto is_fence = [](const Traits& traits) { return traits.fence == Fence::kWider; };
  if (std::none_of(traits_.begin(), traits_.end(), is_fence)) return;
  for (u32 i = first_index_; i < dummy_index_; ++i) {
    const InstructionInfo& info = kernel_.info[i];
    if (info.is_store && (info.space == ptx::Space::kGlobal || info.space == ptx::Space::kGeneric))
      kernel_.meets_blocks[i] = true;
  }
}

void FunctionBuilder::bind_call(Instruction& in) {
  const ptx::Instruction& text = instruction();
  CallSite& site = result_.calls.emplace_back();
  for (const std::string& name : text.call->results)
    site.results.push_back(call_piece(name, nullptr, text.at));
  for (const ptx::Operand& argument : text.call->arguments)
    site.arguments.push_back(call_piece(argument.name, &argument, argument.at));
  const ptx::Operand& target = text.call->target;
  site.name = target.name;
  if (target.kind == Kind::kRegister) {
    site.target = source(target, {ptx::Type::Kind::kUnsigned, 64});
    kernel_.has_indirect_calls = true;
  } else {
    site.callee = symbols_.function(target.name);
    if (site.callee == nullptr) site.builtin = isa::builtin(target.name);
    if (site.callee == nullptr && site.builtin == nullptr)
      load_error(text.at, "undefined function '" + target.name + "'");
    if (site.builtin != nullptr && isa::builtin_needs_order(target.name))
      kernel_.in_order = kernel_.meets_otherwise = true;
  }
  kernel_.has_calls = true;
  Extra& out = extra();
  out.pointer = &site;
  in.extra = &out;
}

CallSite::Piece FunctionBuilder::call_piece(const std::string& name, const ptx::Operand* operand,
                                            ptx::TextPosition at) {
  CallSite::Piece piece{.slot = {}};
  if (const auto found = local_.find(name); found != local_.end()) {
    piece.offset = found->second.offset;
    piece.bytes = found->second.bytes;
    return piece;
  }
  piece.in_register = true;
  if (operand == nullptr) {
    Register& r = declared(name, at);
    piece.bytes = std::max<u32>(r.type.bits / 8u, 1);
    piece.slot = defined(slot_of(r));
  } else if (operand->kind == Kind::kRegister) {
    Register& r = declared(name, at);
    piece.bytes = std::max<u32>(r.type.bits / 8u, 1);
    piece.slot = used(slot_of(r));
  } else {
    load_error(at, "call arguments are variables or registers");
  }
  return piece;
}

void FunctionBuilder::add_final_return() {
  Instruction last;
  last.execute = return_from_function;
  last.hidden = true;
  last.index = dummy_index_;
  result_.code.push_back(last);
}

void FunctionBuilder::fix_branches() {
  for (const FixUp& fix_up : fix_ups_) {
    const u32 target = code_begin_[fix_up.target];
    if (fix_up.slot < 0) {
      result_.code[fix_up.code].immediate = target;
    } else {
      auto& numbers = fix_up.extra->numbers;
      if (numbers.size() <= static_cast<size_t>(fix_up.slot))
        numbers.resize(static_cast<size_t>(fix_up.slot) + 1);
      numbers[static_cast<size_t>(fix_up.slot)] = target;
    }
  }
}

void FunctionBuilder::find_joins() {
  result_.joins.assign(result_.code.size(), kNowhere);
  for (const FixUp& fix_up : fix_ups_) {
    const u32 join = graph_.blocks()[graph_.block_of(instruction_at(fix_up.code))].join;
    if (join == ControlFlowGraph::kNone) continue;
    const u32 begin = graph_.blocks()[join].begin;
    // Lanes that meet only to leave need not wait for each other.
    const bool leaves = begin == source_.instructions.size() ||
                        (source_.instructions[begin].guard.empty() && traits_[begin].flow == Flow::kLeave);
    if (!leaves) result_.joins[fix_up.code] = code_begin_[begin];
  }
}

/// What ptxas makes of the PTX, as far as time depends on it.
void FunctionBuilder::note_machine_code() {
  const std::span<InstructionInfo> info(kernel_.info.begin() + first_index_, source_.instructions.size());
  pack_halves(source_, graph_, info);
  keep_arrays_in_registers(info);
  note_atomic_forms(source_, graph_, copies_.registers, info);
  note_predication(source_, graph_, info);
  for (InstructionInfo& in : info)
    if (in.predication.until != 0) in.predication.until += first_index_;
}

/// A store is a move, or one for each register that it may be for behind as many tests; so is a load, which
/// costs nothing where the register is known.
void FunctionBuilder::keep_arrays_in_registers(std::span<InstructionInfo> info) {
  const std::vector<u32> registers = accesses_to_registers(source_, info);
  for (Instruction& in : result_.code) {
    const u32 index = in.index - first_index_;  // wraps for what is of no instruction
    const u32 among = in.hidden || index >= registers.size() ? 0 : registers[index];
    if (among == 0) continue;
    in.flags |= kAccessInRegister;
    Cost& cost = info[index].cost;
    if (among > 1)
      cost = {.pipe = Pipe::kAlu, .issue = static_cast<u8>(2 * among)};
    else
      cost =
          info[index].is_store ? Cost{.pipe = Pipe::kAlu, .issue = 1} : Cost{.pipe = Pipe::kNone, .issue = 0};
  }
}

u32 FunctionBuilder::instruction_at(u32 code) const {
  return static_cast<u32>(std::upper_bound(code_begin_.begin(), code_begin_.end(), code) -
                          code_begin_.begin()) -
         1;
}

void FunctionBuilder::name_registers(const RowPlaces& places) {
  result_.source = &source_;
  result_.first_index = first_index_;
  const auto add = [&](const std::string& name) {
    const Register* known = &registers_.at(name);
    while (!known->alias_of.empty()) known = &registers_.at(known->alias_of);
    if (!known->has_slot) return;
    Slot slot = known->slot;
    if (slot.bank() == 0) slot.bits = places.offset[slot.bits];
    result_.registers.push_back({&name, registers_.at(name).type, slot});
  };
  for (const ptx::RegisterDeclaration& declaration : source_.registers) add(declaration.name);
}

void FunctionBuilder::finish_rows() {
  const RowPlaces places = allocate_rows(rows_, graph_);
  const auto place = [&](Slot& slot) {
    if (slot.bank() == 0) slot.bits = places.offset[slot.bits];
  };
  for (Instruction& in : result_.code)
    for (Slot* slot : {&in.d, &in.a, &in.b, &in.c, &in.e, &in.guard}) place(*slot);
  for (Extra& out_of_line : result_.extras)
    for (Slot& slot : out_of_line.slots) place(slot);
  for (CallSite& site : result_.calls) {
    for (CallSite::Piece& piece : site.results) place(piece.slot);
    for (CallSite::Piece& piece : site.arguments) place(piece.slot);
    place(site.target);
  }
  for (auto* pieces : {&result_.parameters, &result_.results})
    for (Function::Parameter& parameter : *pieces) place(parameter.slot);
  std::vector<FilledRow> filled;
  for (FilledRow row : result_.entry_rows) {
    place(row.slot);
    if (row.slot.bits != 0) filled.push_back(row);
  }
  result_.entry_rows = std::move(filled);
  for (u32 row : places.unwritten) {
    const RowUse::Row& facts = rows_.rows[row];
    result_.unwritten.push_back({.slot = Slot{places.offset[row]},
                                 .bytes = facts.is_predicate ? 4 : facts.bytes * kWarpSize,
                                 .is_predicate = facts.is_predicate});
  }
  name_registers(places);
  result_.frame_bytes = places.frame_bytes;
  result_.register_estimate = places.registers;
  result_.constant_bytes = static_cast<u32>(constants_.size());
  result_.constants = make_aligned(constants_.size());
  std::copy(constants_.begin(), constants_.end(), result_.constants.get());
}

}  // namespace roofline::sim
