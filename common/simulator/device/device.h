// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/program/address_windows.h"
#include "simulator/program/counters.h"
#include "simulator/program/device_work.h"
#include "simulator/program/launch.h"
#include "simulator/program/memory_homes.h"
#include "simulator/program/others.h"
#include "simulator/program/shared_bytes.h"
#include "simulator/program/texture.h"
#include "simulator/program/thread_record.h"
#include "simulator/program/trap.h"
#include "simulator/timing/device_description.h"
#include "simulator/timing/kernel_model.h"

/// The simulated device: memory, modules, launches. Knows nothing of the CUDA runtime API; no call carries a
/// host pointer that outlives it. Device addresses are plain numbers; in the machine's own process the arena
/// is mapped at exactly these addresses, in the CUDA program's process nothing is.
namespace roofline::sim {

class Observer;       // machine/observer.h
class VirtualMemory;  // device/virtual_memory.h
class ManagedMemory;  // timing/managed_memory.h

struct LaunchResult {
  std::string kernel;
  KernelCounters counters;
  KernelResources resources;
  Occupancy occupancy;
  double cycles_in_time = 0;  ///< GridOutcome::cycles_in_time
  KernelTime time;
  std::string output;            ///< what printf and assert wrote, in block order
  std::optional<Trap> trap;      ///< the kernel did not finish
  std::vector<DeviceWork> work;  ///< what the kernel launched, the caller's to do; nothing after a trap
};

class Device {
 public:
  /// `threads`: host cores to use, 0: all; results do not depend on it. `mapped` is all devices' of a
  /// program, and outlives them; nullptr: nothing is mapped.
  Device(const DeviceDescription& description, unsigned threads, VirtualMemory* mapped = nullptr);
  ~Device();

  const DeviceDescription& description() const;

  /// 256-byte aligned; 0 when out of memory. `origin` goes into trap messages ("cudaMalloc at saxpy.cu:12",
  /// may be empty).
  u64 allocate(u64 bytes, const std::string& origin);
  /// False when `address` is not the start of a live allocation.
  bool release(u64 address);
  u64 free_bytes() const;
  /// The most memory in use at any time since this was asked last, within kernels too.
  u64 take_peak();
  /// As after memory that the host has filled: nothing of it is in L2.
  void empty_l2();
  /// Whose memory a device address shows, as all devices with the same virtual memory answer alike.
  const MemoryHomes& homes() const;
  /// Where other processes find the allocation around an address that has memory of its own; nothing where
  /// there is none such.
  std::optional<SharedBytes> bytes_of_allocation(u64 address) const;
  /// Another's, as in machine/imported_memory.h.
  u64 open_memory(int file, u64 offset, u64 bytes, const std::string& origin);
  bool close_memory(u64 address);
  void lose_memory(u64 address, const std::string& origin);
  /// Whether kernels of other processes use memory that this device's kernels use: atomic operations are then
  /// the host's, and a kernel that only waits may wait for another process.
  void set_shares_memory(bool shares);
  bool add_host_allocation(u64 address, u64 bytes, const std::string& origin);
  bool remove_host_allocation(u64 address);
  /// Lets kernels of this device touch the memory of `peer`, or no longer. Ends when either device does.
  void allow_peer(Device& peer, bool allow);

  /// `.managed` variables are host-visible: load_module asks `allocate` for the address of each (in the host
  /// window, already known as a host allocation; 0 when out of memory). Without an allocator they lie in
  /// device memory.
  void set_managed_allocator(std::function<u64(u64 bytes, const std::string& name)> allocate);

  /// Whether [address, address + bytes) lies inside one live allocation.
  bool is_valid(u64 address, u64 bytes) const;
  /// Start and size of the live allocation that holds `address`.
  std::optional<std::pair<u64, u64>> allocation_of(u64 address) const;
  /// What lies at an address, for a person: "inside the 64-byte allocation at ...", "a null pointer".
  std::string explain(u64 address, u64 bytes) const;
  /// Names who made the allocation that starts at `address` anew.
  void rename_allocation(u64 address, const std::string& origin);
  /// Fills an allocation from a file; false when that has fewer bytes.
  bool read_in(u64 address, u64 bytes, int file, u64 offset);
  /// Unchecked access to device or host-window memory inside this process.
  std::byte* at(u64 address);

  /// The number of a new texture or surface object, which is_sound.
  u64 add_texture(TextureObject object);
  /// False when there is no such object.
  bool remove_texture(u64 number);
  /// The number of a new value that conditional graph nodes look at and kernels set; 0 at first.
  u64 add_condition();
  void remove_condition(u64 number);
  /// False when there is no such value.
  bool set_condition(u64 number, u32 value);
  std::optional<u32> condition(u64 number) const;

  /// Throws LoadError.
  ModuleFacts load_module(const std::string& ptx, const std::vector<ElfKernel>& elf);
  /// The same for several translation units, which are linked first.
  ModuleFacts load_modules(const std::vector<std::string>& ptx, const std::vector<ElfKernel>& elf);
  void unload_module(ModuleId module);

  /// Modules loaded from now on lay wmma fragments out as no hardware does: programs that use only the
  /// interface cannot tell, others give wrong results.
  void set_permute_fragments(bool permute);

  /// Blocks whose order can matter (one waits for another, or adds floats to the same word) start with the
  /// last one from now on: CUDA promises no order, so a program's results may not depend on it. Clusters keep
  /// theirs.
  void set_shuffle_blocks(bool shuffled);
  /// See GridRunner.
  void set_blocks_at_ends(u64 blocks);

  /// Runs to completion. Launch-configuration errors are the caller's to check first (check_launch).
  /// `waiting`: launches by kernels that have not begun.
  /// `others`: go on while all its blocks wait for memory that somebody else may write; further launches may
  /// run meanwhile, if nobody observes (set_observer). nullptr: such a wait is a deadlock.
  LaunchResult launch(const Launch& launch, u64 waiting = 0, const LetOthersGoOn* others = nullptr);
  /// Whether a launch may ask others to go on; false for a function that is unknown.
  bool may_wait(FunctionId function) const;
  /// Empty when the kernel can run; otherwise the instruction that is missing, in a sentence.
  const std::string& load_problem(FunctionId function) const;
  /// Empty when the launch is allowed; otherwise the limit it breaks, in a sentence.
  std::string check_launch(const Launch& launch) const;
  Occupancy occupancy_of(FunctionId function, Dim3 block, u64 dynamic_shared_bytes) const;
  /// Raises the dynamic shared memory limit (cudaFuncAttributeMaxDynamicSharedMemorySize).
  bool set_max_dynamic_shared(FunctionId function, u64 bytes);
  void set_heap_bytes(u64 bytes);
  /// How many launches of kernels may wait to begin (cudaLimitDevRuntimePendingLaunchCount).
  void set_pending_launches(u64 launches);
  /// How many GPUs kernels are told of (cudaGetDeviceCount); 1 until it is set.
  void set_gpus(u32 gpus);
  /// Per-thread stack for local memory and calls; default 1024 bytes beyond what the function declares.
  void set_stack_bytes(u64 bytes);
  /// A kernel is stopped with TrapKind::kTimeout after this many wall seconds (0: never).
  void set_time_limit(double seconds);
  /// Pages that kernels touch are reported there; nullptr: nowhere.
  void set_managed_memory(ManagedMemory* managed);
  /// Shows every later launch to a check; nullptr: to none. Before the first launch.
  void set_observer(Observer* observer);
  /// One thread of a later launch is written down. Results, counters and times stay what they are.
  void follow(const ThreadRequest& request);
  /// What was written down so far; `found` is false while the launch has not come.
  const ThreadRecord& followed() const;
  /// Static facts for counters per source line.
  const std::vector<InstructionInfo>& instructions_of(FunctionId function) const;
  /// Name of the function that InstructionInfo::function numbers.
  std::string function_name(FunctionId kernel, u32 function) const;
  /// Path of a `.file` index of the function's module.
  std::string source_file(FunctionId function, u32 file) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace roofline::sim
