// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "simulator/runtime/array.h"
#include "simulator/runtime/connection.h"
#include "simulator/runtime/cuda.h"
#include "simulator/runtime/graph.h"
#include "simulator/runtime/host_functions.h"
#include "simulator/runtime/managed_ranges.h"
#include "simulator/runtime/memory_pool.h"
#include "simulator/runtime/modules.h"
#include "simulator/runtime/program_clock.h"
#include "simulator/runtime/registered_memory.h"
#include "simulator/runtime/sharing.h"

namespace roofline::sim::runtime {

/// What a cudaStream_t points to.
struct Stream {
  u32 id = 0;
  unsigned flags = 0;
  int priority = 0;
  int device = 0;
};

/// What a cudaEvent_t points to.
struct Event {
  u32 id = 0;
  unsigned flags = 0;
  bool recorded = false;
  bool shared = false;         ///< other processes may know it, and record it
  u64 capture = 0;             ///< it was last recorded in this capture (capture.h), 0: in none
  std::vector<Edge> captured;  ///< the work it stands for there
  int device = 0;
  u64 queued = 0;  ///< its record waits for host functions: its number there (host_functions.h)
};

/// Hints that a program gave about a stream, by attribute.
using StreamAttributes = std::map<cudaStreamAttrID, cudaStreamAttrValue>;

/// What a program may set about one device.
struct DeviceSettings {
  u64 stack_bytes = 1024, heap_bytes = u64{8} << 20, printf_bytes = u64{1} << 20, persisting_bytes = 0;
  unsigned flags = 0;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
  std::set<int> peers;          ///< whose memory its kernels may touch
  bool active = false;          ///< the runtime uses its primary context
  u32 pending_launches = 2048;  ///< that kernels may have asked for
};

/// The state of the CUDA runtime in one program. Every API function runs with the lock held (see api()).
class Runtime {
 public:
  static Runtime& instance();

  /// The machine, directed to this call's device; started at the first use. Throws ConnectionLost.
  Connection& connection();
  bool connected() const { return connection_ != nullptr; }
  const DeviceDescription& device() { return connection().device(); }
  int device_count() { return static_cast<int>(connection().gpus()); }
  bool is_device(int device) { return device >= 0 && device < device_count(); }

  /// The device that this call's commands go to: the thread's own at first (see api()).
  int target() const { return target_; }
  void aim(int device) { target_ = device; }
  int device_of_thread() const;
  /// A first call without a current context makes that of the device current.
  void use_primary_context();
  DeviceSettings& settings(int device);
  DeviceSettings& settings() { return settings(target_); }

  /// The machine's number of a stream handle, or -1 when it is not a live stream. Aims at the stream's device
  /// and waits for the host functions that come before what follows in the stream.
  s64 stream_id(cudaStream_t stream);
  /// The same without waiting: what follows must be queued behind them (capture.h, queue_on).
  s64 queue_id(cudaStream_t stream) { return number_of(stream); }
  Stream* find_stream(cudaStream_t stream);
  bool is_stream(cudaStream_t stream) { return number_of(stream) >= 0; }
  /// Where a live stream stands for host functions.
  HostFunctions::Place place_of(cudaStream_t stream);
  /// Sends what waits for words of memory are over for.
  void go_on();
  /// While races are checked a call waits for the host functions that it submitted: what they touch is then
  /// in order with the stream. One that waits for this very thread ends the watch of what host code touches.
  void wait_while_watching(cudaStream_t stream);
  cudaStream_t add_stream(unsigned flags, int priority);
  /// The handle is invalid at once; what is given back ends the stream in the machine.
  std::function<cudaError_t(Runtime&)> remove_stream(cudaStream_t stream);
  Event* find_event(cudaEvent_t event);
  cudaEvent_t add_event(unsigned flags);
  void remove_event(cudaEvent_t event);

  /// Destroys all state of this call's device.
  void reset();
  /// At the end of the program, after its own destructors.
  void end();

  std::mutex lock;
  HostFunctions host_functions{lock};
  Modules modules;
  MemoryPools pools;
  Arrays arrays;
  std::set<int> unseen_failures;         ///< devices that were told of failed calls, while memory is checked
  std::string refused_kernel;            ///< of the launch that fails, for the message
  cudaError_t late_error = cudaSuccess;  ///< of work that was queued behind a host function
  std::atomic<bool> ended = false;       ///< the program has: nothing is asked for any more
  bool forked = false;  ///< this process was forked from one that used the device: it has none
  std::vector<int> valid_devices{
      0};  ///< cudaSetValidDevices; the first is that of a thread that did not choose
  std::map<std::pair<int, u32>, StreamAttributes> stream_attributes;  ///< by device and number
  RegisteredMemory registered;
  OpenedMemories opened;
  ManagedRanges managed;
  /// Pinned and managed allocations: address to flags of cudaHostAlloc, or kManaged.
  struct HostAllocation {
    u64 bytes = 0;
    unsigned flags = 0;
    bool managed = false;
    bool variable = false;  ///< a managed variable
    int device = 0;         ///< whose reset frees it
  };
  std::map<u64, HostAllocation> host_allocations;
  /// The pinned or managed allocation or variable around an address, or nullptr.
  const std::pair<const u64, HostAllocation>* host_allocation(const void* p);

 private:
  Runtime();
  s64 number_of(cudaStream_t stream);
  u32 per_thread_stream();

  int target_ = 0;
  std::map<int, DeviceSettings> settings_;
  std::map<int, u32> generations_;  ///< by device: resets so far
  std::unique_ptr<Connection> connection_;
  bool eager_ = false;   ///< each device loads the program's code when it is first used
  std::set<int> begun_;  ///< devices that have
  std::unordered_map<cudaStream_t, std::unique_ptr<Stream>> streams_;
  std::unordered_map<cudaEvent_t, std::unique_ptr<Event>> events_;
  u32 next_stream_ = 1, next_event_ = 1;
};

/// What this thread's calls are for.
struct CurrentDevice {
  int device = -1;  ///< chosen by cudaSetDevice, or by a context that was made current; -1: none chosen
  const void* context =
      nullptr;        ///< one of the driver API's own (driver/); null: the device's primary context
  bool used = false;  ///< the runtime has made the primary context current by using it
};
CurrentDevice& current_device();

/// This thread's error, for cudaGetLastError.
cudaError_t& last_error();
/// Remembers an error of this thread and passes it on. That something is not ready is an answer, not an
/// error.
inline cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error() = error;
  return error;
}

/// Tells a machine that checks of a call that failed: nobody may ever ask. With the lock held.
void report_failure(Runtime& runtime, cudaError_t error) noexcept;

inline cudaError_t to_cuda(channel::Status status) { return static_cast<cudaError_t>(status); }

/// Says why the machine is not there, once, and gives the error to return.
cudaError_t connection_error(const ConnectionLost& error);

/// The frame of every API function that touches the runtime's state: takes the lock, aims at the thread's
/// device and keeps the error for cudaGetLastError.
template <class Body>
cudaError_t locked(Body&& body) noexcept {
  if (HostFunctions::inside()) return remember(cudaErrorNotPermitted);
  const CallOnClock on_clock;
  Runtime& runtime = Runtime::instance();
  std::lock_guard guard(runtime.lock);
  if (runtime.forked) return remember(cudaErrorInitializationError);
  try {
    runtime.aim(runtime.device_of_thread());
    const cudaError_t error = remember(body(runtime));
    if (error != cudaSuccess) report_failure(runtime, error);
    return error;
  } catch (const ConnectionLost& lost) {
    return remember(connection_error(lost));
  } catch (const std::bad_alloc&) {
    return remember(cudaErrorMemoryAllocation);
  }
}

/// The same for all but a few functions: answers with the sticky error after a kernel's fault, and with what
/// earlier commands came to.
template <class Body>
cudaError_t api(Body&& body) noexcept {
  return locked([&](Runtime& runtime) {
    const auto sticky = [&] {
      return runtime.connected() ? runtime.connection().sticky() : channel::Status::kOk;
    };
    if (const auto fault = sticky(); fault != channel::Status::kOk) return to_cuda(fault);
    runtime.use_primary_context();
    if (runtime.connected()) runtime.connection().call_begins();
    if (runtime.connected()) tell_host_time(runtime.connection());
    runtime.go_on();
    const cudaError_t error = body(runtime);
    runtime.go_on();
    if (runtime.connected()) runtime.connection().call_ends();
    if (const auto fault = sticky(); fault != channel::Status::kOk) return to_cuda(fault);
    if (!runtime.connected()) return error;
    if (runtime.late_error != cudaSuccess) return std::exchange(runtime.late_error, cudaSuccess);
    const auto deferred = runtime.connection().take_deferred();
    return deferred != channel::Status::kOk ? to_cuda(deferred) : error;
  });
}

/// The stream that a `_ptsz` function means by its default stream.
inline cudaStream_t per_thread(cudaStream_t stream) { return stream ? stream : cudaStreamPerThread; }

}  // namespace roofline::sim::runtime
