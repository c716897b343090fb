// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <thread>

#include "simulator/runtime/graph.h"
#include "simulator/runtime/runtime.h"

/// Stream capture, and the questions that every API function asks about it:
///
///     work in a stream          StreamUse use = use_stream(r, stream);     then, before anything is sent:
///                               if (use.capture) return capture(use, KernelCall{...});
///     stream is asked or waited for    if (error = query_stream(r, stream, id)) return error;
///     waits for the whole device       if (error = synchronizes_device(r)) return error;
///     cudaMalloc and other calls that a capture cannot see    if (error = unsafe_in_capture(r)) return
///     error;
namespace roofline::sim::runtime {

/// From cudaStreamBeginCapture to cudaStreamEndCapture.
struct Capture {
  u64 id = 0;
  Graph* graph = nullptr;
  std::unique_ptr<Graph> made;  ///< `graph`, unless it is the program's own (cudaStreamBeginCaptureToGraph)
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  u32 origin = 0;  ///< stream in which it began
  bool invalid = false;
};

/// A stream that takes part: what its next node will depend on.
struct CapturingStream {
  Capture* capture = nullptr;
  bool blocking = true;
  std::vector<Edge> frontier;
  /// What cudaStreamGetCaptureInfo pointed to.
  std::vector<cudaGraphNode_t> told_nodes = {};
  std::vector<cudaGraphEdgeData> told_edges = {};
};

/// All captures of the process. Callers hold the runtime's lock.
class Captures {
 public:
  static Captures& instance();
  bool any() const { return !captures_.empty(); }
  CapturingStream* find(u32 stream);
  Capture* find_capture(u64 id);
  Capture& begin(Runtime& runtime, cudaStream_t stream, u32 id, cudaStreamCaptureMode mode, Graph* into);
  /// A stream joins by waiting for an event of the capture.
  CapturingStream& join(Runtime& runtime, cudaStream_t stream, u32 id, Capture& capture);
  /// Forgets a capture and takes its streams out of it.
  void end(Capture& capture);
  bool any_blocking() const;
  /// Marks captures that use of the legacy default stream would depend on.
  bool invalidate_blocking();
  /// Marks captures that forbid unsafe calls in this thread.
  bool invalidate_unsafe();
  bool invalidate_all();
  /// Streams of a capture whose work the origin has not waited for.
  bool is_joined(const Capture& capture);
  void clear();

 private:
  std::unordered_map<u64, std::unique_ptr<Capture>> captures_;
  std::unordered_map<u32, CapturingStream> streams_;
  u64 last_id_ = 0;
};

/// This thread's attitude to unsafe calls (cudaThreadExchangeStreamCaptureMode).
cudaStreamCaptureMode& thread_capture_mode();

/// Adds a dependency unless there is one on the same node.
void add_once(std::vector<Edge>& edges, const Edge& edge);

/// How an operation may use a stream.
struct StreamUse {
  cudaError_t error = cudaSuccess;
  u32 id = 0;                          ///< the machine's number
  CapturingStream* capture = nullptr;  ///< the stream is being captured: nothing is sent
  bool pending = false;                ///< host functions come before it (queue_on)
  HostFunctions::Place place = {};     ///< likewise
  u64 after = 0;                       ///< what is sent also comes after this number of host_functions.h
};
/// Waits for the host functions that come before.
StreamUse use_stream(Runtime& runtime, cudaStream_t stream);
/// Does not wait for them: what is to be sent to the machine goes through send().
StreamUse queue_on(Runtime& runtime, cudaStream_t stream);
/// Does the work now, or when the host functions and waits before it are over; then its error is told by a
/// later call. `number`: set to its number among them, 0 when it is done.
cudaError_t send(Runtime& runtime, const StreamUse& use, const std::function<cudaError_t(Runtime&)>& work,
                 u64* number = nullptr);
/// Asks the machine whether a wait of the stream is over, which `over` is set to. Until it is, or cannot be
/// asked for, what follows in the stream is queued and it is asked again and again.
using AskWhetherOver = std::function<channel::Status(Connection& connection, bool& over)>;
cudaError_t await(Runtime& runtime, StreamUse& use, const AskWhetherOver& ask);
/// Makes an operation the next node of a captured stream.
cudaError_t capture(const StreamUse& use, Work work);
/// An operation that cannot be captured: invalidates the capture and gives the error.
cudaError_t refuse_capture(const StreamUse& use);

/// cudaStreamWaitEvent where the stream or the event belongs to a capture: the stream joins it.
cudaError_t wait_in_capture(Runtime& runtime, cudaStream_t stream, const StreamUse& use, const Event& event);

/// The number of a stream that is asked or waited for; a captured one cannot be.
cudaError_t query_stream(Runtime& runtime, cudaStream_t stream, u32& id);
cudaError_t synchronizes_device(Runtime& runtime);
cudaError_t unsafe_in_capture(Runtime& runtime);
/// Whether an event may be asked or waited for by the host.
cudaError_t query_event(const Event& event);

}  // namespace roofline::sim::runtime
