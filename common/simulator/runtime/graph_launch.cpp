// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Launches of executable graphs. The machine runs the nodes; where one needs the program (a host function,
// bytes of memory that only the program sees) the run stops, the program does its part and lets it go on.
#include <algorithm>
#include <cstring>
#include <utility>

#include "simulator/runtime/capture.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/graph_exec.h"
#include "simulator/runtime/graph_memory.h"
#include "simulator/runtime/launch_attributes.h"
#include "simulator/runtime/user_object.h"

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

/// One launch, which goes by what the executable graph was when it was launched.
struct Run {
  std::shared_ptr<GraphExec> exec;  ///< so that it lives until then
  u32 id = 0, stream = 0;
  s32 priority = 0;
  bool kept = false;  ///< the machine has been told to keep what the graph was
  bool begun = false;
  u64 served = 0;
  bool waits = false;     ///< for a word of memory, or a kernel does
  bool may_wait = false;  ///< kernels of it
  std::shared_ptr<const ProgramWork> program;
  bool needs_program() const { return may_wait || !program->empty(); }
};

/// The host may ask for the events that the graph records from now on, unless they were destroyed since.
void mark_recorded(Runtime& r, const GraphExec& exec, u64 queued) {
  for (const Node* node : exec.recorders) {
    const auto& call = std::get<RecordCall>(node->work);
    Event* const event = r.find_event(call.event);
    if (!event || event->id != call.id) continue;
    event->recorded = true;
    event->queued = queued;
    event->capture = 0;
    event->captured.clear();
  }
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

cudaError_t make_run(Runtime& r, const std::shared_ptr<GraphExec>& exec, const StreamUse& use, s32 priority,
                     Run& run) {
  if (r.target() != exec->device) return cudaErrorNotSupported;  // a stream of another device
  if (const cudaError_t error =
          launch_memory(*exec->graph, exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
      error != cudaSuccess)
    return error;
  if (exec->mapped.empty()) map_memory(*exec->graph, exec->mapped);
  if (r.host_functions.done(exec->queued)) exec->replaced.clear();
  static u32 last_run = 0;
  run.exec = exec;
  run.id = ++last_run;
  run.stream = use.id;
  run.priority = priority;
  run.may_wait = exec->may_wait;
  run.program = exec->program;
  return cudaSuccess;
}

/// Up to the next host function, which is given back, a wait that is not over, or the end.
cudaError_t advance(Runtime& r, Run& run, HostCall& next) {
  next = {};
  run.waits = false;
  r.aim(run.exec->device);
  if (!std::exchange(run.begun, true))
    r.connection().post(LaunchGraph{run.exec->id, run.stream, run.id, run.priority, run.kept});
  while (run.needs_program()) {
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
  return cudaSuccess;
}

/// The launch is over; the program may have destroyed the graph meanwhile. No call waits for the destructors
/// of its user objects.
void leave(Runtime& r, Run& run) {
  const bool last = run.exec.use_count() == 1;
  run.exec.reset();
  const auto destroy = [] {
    destroy_dead_objects();
    return true;
  };
  if (last) r.host_functions.submit({.device = -1}, destroy);
}

/// Begins a launch or goes on with it, in the thread of host functions, without the lock; `next` is the
/// function that it has come to. False: it waits in memory, or others must go on first.
bool go_on(Run& run, HostCall& next) {
  Runtime& r = Runtime::instance();
  bool over = false;
  while (!over) {
    if (next.function) {
      {
        const std::lock_guard guard(r.lock);
        r.host_functions.waits_no_more();
      }
      next.function(next.data);
      next = {};
    }
    const std::lock_guard guard(r.lock);
    if (r.host_functions.is_held_up() && !run.waits) return false;
    cudaError_t error = cudaSuccess;
    try {
      error = advance(r, run, next);
    } catch (const ConnectionLost& lost) {
      error = connection_error(lost);
    }
    if (error != cudaSuccess) r.late_error = error;
    if (error == cudaSuccess && run.waits) return false;
    over = error != cudaSuccess || !next.function;
    if (over) leave(r, run);
  }
  return true;
}

}  // namespace
}  // namespace roofline::sim::runtime

using namespace roofline::sim::runtime;

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return api_with_objects([&](Runtime& r) {
    const std::shared_ptr<GraphExec> found = share_exec(exec);
    if (!found) return cudaErrorInvalidValue;
    const bool others = tells_others(r, *found);
    const int target = r.target();
    if (others) r.host_functions.wait_for(found->queued);
    r.aim(target);  // another thread may have aimed elsewhere meanwhile
    const StreamUse use = others ? use_stream(r, stream) : queue_on(r, stream);
    if (use.capture) return refuse_capture(use);  // also when an earlier one has spoilt the capture already
    if (use.error != cudaSuccess) return use.error;
    Run run;
    if (const cudaError_t error = make_run(r, found, use, priority_of(r, stream), run); error != cudaSuccess)
      return error;
    // Launches of one executable graph come one after the other, whatever their streams.
    const bool pending = use.pending || !r.host_functions.done(found->queued);
    HostCall next;
    if (pending) {
      run.kept = true;
      r.connection().post(KeepGraph{found->id, run.id});
    } else {
      const cudaError_t error = advance(r, run, next);
      if (error != cudaSuccess || (!next.function && !run.waits)) {
        mark_recorded(r, *found, 0);
        if (error == cudaSuccess && others) r.connection().finish();
        return error;
      }
    }
    auto place = r.place_of(stream);
    place.alone = run.may_wait && r.connection().observed();
    const bool waits = run.waits;
    found->queued =
        r.host_functions.submit(place, [run = std::move(run), next]() mutable { return go_on(run, next); },
                                {.asked = waits, .sends = pending, .after = found->queued});
    mark_recorded(r, *found, found->queued);
    if (next.function) r.wait_while_watching(stream);
    if (others) {
      r.host_functions.wait_for(found->queued);
      r.aim(target);
      r.connection().finish();
    }
    return cudaSuccess;
  });
}
ROOFLINE_EXPORT cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
  return cudaGraphLaunch(exec, per_thread(stream));
}
