// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/modules.h"

#include <algorithm>

#include "simulator/runtime/say.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

/// Their sizes fit a packet.
constexpr size_t kMostPiecesInAPacket = kMaxPacket / sizeof(u64) / 2;

}  // namespace

Module& Modules::add(std::span<const std::byte> image) {
  auto module = std::make_unique<Module>();
  module->image = image;
  module->number = next_number_++;
  Module& added = *module;
  modules_.emplace(&added, std::move(module));
  return added;
}

Module& Modules::add_copy(std::vector<std::byte> image) {
  Module& added = add({});
  added.owned = std::move(image);
  added.image = added.owned;
  return added;
}

void Modules::remove(Module& module, Connection* connection) {
  if (connection) {
    const u32 before = connection->selected();
    for (u32 gpu = 0; gpu < connection->gpus(); gpu++) {
      module.move_to(gpu);
      if (!module.tried || module.error != cudaSuccess) continue;
      connection->select(gpu);
      connection->call(UnloadModule{module.id});
    }
    connection->select(before);
  }
  for (const auto& kernel : module.kernels) handles_.erase(kernel.get());
  std::erase_if(stubs_, [&](const auto& entry) { return entry.second->module == &module; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second->module == &module; });
  modules_.erase(&module);
}

Kernel& Modules::add_kernel(Module& module, const std::string& name) {
  for (auto& known : module.kernels)
    if (known->name == name) return *known;
  Kernel& kernel = *module.kernels.emplace_back(std::make_unique<Kernel>());
  kernel.module = &module;
  kernel.name = name;
  handles_[&kernel] = &kernel;
  return kernel;
}

void Modules::add_variable(const void* host_variable, Module& module, const std::string& name,
                           void** managed_pointer) {
  auto variable = std::make_unique<DeviceVariable>(DeviceVariable{&module, name, managed_pointer});
  if (managed_pointer) module.managed.push_back(variable.get());
  variables_[host_variable] = std::move(variable);
}

const void* Modules::stub_of(const Kernel& kernel) const {
  for (const auto& [stub, each] : stubs_)
    if (each == &kernel) return stub;
  return nullptr;
}

Kernel* Modules::find_kernel(const void* function) const {
  if (const auto stub = stubs_.find(function); stub != stubs_.end()) return stub->second;
  if (const auto handle = handles_.find(function); handle != handles_.end()) return handle->second;
  return nullptr;
}

cudaError_t Modules::load(Module& module, Connection& connection) {
  module.move_to(connection.selected());
  if (module.tried) return module.error;
  module.tried = true;
  module.error = send(module, connection);
  if (module.error != cudaSuccess) return module.error;
  for (const auto& [name, facts] : module.variables)
    if (facts.managed) new_managed_.push_back(facts);
  for (DeviceVariable* variable : module.managed) {
    const auto facts = module.variables.find(variable->name);
    if (facts != module.variables.end())
      *variable->managed_pointer = reinterpret_cast<void*>(facts->second.address);
  }
  return cudaSuccess;
}

void Modules::load_all(Connection& connection) {
  std::map<u32, Module*> in_order;  // addresses must not depend on where the program's memory happens to lie
  for (const auto& [key, module] : modules_) in_order[module->number] = module.get();
  for (const auto& [number, module] : in_order) (void)load(*module, connection);
}

cudaError_t Modules::send(Module& module, Connection& connection) {
  LoadModule command;
  std::vector<std::span<const std::byte>> images{module.image};
  images.insert(images.end(), module.units.begin(), module.units.end());
  for (const auto& image : images) {
    command.bytes += image.size();
    if (!module.units.empty()) command.parts.push_back(image.size());
  }
  if (command.bytes > connection.staging_bytes() || images.size() > kMostPiecesInAPacket) {
    say("a module of " + std::to_string(command.bytes) + " bytes in " + std::to_string(images.size()) +
        " parts is larger than this simulator takes");
    return cudaErrorInvalidKernelImage;
  }
  std::byte* end = connection.staging();
  for (const auto& image : images) end = std::copy(image.begin(), image.end(), end);
  InStaging where;
  command.program_module = module.number;
  const Status status = connection.call(command, where);
  if (status != Status::kOk) return static_cast<cudaError_t>(status);
  Reader in({connection.staging(), where.bytes});
  LoadedModule loaded;
  in(loaded);
  if (!in.complete()) throw ConnectionLost("the simulated GPU's answer about a module is malformed");
  module.id = loaded.id;
  module.target = loaded.target;
  for (auto& function : loaded.functions) module.functions[function.facts.name] = std::move(function.facts);
  for (auto& variable : loaded.variables) module.variables[variable.facts.name] = std::move(variable.facts);
  return cudaSuccess;
}

cudaError_t Modules::resolve(Kernel& kernel, Connection& connection) {
  kernel.move_to(connection.selected());
  if (kernel.resolved) return cudaSuccess;
  if (const cudaError_t error = load(*kernel.module, connection); error != cudaSuccess) return error;
  const auto facts = kernel.module->functions.find(kernel.name);
  if (facts == kernel.module->functions.end()) {
    say("the program's PTX has no kernel named " + kernel.name);
    return cudaErrorInvalidDeviceFunction;
  }
  kernel.facts = facts->second;
  kernel.resolved = true;
  return cudaSuccess;
}

cudaError_t Modules::find_variable(const void* symbol, Connection& connection, VariableFacts& facts) {
  const auto variable = variables_.find(symbol);
  if (variable == variables_.end()) return find_managed(symbol, facts);
  Module& module = *variable->second->module;
  if (const cudaError_t error = load(module, connection); error != cudaSuccess) return error;
  const auto found = module.variables.find(variable->second->name);
  if (found == module.variables.end()) return cudaErrorInvalidSymbol;
  facts = found->second;
  return cudaSuccess;
}

/// Host code that names a managed variable means the variable itself: its address is the device's.
cudaError_t Modules::find_managed(const void* address, VariableFacts& facts) const {
  const auto look = [&](const ModuleState& state) {
    for (const auto& [name, known] : state.variables)
      if (known.managed && reinterpret_cast<const void*>(known.address) == address) facts = known;
  };
  facts.managed = false;
  for (const auto& [key, module] : modules_) {
    look(*module);
    for (const auto& [device, state] : module->elsewhere) look(state);
  }
  return facts.managed ? cudaSuccess : cudaErrorInvalidSymbol;
}

void Modules::forget_loaded(int device) {
  for (auto& [key, module] : modules_) {
    module->forget(static_cast<u32>(device));
    for (auto& kernel : module->kernels) kernel->forget(static_cast<u32>(device));
  }
}

}  // namespace roofline::sim::runtime
