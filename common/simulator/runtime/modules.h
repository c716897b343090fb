// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/runtime/connection.h"
#include "simulator/runtime/cuda.h"

namespace roofline::sim::runtime {

struct Module;

/// State that every device has of its own. The object holds that of one device, the others' wait in
/// `elsewhere`.
template <class State>
struct PerDevice : State {
  u32 device = 0;
  std::map<u32, State> elsewhere;

  void move_to(u32 other) {
    if (other == device) return;
    elsewhere[device] = std::move(static_cast<State&>(*this));
    static_cast<State&>(*this) = std::move(elsewhere[other]);
    elsewhere.erase(other);
    device = other;
  }
  void forget(u32 other) {
    if (other == device)
      static_cast<State&>(*this) = State{};
    else
      elsewhere.erase(other);
  }
};

struct KernelState {
  bool resolved = false;  ///< facts are valid
  FunctionFacts facts;
  u64 max_dynamic_shared = 0;  ///< as raised by cudaFuncSetAttribute; 0: the device's default
  int carveout = -1;
  u32 required_cluster[3] = {0, 0, 0};
  bool non_portable_cluster = false;
  int cluster_policy = 0;
};

/// What a cudaKernel_t or cudaFunction_t points to. Its state is that of the device of the last resolve().
struct Kernel : PerDevice<KernelState> {
  Module* module = nullptr;
  std::string name;  ///< in the PTX
};

struct DeviceVariable {
  Module* module = nullptr;
  std::string name;
  void** managed_pointer = nullptr;  ///< where the program's host code keeps a managed variable's address
};

struct ModuleState {
  bool tried = false;
  cudaError_t error = cudaSuccess;  ///< of the attempt to load it
  u32 id = 0;
  std::map<std::string, FunctionFacts> functions;
  std::map<std::string, VariableFacts> variables;
};

/// One image that the program brought along: a translation unit's fat binary, or a library loaded at run
/// time. It is sent to a device at first use there. Its state is that of the device of the last load().
struct Module : PerDevice<ModuleState> {
  u32 number = 0;                ///< never used twice
  std::vector<std::byte> owned;  ///< of a library; a fat binary stays where the program has it
  std::span<const std::byte> image;
  std::vector<std::span<const std::byte>>
      units;       ///< with -rdc=true: images to be linked; `image` may be empty
  u32 target = 0;  ///< architecture of the PTX: 80 for compute_80
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<DeviceVariable*> managed;
};

/// Everything that was registered. Callers hold the runtime's lock.
class Modules {
 public:
  Module& add(std::span<const std::byte> image);
  Module& add_copy(std::vector<std::byte> image);
  void remove(Module& module, Connection* connection);
  bool contains(const Module* module) const { return modules_.contains(module); }

  Kernel& add_kernel(Module& module, const std::string& name);
  void add_stub(const void* host_function, Kernel& kernel) { stubs_[host_function] = &kernel; }
  /// The host function that stands for a kernel in the program's code, or nullptr.
  const void* stub_of(const Kernel& kernel) const;
  void add_variable(const void* host_variable, Module& module, const std::string& name,
                    void** managed_pointer);

  /// A kernel by host stub address or by handle; nullptr when it is neither.
  Kernel* find_kernel(const void* function) const;
  /// Sends the kernel's module to the machine if that was not done yet, and looks its facts up.
  cudaError_t resolve(Kernel& kernel, Connection& connection);
  cudaError_t load(Module& module, Connection& connection);
  /// Sends everything that was registered so far; what goes wrong is told when it is used.
  void load_all(Connection& connection);
  /// Address and size of a device variable, by the address of its host shadow.
  cudaError_t find_variable(const void* symbol, Connection& connection, VariableFacts& facts);
  /// Managed variables loaded since the last call.
  std::vector<VariableFacts> take_new_managed() { return std::exchange(new_managed_, {}); }
  /// The device was reset: everything must be sent to it again.
  void forget_loaded(int device);

 private:
  cudaError_t send(Module& module, Connection& connection);
  cudaError_t find_managed(const void* address, VariableFacts& facts) const;

  u32 next_number_ = 1;
  std::vector<VariableFacts> new_managed_;
  std::unordered_map<const Module*, std::unique_ptr<Module>> modules_;
  std::unordered_map<const void*, Kernel*> stubs_;
  std::unordered_map<const void*, Kernel*> handles_;
  std::unordered_map<const void*, std::unique_ptr<DeviceVariable>> variables_;
};

}  // namespace roofline::sim::runtime
