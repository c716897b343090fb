// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "simulator/bind/function_builder.h"
#include "simulator/bind/module.h"
#include "simulator/ptx/load_error.h"

namespace roofline::sim {

namespace {

/// Registers that ptxas needs beyond the values alive at once: addresses, predicates, temporaries.
constexpr u32 kExtraRegisters = 8;

class KernelLinker final : public Symbols {
 public:
  KernelLinker(const Module& module, const ptx::Function& entry, const ElfKernel* elf, Kernel& kernel)
      : module_(module), entry_(entry), kernel_(kernel) {
    if (elf != nullptr && !elf->is_of_other_device) spills_ = elf->spills;
  }

  void link() {
    find_reachable();
    lay_out_shared();
    for (size_t i = 0; i < reachable_.size(); ++i) {
      Function& function = kernel_.functions.emplace_back();
      function.name = reachable_[i]->name;
      function.is_entry = i == 0;
      function.kernel = &kernel_;
      function.address = module_.function_address(function.name);
      kernel_.by_address[function.address] = &function;
    }
    for (u32 i = 0; i < reachable_.size(); ++i) {
      // A function that is only reached through pointers may never be called.
      const bool lenient = i >= called_;
      const size_t first = kernel_.info.size();
      FunctionBuilder builder(*reachable_[i], *this, kernel_, kernel_.functions[i], lenient);
      if (i == 0) builder.find_spills(spills_);
      builder.build();
      for (size_t at = first; at < kernel_.info.size(); ++at) kernel_.info[at].function = i;
    }
    for (Function& function : kernel_.functions)
      for (Instruction& in : function.code)
        if (!in.hidden || kernel_.info[in.index].is_spill) note_work(in, kernel_.info[in.index].cost);
    for (u32 i = 0; i < kernel_.info.size(); ++i)
      if (kernel_.info[i].traits.flow == Flow::kBranch) kernel_.branches.push_back(i);
  }

  std::optional<Variable> variable(const std::string& name) override {
    if (const auto found = shared_.find(name); found != shared_.end())
      return Variable{ptx::Space::kShared, found->second};
    if (const VariableFacts* facts = module_.variable(name))
      return Variable{facts->constant ? ptx::Space::kConst : ptx::Space::kGlobal, facts->address};
    return std::nullopt;
  }
  bool permutes_fragments() const override { return module_.permutes_fragments(); }
  bool is_optimised() const override { return !module_.source().is_debug; }
  u64 function_address(const std::string& name) override { return module_.function_address(name); }
  const Function* function(const std::string& name) override {
    const ptx::Function* target = module_.function(name);
    for (size_t i = 0; i < reachable_.size(); ++i)
      if (reachable_[i] == target) return &kernel_.functions[i];
    return nullptr;
  }

 private:
  /// What the warp's loop adds up.
  static void note_work(Instruction& in, const Cost& cost) {
    in.pipe = cost.pipe;
    in.work = cost.pipe == Pipe::kTensor ? u16{0} : static_cast<u16>(cost.pipe_slots());  // the device knows
  }
  void reach(const ptx::Function* function) {
    if (function == nullptr || !function->has_body) return;
    if (std::find(reachable_.begin(), reachable_.end(), function) == reachable_.end())
      reachable_.push_back(function);
  }

  void note_names(const ptx::Operand& operand) {
    if (!operand.name.empty()) names_.insert(operand.name);
    for (const ptx::Operand& element : operand.elements) note_names(element);
  }

  /// Direct callees, theirs, and so on; with an indirect call anywhere, every device function of the module.
  void find_reachable() {
    reach(&entry_);
    bool has_indirect = false;
    for (size_t i = 0; i < reachable_.size() || has_indirect; ++i) {
      if (i == reachable_.size()) {
        has_indirect = false;
        if (called_ == 0) called_ = i;
        for (const ptx::Function& function : module_.source().functions)
          if (!function.is_entry) reach(&function);
        if (i == reachable_.size()) break;
      }
      for (const ptx::Instruction& in : reachable_[i]->instructions) {
        for (const ptx::Operand& operand : in.operands) note_names(operand);
        if (!in.call) continue;
        for (const ptx::Operand& argument : in.call->arguments) note_names(argument);
        if (in.call->target.kind == ptx::Operand::Kind::kSymbol) {
          reach(module_.function(in.call->target.name));
        } else if (called_ == 0) {
          has_indirect = true;
        }
      }
    }
    if (called_ == 0) called_ = reachable_.size();
  }

  void lay_out_shared() {
    u64 end = 0;
    const auto align = [&](u64 alignment) { end = (end + alignment - 1) / alignment * alignment; };
    std::vector<const ptx::Variable*> dynamic;
    const auto place = [&](const ptx::Variable& variable) {
      if (variable.space != ptx::Space::kShared || shared_.contains(variable.name)) return;
      if (variable.is_extern || variable.bytes == 0) {
        dynamic.push_back(&variable);
        return;
      }
      align(std::max<u64>(variable.alignment, 1));
      shared_[variable.name] = end;
      end += variable.bytes;
    };
    for (const ptx::Variable& variable : module_.source().variables)
      if (names_.contains(variable.name)) place(variable);
    for (const ptx::Function* function : reachable_)
      for (const ptx::Variable& variable : function->variables) place(variable);
    u64 alignment = 1;
    for (const ptx::Variable* variable : dynamic) alignment = std::max<u64>(alignment, variable->alignment);
    if (!dynamic.empty()) align(std::max<u64>(alignment, 16));
    for (const ptx::Variable* variable : dynamic) shared_[variable->name] = end;
    kernel_.static_shared_bytes = end;
  }

  const Module& module_;
  const ptx::Function& entry_;
  std::span<const Spill> spills_;
  Kernel& kernel_;
  std::vector<const ptx::Function*> reachable_;
  size_t called_ = 0;  ///< so many of them are called directly, the entry among them
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, u64> shared_;
};

u32 threads_of(const u32 (&extent)[3]) {
  return extent[0] == 0 ? 0 : extent[0] * std::max(extent[1], 1u) * std::max(extent[2], 1u);
}

void fill_resources(Kernel& kernel, const ptx::Function& entry, const ElfKernel* elf) {
  KernelResources& resources = kernel.resources;
  const u32 bound = std::max(threads_of(entry.max_threads), threads_of(entry.required_threads));
  resources.max_threads = bound;
  resources.static_shared_bytes = kernel.static_shared_bytes;
  resources.local_bytes = kernel.entry().local_bytes;
  if (elf != nullptr && !elf->is_of_other_device) {
    resources.registers = elf->registers;
    resources.static_shared_bytes = std::max(elf->shared_bytes, kernel.static_shared_bytes);
    resources.local_bytes = elf->local_bytes;
    resources.spill_bytes = elf->spill_bytes;
    for (const Spill& spill : elf->spills)
      kernel.spilled_bytes = std::max<u64>(kernel.spilled_bytes, spill.place + spill.bytes);
    resources.barriers = elf->barriers;
    if (bound == 0) resources.max_threads = elf->max_threads;
    return;
  }
  resources.registers_estimated = true;
  u32 most = 0;
  for (const Function& function : kernel.functions) most = std::max(most, function.register_estimate);
  const u32 limit = bound == 0 ? 255 : std::min<u32>(255, 65536 / bound / 8 * 8);
  resources.registers =
      elf != nullptr ? elf->registers : std::clamp<u32>(most + kExtraRegisters, 16, std::max<u32>(limit, 16));
  for (const InstructionInfo& info : kernel.info) {
    const Gathers gathers = info.traits.gathers;
    if (gathers == Gathers::kBarrier || gathers == Gathers::kBarrierArrive) resources.barriers = 1;
  }
}

}  // namespace

std::unique_ptr<Kernel> link_kernel(const Module& module, const ptx::Function& entry, const ElfKernel* elf) {
  auto kernel = std::make_unique<Kernel>();
  kernel->name = entry.name;
  kernel->files = module.source().files;
  const Dim3 cluster{entry.cluster[0], std::max(entry.cluster[1], 1u), std::max(entry.cluster[2], 1u)};
  kernel->cluster = cluster.x == 0 ? Dim3{0, 0, 0} : cluster;
  try {
    KernelLinker(module, entry, elf, *kernel).link();
  } catch (const UnknownInstruction& unknown) {
    kernel->problem = unknown.what();
    kernel->problem_at = unknown.at;
  }
  fill_resources(*kernel, entry, elf);
  return kernel;
}

}  // namespace roofline::sim
