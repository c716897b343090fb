// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Launches of executable graphs. The machine runs the nodes; where one needs the program (a host function,
// bytes of memory that only the program sees) the run stops, the program does its part and lets it go on.
#include <algorithm>
#include <cstring>

#include "simulator/runtime/capture.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/graph_exec.h"
#include "simulator/runtime/graph_memory.h"
#include "simulator/runtime/launch_attributes.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

/// Calls `each(row's part in the program's memory, n)` for packed bytes [offset, offset + bytes) of one end
/// of a copy.
template <class Each>
void for_rows(const CopyRequest& q, const void* base, u64 pitch, u64 slice, u64 offset, u64 bytes,
              Each&& each) {
  while (bytes) {
    const u64 row = offset / q.width, column = offset % q.width, n = std::min<u64>(bytes, q.width - column);
    auto* const start = static_cast<std::byte*>(const_cast<void*>(base));
    each(start + row / q.height * slice + row % q.height * pitch + column, n);
    offset += n;
    bytes -= n;
  }
}

/// The program's part of a copy at which the run stopped.
void serve_copy(Connection& connection, const CopyRequest& q, const GraphStop& stop) {
  std::byte* staging = connection.staging();
  if (is_device_address(q.to) || is_window_address(q.to)) {
    for_rows(q, q.from, q.from_pitch, q.from_slice, stop.offset, stop.bytes, [&](std::byte* from, u64 n) {
      std::memcpy(staging, from, n);
      staging += n;
    });
  } else if (is_device_address(q.from) || is_window_address(q.from)) {
    for_rows(q, q.to, q.to_pitch, q.to_slice, stop.offset, stop.bytes, [&](std::byte* to, u64 n) {
      std::memcpy(to, staging, n);
      staging += n;
    });
  } else {
    for (u64 z = 0; z < q.depth; z++)
      for (u64 y = 0; y < q.height; y++)
        std::memcpy(static_cast<std::byte*>(q.to) + z * q.to_slice + y * q.to_pitch,
                    static_cast<const std::byte*>(q.from) + z * q.from_slice + y * q.from_pitch, q.width);
  }
}

/// One launch under way.
struct Run {
  u32 id = 0;
  int device = 0;
  u64 served = 0;
  bool waits = false;     ///< for a word of memory, or a kernel does
  bool may_wait = false;  ///< kernels of it
  std::vector<RecordCall> records;
  std::shared_ptr<const ProgramWork> program;
  bool needs_program() const { return may_wait || !program->empty(); }
};

/// The host may ask for the event from now on, unless it was destroyed since.
void mark_recorded(Runtime& r, const RecordCall& call, u64 queued) {
  Event* const event = r.find_event(call.event);
  if (!event || event->id != call.id) return;
  event->recorded = true;
  event->queued = queued;
  event->capture = 0;
  event->captured.clear();
}

/// Whether other processes may wait for a record of the graph. What comes before it must be carried out when
/// the launch returns, as with a record in a stream.
bool tells_others(Runtime& r, const GraphExec& exec) {
  return std::ranges::any_of(exec.recorders, [&](const Node* node) {
    const auto& call = std::get<RecordCall>(node->work);
    const Event* const event = r.find_event(call.event);
    return event && event->id == call.id && event->shared;
  });
}

cudaError_t begin(Runtime& r, cudaGraphExec_t exec, cudaStream_t stream, Run& run) {
  GraphExec* const found = find_exec(exec);
  if (!found) return cudaErrorInvalidValue;
  const StreamUse use = use_stream(r, stream);
  if (use.capture) return refuse_capture(use);  // also when an earlier one has spoilt the capture already
  if (use.error != cudaSuccess) return use.error;
  if (r.target() != found->device) return cudaErrorNotSupported;  // a stream of another device
  if (const cudaError_t error =
          launch_memory(*found->graph, found->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
      error != cudaSuccess)
    return error;
  if (found->mapped.empty()) map_memory(*found->graph, found->mapped);
  static u32 last_run = 0;
  run.id = ++last_run;
  run.device = found->device;
  r.connection().post(LaunchGraph{found->id, use.id, run.id, priority_of(r, stream)});
  for (const Node* node : found->recorders) run.records.push_back(std::get<RecordCall>(node->work));
  for (const RecordCall& each : run.records) mark_recorded(r, each, 0);
  run.program = found->program;
  run.may_wait = found->may_wait;
  return cudaSuccess;
}

/// Up to the next host function, which is given back, a wait that is not over, or the end.
cudaError_t advance(Runtime& r, Run& run, HostCall& next) {
  next = {};
  run.waits = false;
  r.aim(run.device);
  while (true) {
    GraphStop stop;
    const Status status = r.connection().call(ResumeGraph{run.id, run.served}, stop);
    if (status != Status::kOk) return to_cuda(status);
    run.waits = stop.waits;
    if (stop.waits) return cudaSuccess;
    const auto work = run.program->find(stop.node);
    if (stop.done || work == run.program->end()) return cudaSuccess;
    run.served++;
    if (const auto* host = std::get_if<HostCall>(&work->second)) {
      next = *host;
      r.connection().show_output();
      return cudaSuccess;
    }
    if (std::holds_alternative<WordsCall>(work->second)) {
      run.waits = true;
      return cudaSuccess;
    }
    serve_copy(r.connection(), std::get<CopyRequest>(work->second), stop);
  }
}

/// Calls host functions and goes on, in the thread of host functions, without the lock. False: the run waits
/// in memory.
bool finish(Run& run, HostCall& next) {
  Runtime& runtime = Runtime::instance();
  do {
    if (next.function) {
      {
        std::lock_guard guard(runtime.lock);
        runtime.host_functions.waits_no_more();
      }
      next.function(next.data);
      next = {};
    }
    std::lock_guard guard(runtime.lock);
    if (runtime.host_functions.is_held_up() && !run.waits) return false;
    try {
      if (advance(runtime, run, next) != cudaSuccess) return true;
    } catch (const ConnectionLost& lost) {
      (void)connection_error(lost);
      return true;
    }
  } while (next.function);
  return !run.waits;
}

/// A launch behind host functions, in their thread; the same.
bool launch_later(cudaGraphExec_t exec, cudaStream_t stream, Run& run, HostCall& next) {
  Runtime& r = Runtime::instance();
  if (run.id == 0) {
    std::lock_guard guard(r.lock);
    try {
      cudaError_t error = begin(r, exec, stream, run);
      if (error == cudaSuccess && run.needs_program()) error = advance(r, run, next);
      if (error != cudaSuccess) r.late_error = error;
      if (error != cudaSuccess || (!next.function && !run.waits)) return true;
    } catch (const ConnectionLost& lost) {
      r.late_error = connection_error(lost);
      return true;
    }
    if (run.waits) return false;
  }
  return finish(run, next);
}

}  // namespace
}  // namespace roofline::sim::runtime

using namespace roofline::sim::runtime;

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return api([&](Runtime& r) {
    // The thread of host functions has a default stream of its own.
    const GraphExec* const found = find_exec(exec);
    const bool others = found != nullptr && tells_others(r, *found);
    const bool may_queue = stream != cudaStreamPerThread && found != nullptr && !others;
    if (const StreamUse use = may_queue ? queue_on(r, stream) : StreamUse{}; use.pending) {
      if (r.target() != find_exec(exec)->device) return cudaErrorNotSupported;
      auto place = use.place;
      place.alone = found->may_wait && r.connection().observed();
      r.host_functions.submit(place,
                              [exec, stream, run = Run{}, next = HostCall{}]() mutable {
                                return launch_later(exec, stream, run, next);
                              },
                              {.sends = true});
      return cudaSuccess;
    }
    Run run;
    HostCall next;
    cudaError_t error = begin(r, exec, stream, run);
    if (error == cudaSuccess && run.needs_program()) error = advance(r, run, next);
    if (error != cudaSuccess || (!next.function && !run.waits)) {
      if (error == cudaSuccess && others) r.connection().finish();
      return error;
    }
    auto place = r.place_of(stream);
    place.alone = run.may_wait && r.connection().observed();
    const roofline::sim::u64 queued = r.host_functions.submit(
        place, [run, next]() mutable { return finish(run, next); }, {.asked = run.waits});
    for (const RecordCall& each : run.records) mark_recorded(r, each, queued);
    if (next.function) r.wait_while_watching(stream);
    if (others) {
      r.host_functions.wait_for(queued);
      r.aim(run.device);
      r.connection().finish();
    }
    return cudaSuccess;
  });
}
ROOFLINE_EXPORT cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
  return cudaGraphLaunch(exec, per_thread(stream));
}
