// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/capture.h"

#include <algorithm>

namespace roofline::sim::runtime {

Captures& Captures::instance() {
  static Captures* const captures = new Captures;
  return *captures;
}

CapturingStream* Captures::find(u32 stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

Capture* Captures::find_capture(u64 id) {
  const auto found = captures_.find(id);
  return found == captures_.end() ? nullptr : found->second.get();
}

Capture& Captures::begin(Runtime& runtime, cudaStream_t stream, u32 id, cudaStreamCaptureMode mode,
                         Graph* into) {
  auto capture = std::make_unique<Capture>();
  capture->id = ++last_id_;
  if (!into) capture->made = std::make_unique<Graph>();
  capture->graph = into ? into : capture->made.get();
  capture->graph->capturing = true;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = id;
  Capture& begun = *captures_.emplace(capture->id, std::move(capture)).first->second;
  join(runtime, stream, id, begun);
  return begun;
}

CapturingStream& Captures::join(Runtime& runtime, cudaStream_t stream, u32 id, Capture& capture) {
  const Stream* facts = runtime.find_stream(stream);
  const bool blocking = !facts || !(facts->flags & cudaStreamNonBlocking);
  return streams_[id] = {&capture, blocking, {}};
}

void Captures::end(Capture& capture) {
  capture.graph->capturing = false;
  std::erase_if(streams_, [&](const auto& entry) { return entry.second.capture == &capture; });
  captures_.erase(capture.id);
}

bool Captures::any_blocking() const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [](const auto& entry) { return entry.second.blocking; });
}

bool Captures::invalidate_blocking() {
  bool any = false;
  for (auto& [id, stream] : streams_)
    if (stream.blocking) any = stream.capture->invalid = true;
  return any;
}

bool Captures::invalidate_unsafe() {
  const cudaStreamCaptureMode mode = thread_capture_mode();
  bool any = false;
  for (auto& [id, capture] : captures_) {
    const bool own = capture->thread == std::this_thread::get_id();
    const bool forbids =
        mode != cudaStreamCaptureModeRelaxed &&
        ((own && capture->mode != cudaStreamCaptureModeRelaxed) ||
         (mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal));
    if (forbids) any = capture->invalid = true;
  }
  return any;
}

bool Captures::invalidate_all() {
  for (auto& [id, capture] : captures_) capture->invalid = true;
  return any();
}

bool Captures::is_joined(const Capture& capture) {
  std::unordered_set<const Node*> before;  // everything that the origin stream comes after
  std::vector<const Node*> open;
  for (const Edge& edge : find(capture.origin)->frontier) open.push_back(edge.from);
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!before.insert(node).second) continue;
    for (const Edge& edge : node->dependencies) open.push_back(edge.from);
  }
  for (const auto& [id, stream] : streams_)
    for (const Edge& edge : stream.frontier)
      if (stream.capture == &capture && !before.contains(edge.from)) return false;
  return true;
}

void Captures::clear() {
  streams_.clear();
  for (auto& [id, capture] : captures_) capture->graph->capturing = false;
  captures_.clear();
}

cudaStreamCaptureMode& thread_capture_mode() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

namespace {

StreamUse use_of(s64 id) {
  if (id < 0) return {cudaErrorInvalidResourceHandle};
  StreamUse use{cudaSuccess, static_cast<u32>(id)};
  Captures& captures = Captures::instance();
  if (!captures.any()) return use;
  use.capture = captures.find(use.id);
  if (use.capture && use.capture->capture->invalid) use.error = cudaErrorStreamCaptureInvalidated;
  // The legacy default stream would wait for streams whose work does not happen yet.
  if (use.id == 0 && captures.invalidate_blocking()) use.error = cudaErrorStreamCaptureImplicit;
  return use;
}

}  // namespace

StreamUse use_stream(Runtime& runtime, cudaStream_t stream) { return use_of(runtime.stream_id(stream)); }

StreamUse queue_on(Runtime& runtime, cudaStream_t stream) {
  StreamUse use = use_of(runtime.queue_id(stream));
  if (use.error != cudaSuccess || use.capture) return use;
  use.place = runtime.place_of(stream);
  use.pending = !HostFunctions::inside() && runtime.host_functions.pending(use.place);
  return use;
}

cudaError_t send(Runtime& runtime, const StreamUse& use, const std::function<cudaError_t(Runtime&)>& work,
                 u64* number) {
  if (number) *number = 0;
  if (!use.pending) return work(runtime);
  const auto step = [device = use.place.device, work] {
    Runtime& r = Runtime::instance();
    try {
      r.aim(device);
      if (const cudaError_t error = work(r); error != cudaSuccess) r.late_error = error;
    } catch (const ConnectionLost& lost) {
      r.late_error = connection_error(lost);
    }
    return true;
  };
  const u64 queued = runtime.host_functions.queue(use.place, step, use.after);
  if (number) *number = queued;
  return cudaSuccess;
}

cudaError_t await(Runtime& runtime, StreamUse& use, const AskWhetherOver& ask) {
  const bool asked = !use.pending;
  if (asked) {
    bool over = false;
    const channel::Status status = ask(runtime.connection(), over);
    if (status != channel::Status::kOk || over) return to_cuda(status);
  }
  runtime.host_functions.queue_wait(
      use.place,
      [device = use.place.device, ask] {
        Runtime& r = Runtime::instance();
        try {
          r.aim(device);
          bool over = false;
          const channel::Status status = ask(r.connection(), over);
          if (status != channel::Status::kOk) r.late_error = to_cuda(status);
          return status != channel::Status::kOk || over;
        } catch (const ConnectionLost& lost) {
          r.late_error = connection_error(lost);
          return true;
        }
      },
      asked);
  use.pending = true;
  return cudaSuccess;
}

void add_once(std::vector<Edge>& edges, const Edge& edge) {
  for (const Edge& each : edges)
    if (each.from == edge.from) return;
  edges.push_back(edge);
}

cudaError_t capture(const StreamUse& use, Work work) {
  CapturingStream& stream = *use.capture;
  Node& node = stream.capture->graph->add(std::move(work), std::move(stream.frontier));
  stream.frontier = {{&node, {}}};
  return cudaSuccess;
}

cudaError_t refuse_capture(const StreamUse& use) {
  use.capture->capture->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t wait_in_capture(Runtime& runtime, cudaStream_t stream, const StreamUse& use, const Event& event) {
  Captures& captures = Captures::instance();
  Capture* const theirs = event.capture ? captures.find_capture(event.capture) : nullptr;
  if (!use.capture) {
    if (!theirs) return cudaErrorCapturedEvent;  // the capture that it was recorded in is over
    if (theirs->invalid) return cudaErrorStreamCaptureInvalidated;
    // The legacy default stream cannot take part.
    if (use.id == 0) {
      theirs->invalid = true;
      return cudaErrorStreamCaptureImplicit;
    }
    captures.join(runtime, stream, use.id, *theirs).frontier = event.captured;
    return cudaSuccess;
  }
  Capture& mine = *use.capture->capture;
  if (theirs != &mine) {
    mine.invalid = true;
    if (!theirs) return cudaErrorStreamCaptureIsolation;
    theirs->invalid = true;
    return cudaErrorStreamCaptureMerge;
  }
  for (const Edge& edge : event.captured) add_once(use.capture->frontier, edge);
  return cudaSuccess;
}

cudaError_t query_stream(Runtime& runtime, cudaStream_t stream, u32& id) {
  const StreamUse use = use_stream(runtime, stream);
  id = use.id;
  if (use.error != cudaSuccess) return use.error;
  return use.capture ? refuse_capture(use) : cudaSuccess;
}

cudaError_t synchronizes_device(Runtime&) {
  return Captures::instance().invalidate_all() ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t unsafe_in_capture(Runtime&) {
  return Captures::instance().invalidate_unsafe() ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t query_event(const Event& event) {
  if (!event.capture) return cudaSuccess;
  if (Capture* capture = Captures::instance().find_capture(event.capture)) capture->invalid = true;
  return cudaErrorCapturedEvent;
}

}  // namespace roofline::sim::runtime
