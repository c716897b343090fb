// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <mutex>
#include <unordered_map>

#include "simulator/runtime/connection.h"
#include "simulator/runtime/cuda.h"
#include "simulator/runtime/graph.h"
#include "simulator/runtime/modules.h"

namespace roofline::sim::runtime {

/// What a cudaStream_t points to.
struct Stream {
  u32 id = 0;
  unsigned flags = 0;
  int priority = 0;
};

/// What a cudaEvent_t points to.
struct Event {
  u32 id = 0;
  unsigned flags = 0;
  bool recorded = false;
  u64 capture = 0;             ///< it was last recorded in this capture (capture.h), 0: in none
  std::vector<Edge> captured;  ///< the work it stands for there
};

/// The state of the CUDA runtime in one program. Every API function runs with the lock held (see api()).
class Runtime {
 public:
  static Runtime& instance();

  /// The machine; started at the first use. Throws ConnectionLost.
  Connection& connection();
  bool connected() const { return connection_ != nullptr; }
  const DeviceDescription& device() { return connection().device(); }

  /// The machine's number of a stream handle, or -1 when it is not a live stream.
  s64 stream_id(cudaStream_t stream);
  Stream* find_stream(cudaStream_t stream);
  cudaStream_t add_stream(unsigned flags, int priority);
  void remove_stream(cudaStream_t stream);
  Event* find_event(cudaEvent_t event);
  cudaEvent_t add_event(unsigned flags);
  void remove_event(cudaEvent_t event);

  /// Destroys all state of the device.
  void reset();
  /// At the end of the program, after its own destructors.
  void end();

  std::mutex lock;
  Modules modules;
  bool forked = false;  ///< this process was forked from one that used the device: it has none
  u64 stack_bytes = 1024, heap_bytes = u64{8} << 20, printf_bytes = u64{1} << 20;
  unsigned device_flags = 0;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
  /// Registered host memory (cudaHostRegister), by address.
  std::map<u64, u64> registered;
  /// Pinned and managed allocations: address to flags of cudaHostAlloc, or kManaged.
  struct HostAllocation {
    u64 bytes = 0;
    unsigned flags = 0;
    bool managed = false;
  };
  std::map<u64, HostAllocation> host_allocations;

 private:
  Runtime();
  u32 per_thread_stream();

  std::unique_ptr<Connection> connection_;
  std::unordered_map<cudaStream_t, std::unique_ptr<Stream>> streams_;
  std::unordered_map<cudaEvent_t, std::unique_ptr<Event>> events_;
  u32 next_stream_ = 1, next_event_ = 1, generation_ = 0;
};

/// This thread's error, for cudaGetLastError.
cudaError_t& last_error();
/// Remembers an error of this thread and passes it on.
inline cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error() = error;
  return error;
}

inline cudaError_t to_cuda(channel::Status status) { return static_cast<cudaError_t>(status); }

/// Says why the machine is not there, once, and gives the error to return.
cudaError_t connection_error(const ConnectionLost& error);

/// The frame of every API function that touches the runtime's state: takes the lock, answers with the sticky
/// error after a kernel's fault, and keeps the error for cudaGetLastError.
template <class Body>
cudaError_t api(Body&& body) noexcept {
  Runtime& runtime = Runtime::instance();
  std::lock_guard guard(runtime.lock);
  if (runtime.forked) return remember(cudaErrorInitializationError);
  try {
    if (runtime.connected() && runtime.connection().sticky() != channel::Status::kOk)
      return remember(to_cuda(runtime.connection().sticky()));
    if (runtime.connected()) runtime.connection().call_begins();
    const cudaError_t error = body(runtime);
    if (runtime.connected()) {
      runtime.connection().call_ends();
      if (const auto sticky = runtime.connection().sticky(); sticky != channel::Status::kOk)
        return remember(to_cuda(sticky));
      if (const auto deferred = runtime.connection().take_deferred(); deferred != channel::Status::kOk)
        return remember(to_cuda(deferred));
    }
    return remember(error);
  } catch (const ConnectionLost& lost) {
    return remember(connection_error(lost));
  } catch (const std::bad_alloc&) {
    return remember(cudaErrorMemoryAllocation);
  }
}

/// The stream that a `_ptsz` function means by its default stream.
inline cudaStream_t per_thread(cudaStream_t stream) { return stream ? stream : cudaStreamPerThread; }

}  // namespace roofline::sim::runtime
