// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/machine/memory.h"
#include "simulator/program/function.h"
#include "simulator/program/launch.h"

namespace roofline::sim {

/// Host-window memory for `.managed` variables.
using ManagedAllocator = std::function<u64(u64 bytes, const std::string& name)>;

/// A loaded PTX module: its variables live in device memory, its kernels are bound.
class Module {
 public:
  /// Several texts are linked. Throws LoadError; nothing stays allocated then.
  Module(ModuleId id, const std::vector<std::string>& texts, const std::vector<ElfKernel>& elf,
         Memory& memory, const ManagedAllocator& managed, bool permute_fragments = false);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::vector<std::unique_ptr<Kernel>>& kernels() { return kernels_; }
  const std::vector<VariableFacts>& variables() const { return variables_; }
  const ptx::Module& source() const { return source_; }
  bool permutes_fragments() const { return permutes_fragments_; }

  /// For the linker of one kernel.
  const ptx::Function* function(const std::string& name) const;
  const VariableFacts* variable(const std::string& name) const;
  u64 function_address(const std::string& name) const;

 private:
  void place_variables(const ManagedAllocator& managed);
  void place(const ptx::Variable& variable, const ManagedAllocator& managed);
  void initialise(const ptx::Variable& variable);
  u64 address_of(const std::string& symbol, ptx::TextPosition at) const;
  void link(const std::vector<ElfKernel>& elf);
  void release();

  ModuleId id_;
  Memory& memory_;
  bool permutes_fragments_;
  ptx::Module source_;
  std::unordered_map<std::string, u32> functions_;
  u64 constant_bytes_ = 0;  ///< of the variables placed so far
  std::unordered_map<std::string, u32> variable_index_;
  std::vector<VariableFacts> variables_;
  std::vector<u64> allocations_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
};

/// Binds an entry function and everything it can reach.
std::unique_ptr<Kernel> link_kernel(const Module& module, const ptx::Function& entry, const ElfKernel* elf);

}  // namespace roofline::sim
