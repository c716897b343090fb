// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Events read virtual time: the machine knows when the recorded work ends, whatever the host's clock says.
#include <algorithm>

#include "simulator/runtime/capture.h"
#include "simulator/runtime/graph_work.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api([&](Runtime& r) {
    constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || (flags & ~known)) return cudaErrorInvalidValue;
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)) return cudaErrorInvalidValue;
    r.connection();
    *event = r.add_event(flags);
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api([&](Runtime& r) {
    if (!r.find_event(event)) return cudaErrorInvalidResourceHandle;
    r.remove_event(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return api([&](Runtime& r) {
    Event* found = r.find_event(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (flags & ~static_cast<unsigned>(cudaEventRecordExternal)) return cudaErrorInvalidValue;
    // The work before a record that other processes wait for must be carried out when this call returns.
    const bool shared = found->shared;
    const StreamUse use = shared ? use_stream(r, stream) : queue_on(r, stream);
    if (shared) found = r.find_event(event);  // it has waited
    if (!found) return cudaErrorInvalidResourceHandle;
    if (use.error != cudaSuccess) return use.error;
    // Event and stream must be of the same device.
    if (found->device != r.target()) return cudaErrorInvalidResourceHandle;
    if (use.capture && (flags & cudaEventRecordExternal)) {
      Work work;
      const cudaError_t error = make_record(r, event, work);
      return error == cudaSuccess ? capture(use, std::move(work)) : error;
    }
    if (use.capture) {
      found->capture = use.capture->capture->id;
      found->captured = use.capture->frontier;
      return cudaSuccess;
    }
    const RecordEvent command{found->id, use.id};
    (void)send(
        r, use,
        [command](Runtime& runtime) {
          runtime.connection().post(command);
          return cudaSuccess;
        },
        &found->queued);
    if (shared) r.connection().finish();
    found->recorded = true;
    found->capture = 0;
    found->captured.clear();
    return cudaSuccess;
  });
}
ROOFLINE_EXPORT cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream,
                                                          unsigned flags) {
  return cudaEventRecordWithFlags(event, per_thread(stream), flags);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
ROOFLINE_EXPORT cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, per_thread(stream), 0);
}

namespace {

/// What is left of an event while others may destroy it.
struct RecordedEvent {
  u32 id = 0;
  int device = 0;
};

}  // namespace

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api([&](Runtime& r) {
    const Event* found = r.find_event(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = query_event(*found); error != cudaSuccess) return error;
    if (!found->recorded && !found->shared) return cudaSuccess;
    const RecordedEvent recorded{found->id, found->device};
    r.host_functions.wait_for(found->queued);
    r.aim(recorded.device);
    const Status status = r.connection().call(Synchronize{Synchronize::Scope::kEvent, recorded.id});
    r.pools.synchronized(r.target());
    r.connection().show_output();
    return to_cuda(status);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api([&](Runtime& r) {
    const Event* found = r.find_event(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = query_event(*found); error != cudaSuccess) return error;
    if (!found->recorded && !found->shared) return cudaSuccess;
    if (!r.host_functions.done(found->queued)) return cudaErrorNotReady;
    r.aim(found->device);
    EventState state;
    const Status status = r.connection().call(QueryEvent{found->id}, state);
    if (status != Status::kOk) return to_cuda(status);
    return state.done ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api([&](Runtime& r) {
    if (!milliseconds) return cudaErrorInvalidValue;
    const Event *first = r.find_event(start), *second = r.find_event(end);
    if (!first || !second) return cudaErrorInvalidResourceHandle;
    for (const Event* event : {first, second})
      if (const cudaError_t error = query_event(*event); error != cudaSuccess) return error;
    if (!first->recorded || !second->recorded || first->device != second->device)
      return cudaErrorInvalidResourceHandle;
    r.aim(first->device);
    if ((first->flags | second->flags) & cudaEventDisableTiming) return cudaErrorInvalidResourceHandle;
    if (!r.host_functions.done(std::max(first->queued, second->queued))) return cudaErrorNotReady;
    EventState from, to;
    Status status = r.connection().call(QueryEvent{first->id}, from);
    if (status == Status::kOk) status = r.connection().call(QueryEvent{second->id}, to);
    if (status != Status::kOk) return to_cuda(status);
    if (!from.done || !to.done) return cudaErrorNotReady;
    *milliseconds = static_cast<float>((to.seconds - from.seconds) * 1e3);
    return cudaSuccess;
  });
}
