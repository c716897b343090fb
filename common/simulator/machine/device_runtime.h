// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/machine/memory.h"
#include "simulator/program/device_work.h"
#include "simulator/program/function.h"

/// What kernels ask of the CUDA runtime on the device (dynamic parallelism, second interface).
namespace roofline::sim {

/// Numbers of cudaError_t that a call on the device may give.
enum class DeviceError : u32 {
  kNone = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInvalidConfiguration = 9,
  kLaunchPendingCountExceeded = 69,
  kInvalidDeviceFunction = 98,
  kInvalidDevice = 101,
  kInvalidResourceHandle = 400,
};

/// Handles that CUDA gives a meaning (cuda_device_runtime_api.h). Of the others, no kernel may use one that
/// was made elsewhere.
inline constexpr u64 kDefaultStreams = 2;  ///< 0, 1 and 2: the block's own stream
inline constexpr u64 kTailLaunch = 3, kFireAndForget = 4;

/// What the device knows and a kernel may ask for. A kernel is named by the address of its code.
class KernelTable {
 public:
  virtual ~KernelTable() = default;
  struct Entry {
    FunctionId id = 0;
    const Kernel* kernel = nullptr;
  };
  virtual std::optional<Entry> kernel_at(u64 address) const = 0;
  /// Empty when the launch is allowed, else why not.
  virtual std::string problem_of(const Launch& launch) const = 0;
  virtual u32 blocks_per_sm(FunctionId function, Dim3 block, u64 dynamic_shared_bytes) const = 0;
  /// Architecture of the PTX that a kernel comes from: 80 for compute_80.
  virtual u32 target_of(FunctionId function) const = 0;
  /// GPUs that the program has.
  virtual u32 gpus() const = 0;
  /// Address of a text in device memory, which stays there; 0 when there is no memory left.
  virtual u64 text(const std::string& text) = 0;
};

/// The calls of one grid. They only note what is to be done: all of it is done when the grid has ended, the
/// latest moment that CUDA allows, as a kernel cannot wait for what it launched. One thread at a time.
class DeviceRuntime {
 public:
  /// `waiting`: launches of other grids that have not begun; with those of this one they may be `limit`.
  DeviceRuntime(KernelTable& kernels, Memory& memory, u64 waiting, u64 limit)
      : kernels_(kernels), memory_(memory), waiting_(waiting), limit_(limit) {}
  ~DeviceRuntime();
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  /// Memory for the parameters of a launch, or the error that there is none.
  std::pair<u64, DeviceError> prepare(u64 function, Dim3 grid, Dim3 block, u32 dynamic_shared_bytes);
  /// The kernel whose launch was prepared there; nullptr: none, or it was launched already.
  const Kernel* prepared(u64 buffer) const;
  /// Whether an address is in memory for the parameters of a launch that is prepared.
  bool holds_arguments(u64 address) const;
  /// `block`: linear number of the one that calls, here and below.
  DeviceError launch(u64 buffer, u64 stream, u64 block);
  /// A copy or a fill.
  DeviceError enqueue(DeviceWork work, u64 stream, u64 block);

  u64 create_stream();
  DeviceError destroy_stream(u64 stream);
  u64 create_event();
  DeviceError destroy_event(u64 event);
  DeviceError record_event(u64 event, u64 stream, u64 block);
  DeviceError wait_event(u64 stream, u64 event, u64 block);

  /// The last error of a thread: each has its own.
  void set_error(u64 block, u32 thread, DeviceError error);
  DeviceError error_of(u64 block, u32 thread) const;
  DeviceError take_error(u64 block, u32 thread);

  const KernelTable& kernels() const { return kernels_; }
  u64 limit() const { return limit_; }
  u64 text(const std::string& text) { return kernels_.text(text); }
  /// Everything that was asked for, tail launches last.
  std::vector<DeviceWork> take();

 private:
  using Places = std::vector<size_t>;  ///< of work in list_
  /// What a stream's next work comes after; nullptr: there is no such stream.
  Places* order_of(u64 stream, u64 block);

  KernelTable& kernels_;
  Memory& memory_;
  const u64 waiting_, limit_;
  u64 launches_ = 0;
  struct Prepared {
    Launch launch;
    const Kernel* kernel = nullptr;
  };
  std::map<u64, Prepared> prepared_;  ///< by address of the parameters
  std::vector<DeviceWork> list_, tail_;
  std::map<u64, Places> streams_;        ///< that the grid made
  std::map<u64, Places> block_streams_;  ///< by block
  std::map<u64, Places> events_;
  std::map<std::pair<u64, u32>, DeviceError> errors_;  ///< by block and thread
};

}  // namespace roofline::sim
