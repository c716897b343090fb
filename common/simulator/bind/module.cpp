// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/bind/module.h"

#include <algorithm>
#include <cstring>

#include "simulator/analysis/contractions.h"
#include "simulator/analysis/control_flow_graph.h"
#include "simulator/analysis/joined_loads.h"
#include "simulator/isa/old_versions.h"
#include "simulator/isa/row.h"
#include "simulator/isa/system.h"
#include "simulator/isa/word_order.h"
#include "simulator/names.h"
#include "simulator/program/address_windows.h"
#include "simulator/ptx/linker.h"
#include "simulator/ptx/load_error.h"
#include "simulator/ptx/parser.h"

namespace roofline::sim {

namespace {

/// Of a module: CUDA C++ Programming Guide, technical specifications for each compute capability.
constexpr u64 kMostConstantBytes = 65536;

ptx::Module source_of(ModuleId id, const std::vector<std::string>& texts) {
  const std::string name = "PTX of module " + std::to_string(id);
  if (texts.size() == 1) {
    ptx::Module module = ptx::parse(texts[0], name);
    isa::complete_old_spellings(module);
    isa::use_table_order(module);
    contract(module, isa::traits_of);
    join_loads(module, isa::traits_of);
    return module;
  }
  std::vector<ptx::Unit> units;
  for (const std::string& text : texts) {
    ptx::Unit& unit = units.emplace_back();
    unit.module = ptx::parse(text, name + ", translation unit " + std::to_string(units.size()));
    isa::complete_old_spellings(unit.module);
    isa::use_table_order(unit.module);
    contract(unit.module, isa::traits_of);
    join_loads(unit.module, isa::traits_of);
    unit.name = ptx::unit_name(unit.module, units.size());
  }
  return ptx::link(std::move(units), [](const std::string& f) { return isa::builtin(f) != nullptr; });
}

}  // namespace

Module::Module(ModuleId id, const std::vector<std::string>& texts, const std::vector<ElfKernel>& elf,
               Memory& memory, const ManagedAllocator& managed, bool permute_fragments)
    : id_(id), memory_(memory), permutes_fragments_(permute_fragments), source_(source_of(id, texts)) {
  for (u32 i = 0; i < source_.functions.size(); ++i) functions_.emplace(source_.functions[i].name, i);
  for (size_t i = 0; i + 1 < source_.aliases.size(); i += 2)
    if (const auto target = functions_.find(source_.aliases[i + 1]); target != functions_.end())
      functions_[source_.aliases[i]] = target->second;
  try {
    place_variables(managed);
    link(elf);
  } catch (...) {
    release();
    throw;
  }
}

Module::~Module() { release(); }

void Module::release() {
  for (u64 address : allocations_) memory_.release(address);
  allocations_.clear();
}

const ptx::Function* Module::function(const std::string& name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &source_.functions[found->second];
}

const VariableFacts* Module::variable(const std::string& name) const {
  const auto found = variable_index_.find(name);
  return found == variable_index_.end() ? nullptr : &variables_[found->second];
}

u64 Module::function_address(const std::string& name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? 0 : kFunctionWindow + (u64{id_} << 24) + (u64{found->second} + 1) * 16;
}

void Module::place_variables(const ManagedAllocator& managed) {
  const auto place_all = [&](const std::vector<ptx::Variable>& list) {
    for (const ptx::Variable& variable : list) {
      if (variable.space == ptx::Space::kGlobal || variable.space == ptx::Space::kConst)
        place(variable, managed);
    }
  };
  place_all(source_.variables);
  for (const ptx::Function& function : source_.functions) place_all(function.variables);
  const auto initialise_all = [&](const std::vector<ptx::Variable>& list) {
    for (const ptx::Variable& variable : list)
      if (variable_index_.contains(variable.name)) initialise(variable);
  };
  initialise_all(source_.variables);
  for (const ptx::Function& function : source_.functions) initialise_all(function.variables);
}

void Module::place(const ptx::Variable& variable, const ManagedAllocator& managed) {
  if (variable.is_extern || variable_index_.contains(variable.name)) return;
  VariableFacts facts{.name = variable.name, .bytes = variable.bytes};
  facts.constant = variable.space == ptx::Space::kConst;
  facts.managed = variable.is_managed && managed != nullptr;
  if (facts.constant) constant_bytes_ += variable.bytes;
  if (constant_bytes_ > kMostConstantBytes)
    load_error(variable.at, "constant memory has 65536 bytes for a module, and with '" +
                                readable_name(variable.name) + "' this one has " +
                                std::to_string(constant_bytes_));
  if (facts.managed) {
    facts.address = managed(variable.bytes, variable.name);
  } else {
    facts.address = memory_.allocate(std::max<u64>(variable.bytes, 1),
                                     "variable '" + readable_name(variable.name) + "'", facts.constant);
    if (facts.address != 0) allocations_.push_back(facts.address);
  }
  if (facts.address == 0)
    load_error(variable.at, "no device memory left for variable '" + readable_name(variable.name) + "'");
  variable_index_.emplace(variable.name, static_cast<u32>(variables_.size()));
  variables_.push_back(facts);
}

u64 Module::address_of(const std::string& symbol, ptx::TextPosition at) const {
  if (const VariableFacts* facts = variable(symbol)) return facts->address;
  if (const u64 address = function_address(symbol)) return address;
  load_error(at, "undefined symbol '" + symbol + "' in an initial value");
}

void Module::initialise(const ptx::Variable& variable) {
  u8* memory = reinterpret_cast<u8*>(variables_[variable_index_.at(variable.name)].address);
  if (!variable.initial.empty()) std::memcpy(memory, variable.initial.data(), variable.initial.size());
  for (const ptx::Variable::Relocation& relocation : variable.relocations) {
    if (relocation.size > 8 || relocation.at + relocation.size > variable.bytes)
      load_error(variable.at, "an initial value of '" + variable.name + "' lies outside of it");
    const u64 value = (address_of(relocation.symbol, variable.at) + static_cast<u64>(relocation.addend)) >>
                      relocation.shift;
    std::memcpy(memory + relocation.at, &value, relocation.size);
  }
}

void Module::link(const std::vector<ElfKernel>& elf) {
  for (const ptx::Function& function : source_.functions) {
    if (!function.is_entry || !function.has_body) continue;
    const auto facts =
        std::find_if(elf.begin(), elf.end(), [&](const ElfKernel& k) { return k.name == function.name; });
    kernels_.push_back(link_kernel(*this, function, facts == elf.end() ? nullptr : &*facts));
  }
  // Nothing of the module can run: that is an error now.
  const auto cannot_run = [](const auto& kernel) { return !kernel->problem.empty(); };
  if (!kernels_.empty() && std::all_of(kernels_.begin(), kernels_.end(), cannot_run)) {
    UnknownInstruction error(kernels_.front()->problem);
    error.at = kernels_.front()->problem_at;
    throw error;
  }
}

}  // namespace roofline::sim
