// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Streams, and their capture into graphs.
#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

CUresult cuStreamCreate(CUstream* made, unsigned flags) {
  return make(Resource::kStream, made, [&] { return cudaStreamCreateWithFlags(made, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* made, unsigned flags, int priority) {
  return make(Resource::kStream, made, [&] { return cudaStreamCreateWithPriority(made, flags, priority); });
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  return unmake(u64(stream), [&] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }
CUresult cuStreamSynchronize(CUstream stream) {
  return in_context([&] { return cudaStreamSynchronize(given(stream)); });
}
CUresult cuStreamQuery(CUstream stream) {
  return in_context([&] { return cudaStreamQuery(given(stream)); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return in_context([&] { return cudaStreamWaitEvent(given(stream), event, flags); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return in_context([&] { return cudaStreamGetFlags(given(stream), flags); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return in_context([&] { return cudaStreamGetPriority(given(stream), priority); });
}
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return in_context([&] { return cudaStreamGetId(given(stream), id); });
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return in_context([&] { return cudaStreamGetDevice(given(stream), device); });
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return in_context([&] {
    int device = 0;
    if (!context) return cudaErrorInvalidValue;
    const cudaError_t error = cudaStreamGetDevice(given(stream), &device);
    if (error != cudaSuccess) return error;
    Context* const owner = Contexts::instance().owner_of(u64(stream));
    const bool is_default = u64(given(stream)) <= u64(CU_STREAM_PER_THREAD);
    *context = handle_of(owner        ? owner
                         : is_default ? current_context()
                                      : &Contexts::instance().primary_of(device));
    return cudaSuccess;
  });
}
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green) {
  if (green) *green = nullptr;
  return cuStreamGetCtx(stream, context);
}
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID id, CUstreamAttrValue* value) {
  return in_context([&] {
    return cudaStreamGetAttribute(given(stream), static_cast<cudaStreamAttrID>(id),
                                  reinterpret_cast<cudaStreamAttrValue*>(value));
  });
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID id, const CUstreamAttrValue* value) {
  return in_context([&] {
    return cudaStreamSetAttribute(given(stream), static_cast<cudaStreamAttrID>(id),
                                  reinterpret_cast<const cudaStreamAttrValue*>(value));
  });
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return in_context([&] { return cudaStreamCopyAttributes(given(to), given(from)); });
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return in_context(
      [&] { return cudaStreamBeginCapture(given(stream), static_cast<cudaStreamCaptureMode>(mode)); });
}
CUresult cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* nodes,
                                     const CUgraphEdgeData* data, size_t n, CUstreamCaptureMode mode) {
  return in_context([&] {
    return cudaStreamBeginCaptureToGraph(given(stream), graph, nodes,
                                         reinterpret_cast<const cudaGraphEdgeData*>(data), n,
                                         static_cast<cudaStreamCaptureMode>(mode));
  });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return in_context([&] { return cudaStreamEndCapture(given(stream), graph); });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return in_context([&] {
    return cudaStreamIsCapturing(given(stream), reinterpret_cast<cudaStreamCaptureStatus*>(status));
  });
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** nodes, const CUgraphEdgeData** data,
                                   size_t* n) {
  return in_context([&] {
    unsigned long long number = 0;
    const cudaError_t error =
        cudaStreamGetCaptureInfo(given(stream), reinterpret_cast<cudaStreamCaptureStatus*>(status), &number,
                                 graph, nodes, reinterpret_cast<const cudaGraphEdgeData**>(data), n);
    if (id) *id = number;
    return error;
  });
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** nodes, size_t* n) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, nullptr, n);
}
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* nodes,
                                              const CUgraphEdgeData* data, size_t n, unsigned flags) {
  return in_context([&] {
    return cudaStreamUpdateCaptureDependencies(given(stream), nodes,
                                               reinterpret_cast<const cudaGraphEdgeData*>(data), n, flags);
  });
}
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* nodes, size_t n, unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, nodes, nullptr, n, flags);
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return initialised(
      [&] { return cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)); });
}
