// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "simulator/bind/function_builder.h"
#include "simulator/bind/hidden.h"
#include "simulator/machine/access_cache.h"
#include "simulator/ptx/load_error.h"

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

u32 bytes_of(ptx::Type type) { return type.bits <= 8 ? 1 : type.bits / 8u; }
bool is_predicate(ptx::Type type) { return type.kind == ptx::Type::Kind::kPredicate; }

/// The bit image of a literal in an operand of the given type.
u64 image_of(const ptx::Operand& operand, ptx::Type type) {
  const bool wants_float = type.kind == ptx::Type::Kind::kFloat && type.lanes == 1;
  if (operand.kind == Kind::kFloat) {
    if (type.bits == 32)
      return operand.is_single ? operand.bits : std::bit_cast<u32>(static_cast<f32>(operand.number));
    return operand.is_single ? std::bit_cast<u64>(operand.number) : operand.bits;
  }
  if (wants_float && type.bits == 32)
    return std::bit_cast<u32>(static_cast<f32>(static_cast<s64>(operand.bits)));
  if (wants_float && type.bits == 64)
    return std::bit_cast<u64>(static_cast<f64>(static_cast<s64>(operand.bits)));
  return operand.bits;
}

}  // namespace

FunctionBuilder::Register& FunctionBuilder::declared(const std::string& name, ptx::TextPosition at) {
  const auto found = registers_.find(name);
  if (found == registers_.end())
    load_error(at, "no register '" + name + "' in function '" + source_.name + "'");
  return found->second;
}

Slot FunctionBuilder::new_row(u32 bytes, bool predicate) {
  rows_.rows.push_back({.bytes = bytes, .is_predicate = predicate});
  return Slot{static_cast<u32>(rows_.rows.size()) - 1};
}

Slot FunctionBuilder::slot_of(Register& r) {
  if (!r.alias_of.empty()) return slot_of(registers_.at(r.alias_of));
  if (!r.has_slot) {
    r.slot = new_row(bytes_of(r.type), is_predicate(r.type));
    r.has_slot = true;
  }
  return r.slot;
}

Slot FunctionBuilder::used(Slot slot) {
  if (slot.bank() == 0) rows_.accesses[current_].reads.push_back(slot.bits);
  return slot;
}

Slot FunctionBuilder::defined(Slot slot) {
  if (slot.bank() == 0) rows_.accesses[current_].writes.push_back(slot.bits);
  return slot;
}

Slot FunctionBuilder::scratch(u32 bytes) { return defined(new_row(bytes, false)); }

void FunctionBuilder::emit_hidden(Execute execute, Slot d, Slot a, bool afterwards) {
  Instruction in;
  in.execute = execute;
  in.d = d;
  in.a = a;
  in.hidden = true;
  in.index = dummy_index_;
  if (afterwards) {
    after_.push_back(in);
  } else {
    result_.code.push_back(in);
  }
}

Slot FunctionBuilder::constant_row(u32 bytes) {
  const u32 offset = static_cast<u32>(constants_.size());
  constants_.resize(offset + (bytes * kWarpSize + 63) / 64 * 64);
  return Slot{Slot::kConstantBank | offset};
}

Slot FunctionBuilder::literal(u64 image, u32 bytes) {
  if (bytes < 8) image &= (u64{1} << (bytes * 8)) - 1;
  const auto [place, is_new] = literals_.try_emplace({bytes, image});
  if (is_new) {
    place->second = constant_row(bytes);
    u8* row = constants_.data() + place->second.offset();
    for (u32 lane = 0; lane < kWarpSize; ++lane) std::memcpy(row + lane * bytes, &image, std::min(bytes, 8u));
  }
  return place->second;
}

Slot FunctionBuilder::predicate_literal(bool value) { return literal(value ? ~u64{0} : 0, 4); }

Slot FunctionBuilder::source(const ptx::Operand& operand, ptx::Type type) {
  if (is_predicate(type)) return predicate(operand);
  refuse_part(operand);
  const u32 wanted = bytes_of(type);
  u32 bytes = wanted;
  Slot slot;
  switch (operand.kind) {
    case Kind::kRegister: {
      Register& r = declared(operand.name, operand.at);
      if (is_predicate(r.type)) load_error(operand.at, "'" + operand.name + "' is a predicate, not a value");
      bytes = bytes_of(r.type);
      slot = used(slot_of(r));
      break;
    }
    case Kind::kSpecial:
      slot = used(special(operand.name, bytes, operand.at));
      break;
    case Kind::kInteger:
    case Kind::kFloat:
      return literal(image_of(operand, type), wanted);
    case Kind::kSymbol:
      return used(symbol_address(operand.name, operand.offset, wanted, operand.at));
    default:
      load_error(operand.at, "this operand cannot be a source");
  }
  if (bytes == wanted) return slot;
  if (bytes < wanted && operand.kind != Kind::kSpecial)
    load_error(operand.at, "register '" + operand.name + "' has " + std::to_string(bytes * 8) +
                               " bits, this operand needs " + std::to_string(wanted * 8));
  const Slot resized = scratch(wanted);
  emit_hidden(resize(bytes, wanted, false), resized, slot);
  return resized;
}

/// Parts of registers are operands of the scalar video instructions alone.
void FunctionBuilder::refuse_part(const ptx::Operand& operand) const {
  if (operand.part != 0 && !traits_[current_].takes_parts)
    load_error(operand.at, "only video instructions take a part of a register");
}

Slot FunctionBuilder::destination(const ptx::Operand& operand, ptx::Type type) {
  if (is_predicate(type)) return predicate_destination(operand);
  refuse_part(operand);
  const u32 wanted = bytes_of(type);
  if (operand.kind == Kind::kDiscard) return scratch(wanted);
  if (operand.kind != Kind::kRegister) load_error(operand.at, "the destination must be a register");
  Register& r = declared(operand.name, operand.at);
  const u32 bytes = bytes_of(r.type);
  if (is_predicate(r.type)) load_error(operand.at, "'" + operand.name + "' is a predicate, not a value");
  if (bytes < wanted)
    load_error(operand.at, "register '" + operand.name + "' has " + std::to_string(bytes * 8) +
                               " bits, the result has " + std::to_string(wanted * 8));
  const Slot slot = defined(slot_of(r));
  if (bytes == wanted) return slot;
  const Slot narrow = scratch(wanted);
  emit_hidden(resize(wanted, bytes, type.kind == ptx::Type::Kind::kSigned), slot, narrow, true);
  return narrow;
}

Slot FunctionBuilder::predicate(const ptx::Operand& operand) {
  if (operand.kind == Kind::kInteger) return predicate_literal(operand.bits != 0);
  if (operand.kind == Kind::kSpecial && operand.name == "%is_explicit_cluster") {
    u32 bytes = 0;
    return special(operand.name, bytes, operand.at);
  }
  if (operand.kind != Kind::kRegister) load_error(operand.at, "a predicate must stand here");
  Register& r = declared(operand.name, operand.at);
  if (!is_predicate(r.type)) load_error(operand.at, "'" + operand.name + "' is not a predicate");
  const Slot slot = used(slot_of(r));
  if (!operand.negated) return slot;
  const Slot negated = defined(new_row(4, true));
  emit_hidden(negate_predicate, negated, slot);
  return negated;
}

Slot FunctionBuilder::predicate_destination(const ptx::Operand& operand) {
  if (operand.kind == Kind::kDiscard) return defined(new_row(4, true));
  if (operand.kind != Kind::kRegister) load_error(operand.at, "a predicate register must stand here");
  Register& r = declared(operand.name, operand.at);
  if (!is_predicate(r.type)) load_error(operand.at, "'" + operand.name + "' is not a predicate");
  return defined(slot_of(r));
}

ptx::Type FunctionBuilder::type_of(const ptx::Operand& operand) const {
  const auto found = operand.kind == Kind::kRegister ? registers_.find(operand.name) : registers_.end();
  return found == registers_.end() ? ptx::Type{} : found->second.type;
}

/// The entry's frame is the first in local memory; a device function's lies wherever it is called from.
Slot FunctionBuilder::local_address(u64 place, u32 bytes) {
  if (source_.is_entry) return literal(place, bytes);
  for (const FilledRow& row : result_.entry_rows)
    if (row.kind == FilledRow::Kind::kLocalAddress && row.value == place && row.bytes == bytes)
      return row.slot;
  return entry_row(
      {.kind = FilledRow::Kind::kLocalAddress, .bytes = static_cast<u8>(bytes), .slot = {}, .value = place});
}

Slot FunctionBuilder::symbol_address(const std::string& name, s64 offset, u32 bytes, ptx::TextPosition at,
                                     Address* address) {
  Address facts;
  Slot slot;
  if (const auto parameter = kernel_parameters_.find(name); parameter != kernel_parameters_.end()) {
    facts = {.base = {}, .space = ptx::Space::kParam, .is_param = true, .is_kernel_param = true};
    slot = literal(kParamWindow + parameter->second + static_cast<u64>(offset), bytes);
  } else if (const auto local = local_.find(name); local != local_.end()) {
    facts = {.base = {}, .space = ptx::Space::kLocal, .is_param = local->second.is_param};
    slot = local_address(local->second.offset + static_cast<u64>(offset), bytes);
  } else if (const auto variable = symbols_.variable(name)) {
    facts.space = variable->space;
    slot = literal(variable->address + static_cast<u64>(offset), bytes);
  } else if (const u64 function = symbols_.function_address(name); function != 0) {
    slot = literal(function, bytes);
  } else {
    load_error(at, "undefined symbol '" + name + "'");
  }
  if (address != nullptr) *address = facts;
  return slot;
}

isa::Binder::Address FunctionBuilder::address(const ptx::Operand& operand, ptx::Space space) {
  Address result;
  if (operand.kind == Kind::kRegister ||
      (operand.kind == Kind::kAddress && !operand.base_is_symbol && !operand.name.empty())) {
    Register& r = declared(operand.name, operand.at);
    result.base = used(slot_of(r));
    result.base_bytes = bytes_of(r.type);
    if (result.base_bytes != 4 && result.base_bytes != 8)
      load_error(operand.at, "an address register has 32 or 64 bits, not " + std::to_string(r.type.bits));
    result.offset = operand.offset;
    result.space = space;
    return result;
  }
  result.base_bytes = 8;
  result.offset = operand.offset;
  const auto local = local_.find(operand.name);
  if (local != local_.end()) {
    // One row, the frame's own address, serves all of its variables.
    result.base = used(local_address(0, 8));
    result.offset += local->second.offset;
    result.space = ptx::Space::kLocal;
    result.is_param = local->second.is_param;
  } else if (operand.base_is_symbol || operand.kind == Kind::kSymbol) {
    const s64 offset = result.offset;
    const Slot base = used(symbol_address(operand.name, 0, 8, operand.at, &result));
    result.base = base;
    result.base_bytes = 8;
    result.offset = offset;
  } else {
    result.base = literal(0, 8);
    result.space = space;
  }
  return result;
}

Extra& FunctionBuilder::extra() { return result_.extras.emplace_back(); }

void FunctionBuilder::branch_to(const std::string& label, Instruction& in, int slot) {
  for (const ptx::Label& candidate : source_.labels) {
    if (candidate.name != label) continue;
    pending_fix_ups_.push_back(
        {.code = 0, .target = candidate.instruction, .extra = const_cast<Extra*>(in.extra), .slot = slot});
    return;
  }
  load_error(instruction().at, "no label '" + label + "' in function '" + source_.name + "'");
}

}  // namespace roofline::sim
