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

/// What a cudaKernel_t or cudaFunction_t points to.
struct Kernel {
  Module* module = nullptr;
  std::string name;       ///< in the PTX
  bool resolved = false;  ///< facts are valid
  FunctionFacts facts;
  u64 max_dynamic_shared = 0;  ///< as raised by cudaFuncSetAttribute; 0: the device's default
  int carveout = -1;
};

struct DeviceVariable {
  Module* module = nullptr;
  std::string name;
  void** managed_pointer = nullptr;  ///< where the program's host code keeps a managed variable's address
};

/// One image that the program brought along: a translation unit's fat binary, or a library loaded at run
/// time. It is sent to the machine at first use.
struct Module {
  std::vector<std::byte> owned;  ///< of a library; a fat binary stays where the program has it
  std::span<const std::byte> image;
  std::vector<std::span<const std::byte>>
      units;  ///< with -rdc=true: images to be linked; `image` may be empty
  bool tried = false;
  cudaError_t error = cudaSuccess;  ///< of the attempt to load it
  u32 id = 0;
  u32 target = 0;  ///< architecture of the PTX: 80 for compute_80
  std::map<std::string, FunctionFacts> functions;
  std::map<std::string, VariableFacts> variables;
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
  void add_variable(const void* host_variable, Module& module, const std::string& name,
                    void** managed_pointer);

  /// A kernel by host stub address or by handle; nullptr when it is neither.
  Kernel* find_kernel(const void* function) const;
  /// Sends the kernel's module to the machine if that was not done yet, and looks its facts up.
  cudaError_t resolve(Kernel& kernel, Connection& connection);
  cudaError_t load(Module& module, Connection& connection);
  /// Address and size of a device variable, by the address of its host shadow.
  cudaError_t find_variable(const void* symbol, Connection& connection, VariableFacts& facts);
  /// The device was reset: everything must be sent again.
  void forget_loaded();

 private:
  cudaError_t send(Module& module, Connection& connection);
  cudaError_t find_managed(const void* address, VariableFacts& facts) const;

  std::unordered_map<const Module*, std::unique_ptr<Module>> modules_;
  std::unordered_map<const void*, Kernel*> stubs_;
  std::unordered_map<const void*, Kernel*> handles_;
  std::unordered_map<const void*, std::unique_ptr<DeviceVariable>> variables_;
};

}  // namespace roofline::sim::runtime
