// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The API of stream capture. What is captured and refused is decided in capture.cpp.
#include "simulator/runtime/capture.h"
#include "simulator/runtime/user_object.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

bool is_mode(cudaStreamCaptureMode mode) {
  return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}

/// Nodes of `graph` as dependencies; false when one of them is none.
bool edges_of(const Graph& graph, const cudaGraphNode_t* nodes, const cudaGraphEdgeData* data, size_t n,
              std::vector<Edge>& edges) {
  if (n && !nodes) return false;
  for (size_t i = 0; i < n; i++) {
    Node* node = LiveGraphs::instance().find(nodes[i]);
    if (!node || node->graph != &graph) return false;
    add_once(edges, {node, data ? data[i] : cudaGraphEdgeData{}});
  }
  return true;
}

cudaError_t begin(cudaStream_t stream, cudaStreamCaptureMode mode, cudaGraph_t into, bool given,
                  const cudaGraphNode_t* nodes, const cudaGraphEdgeData* data, size_t n) {
  return api([&](Runtime& r) {
    if (!is_mode(mode)) return cudaErrorInvalidValue;
    Graph* const graph = LiveGraphs::instance().find(into);
    if (given && !graph) return cudaErrorInvalidValue;
    std::vector<Edge> edges;
    if (graph && !edges_of(*graph, nodes, data, n, edges)) return cudaErrorInvalidValue;
    const s64 id = r.queue_id(stream);
    if (id < 0) return cudaErrorInvalidResourceHandle;
    if (id == 0) return cudaErrorStreamCaptureUnsupported;  // the legacy default stream
    Captures& captures = Captures::instance();
    if (captures.find(static_cast<u32>(id))) return cudaErrorIllegalState;
    captures.begin(r, stream, static_cast<u32>(id), mode, graph);
    captures.find(static_cast<u32>(id))->frontier = std::move(edges);
    return cudaSuccess;
  });
}

/// A question about a stream that does not count as its use.
cudaError_t look_at(Runtime& r, cudaStream_t stream, CapturingStream*& found) {
  const s64 id = r.queue_id(stream);
  if (id < 0) return cudaErrorInvalidResourceHandle;
  found = Captures::instance().find(static_cast<u32>(id));
  return id == 0 && Captures::instance().any_blocking() ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

cudaStreamCaptureStatus status_of(const CapturingStream* stream) {
  if (!stream) return cudaStreamCaptureStatusNone;
  return stream->capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return begin(stream, mode, nullptr, false, nullptr, nullptr, 0);
}
ROOFLINE_EXPORT cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return cudaStreamBeginCapture(per_thread(stream), mode);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* nodes, const cudaGraphEdgeData* data,
                                          size_t n, cudaStreamCaptureMode mode) {
  return begin(stream, mode, graph, true, nodes, data, n);
}
ROOFLINE_EXPORT cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                                               const cudaGraphNode_t* nodes,
                                                               const cudaGraphEdgeData* data, size_t n,
                                                               cudaStreamCaptureMode mode) {
  return cudaStreamBeginCaptureToGraph(per_thread(stream), graph, nodes, data, n, mode);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return api_with_objects([&](Runtime& r) {
    if (graph) *graph = nullptr;
    const s64 id = r.queue_id(stream);
    if (id < 0) return cudaErrorInvalidResourceHandle;
    Captures& captures = Captures::instance();
    const CapturingStream* found = captures.find(static_cast<u32>(id));
    if (!found) return cudaErrorIllegalState;
    Capture& capture = *found->capture;
    if (!graph && capture.made) return cudaErrorInvalidValue;  // the program's own graph it knows already
    if (capture.origin != static_cast<u32>(id)) {
      capture.invalid = true;
      return cudaErrorStreamCaptureUnmatched;
    }
    if (capture.mode != cudaStreamCaptureModeRelaxed && capture.thread != std::this_thread::get_id())
      return cudaErrorStreamCaptureWrongThread;
    const cudaError_t error = capture.invalid                ? cudaErrorStreamCaptureInvalidated
                              : !captures.is_joined(capture) ? cudaErrorStreamCaptureUnjoined
                                                             : cudaSuccess;
    if (error == cudaSuccess) {
      if (graph) *graph = handle(capture.graph);
      if (capture.made) LiveGraphs::instance().owned[capture.graph] = std::move(capture.made);
    }
    captures.end(capture);
    return error;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph) {
  return cudaStreamEndCapture(per_thread(stream), graph);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return api([&](Runtime& r) {
    CapturingStream* found = nullptr;
    if (!status) return cudaErrorInvalidValue;
    const cudaError_t error = look_at(r, stream, found);
    *status = status_of(found);
    return error;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamIsCapturing(per_thread(stream), status);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** nodes, const cudaGraphEdgeData** data,
                                     size_t* n) {
  return api([&](Runtime& r) {
    if (!status || (data && !nodes)) return cudaErrorInvalidValue;
    CapturingStream* found = nullptr;
    const cudaError_t error = look_at(r, stream, found);
    *status = status_of(found);
    if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return error;
    found->told_nodes.clear();
    found->told_edges.clear();
    for (const Edge& edge : found->frontier) {
      if (nodes && !data && !(edge.data == cudaGraphEdgeData{})) return cudaErrorLossyQuery;
      found->told_nodes.push_back(handle(edge.from));
      found->told_edges.push_back(edge.data);
    }
    if (id) *id = found->capture->id;
    if (graph) *graph = handle(found->capture->graph);
    if (nodes) *nodes = found->told_nodes.data();
    if (data) *data = found->told_edges.data();
    if (n) *n = found->told_nodes.size();
    return cudaSuccess;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream,
                                                          cudaStreamCaptureStatus* status,
                                                          unsigned long long* id, cudaGraph_t* graph,
                                                          const cudaGraphNode_t** nodes,
                                                          const cudaGraphEdgeData** data, size_t* n) {
  return cudaStreamGetCaptureInfo(per_thread(stream), status, id, graph, nodes, data, n);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData* data, size_t n, unsigned flags) {
  return api([&](Runtime& r) {
    if (flags > cudaStreamSetCaptureDependencies) return cudaErrorInvalidValue;
    CapturingStream* found = nullptr;
    if (const cudaError_t error = look_at(r, stream, found); error != cudaSuccess) return error;
    if (!found) return cudaErrorIllegalState;
    if (found->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    std::vector<Edge> edges;
    if (flags == cudaStreamAddCaptureDependencies) edges = found->frontier;
    if (!edges_of(*found->capture->graph, nodes, data, n, edges)) return cudaErrorInvalidValue;
    found->frontier = std::move(edges);
    return cudaSuccess;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream,
                                                                     cudaGraphNode_t* nodes,
                                                                     const cudaGraphEdgeData* data, size_t n,
                                                                     unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(per_thread(stream), nodes, data, n, flags);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (!mode || !is_mode(*mode)) return remember(cudaErrorInvalidValue);
  std::swap(*mode, thread_capture_mode());
  return cudaSuccess;
}
