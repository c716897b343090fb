// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/capture.h"
#include "simulator/runtime/launch_attributes.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

/// The facts of a stream handle; those of the default streams are constant.
cudaError_t facts_of(Runtime& r, cudaStream_t stream, Stream& facts) {
  const s64 id = r.queue_id(stream);
  if (id < 0) return cudaErrorInvalidResourceHandle;
  const Stream* found = r.find_stream(stream);
  facts = found ? *found : Stream{static_cast<u32>(id), cudaStreamDefault, 0, r.target()};
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return api([&](Runtime& r) {
    if (!stream || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
      return cudaErrorInvalidValue;
    *stream = r.add_stream(flags, clamped_priority(priority));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api([&](Runtime& r) {
    if (!r.find_stream(stream)) return cudaErrorInvalidResourceHandle;
    const StreamUse use = queue_on(r, stream);
    if (use.error != cudaSuccess) return use.error;
    // Others that take part may go before the capture ends: what they captured stays.
    if (use.capture && use.capture->capture->origin == use.id) return refuse_capture(use);
    return send(r, use, r.remove_stream(stream));
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api([&](Runtime& r) {
    u32 id = 0;
    if (const cudaError_t error = query_stream(r, stream, id); error != cudaSuccess) return error;
    const Status status = r.connection().call(Synchronize{Synchronize::Scope::kStream, id});
    r.pools.synchronized(r.target());
    r.connection().show_output();
    return to_cuda(status);
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return cudaStreamSynchronize(per_thread(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api([&](Runtime& r) {
    if (r.is_stream(stream) && r.host_functions.pending(r.place_of(stream))) return cudaErrorNotReady;
    u32 id = 0;
    if (const cudaError_t error = query_stream(r, stream, id); error != cudaSuccess) return error;
    StreamState state;
    const Status status = r.connection().call(QueryStream{id}, state);
    if (status != Status::kOk) return to_cuda(status);
    return state.done ? cudaSuccess : cudaErrorNotReady;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
  return cudaStreamQuery(per_thread(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return api([&](Runtime& r) {
    const Event* found = r.find_event(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (flags & ~static_cast<unsigned>(cudaEventWaitExternal)) return cudaErrorInvalidValue;
    StreamUse use = queue_on(r, stream);
    if (use.error != cudaSuccess) return use.error;
    const bool external = flags & cudaEventWaitExternal;
    if (use.capture && external) return capture(use, WaitCall{event, found->id});
    if (use.capture || found->capture) return wait_in_capture(r, stream, use, *found);
    if (!found->recorded && !found->shared) return cudaSuccess;
    if (!r.host_functions.done(found->queued)) {
      use.pending = true;
      use.after = found->queued;
    }
    return send(r, use, [command = WaitEvent{use.id, found->id}](Runtime& runtime) {
      runtime.connection().post(command);
      return cudaSuccess;
    });
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return cudaStreamWaitEvent(per_thread(stream), event, flags);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return api([&](Runtime& r) {
    Stream facts;
    if (!flags) return cudaErrorInvalidValue;
    const cudaError_t error = facts_of(r, stream, facts);
    if (error == cudaSuccess) *flags = facts.flags;
    return error;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned* flags) {
  return cudaStreamGetFlags(per_thread(stream), flags);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return api([&](Runtime& r) {
    Stream facts;
    if (!priority) return cudaErrorInvalidValue;
    const cudaError_t error = facts_of(r, stream, facts);
    if (error == cudaSuccess) *priority = facts.priority;
    return error;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int* priority) {
  return cudaStreamGetPriority(per_thread(stream), priority);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return api([&](Runtime& r) {
    Stream facts;
    if (!id) return cudaErrorInvalidValue;
    const cudaError_t error = facts_of(r, stream, facts);
    if (error == cudaSuccess) *id = facts.id + 1ull;
    return error;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id) {
  return cudaStreamGetId(per_thread(stream), id);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return api([&](Runtime& r) {
    Stream facts;
    if (!device) return cudaErrorInvalidValue;
    const cudaError_t error = facts_of(r, stream, facts);
    if (error == cudaSuccess) *device = facts.device;
    return error;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int* device) {
  return cudaStreamGetDevice(per_thread(stream), device);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = kLeastPriority;
  if (greatest) *greatest = kGreatestPriority;
  return cudaSuccess;
}
