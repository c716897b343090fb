// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/runtime.h"

#include <pthread.h>

#include "simulator/runtime/capture.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::runtime {

using namespace channel;

Runtime::Runtime() {
  pthread_atfork(nullptr, nullptr, [] {
    Runtime& runtime = instance();
    runtime.forked = runtime.connection_ != nullptr;
  });
}

Runtime& Runtime::instance() {
  // Never destroyed: programs call CUDA from their own static destructors.
  static Runtime* const runtime = new Runtime;
  return *runtime;
}

Connection& Runtime::connection() {
  if (!connection_) connection_ = std::make_unique<Connection>();
  return *connection_;
}

u32 Runtime::per_thread_stream() {
  thread_local u32 id = 0, of_generation = 0;
  if (id == 0 || of_generation != generation_) {
    id = next_stream_++;
    of_generation = generation_;
    connection().post(CreateStream{id, false});
  }
  return id;
}

Stream* Runtime::find_stream(cudaStream_t stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second.get();
}

s64 Runtime::stream_id(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return 0;
  if (stream == cudaStreamPerThread) return per_thread_stream();
  const Stream* found = find_stream(stream);
  return found ? s64{found->id} : -1;
}

cudaStream_t Runtime::add_stream(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>(Stream{next_stream_++, flags, priority});
  connection().post(CreateStream{stream->id, (flags & cudaStreamNonBlocking) != 0});
  const auto handle = reinterpret_cast<cudaStream_t>(stream.get());
  streams_.emplace(handle, std::move(stream));
  return handle;
}

void Runtime::remove_stream(cudaStream_t stream) {
  connection().post(DestroyStream{find_stream(stream)->id});
  streams_.erase(stream);
}

Event* Runtime::find_event(cudaEvent_t event) {
  const auto found = events_.find(event);
  return found == events_.end() ? nullptr : found->second.get();
}

cudaEvent_t Runtime::add_event(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->id = next_event_++;
  event->flags = flags;
  const auto handle = reinterpret_cast<cudaEvent_t>(event.get());
  events_.emplace(handle, std::move(event));
  return handle;
}

void Runtime::remove_event(cudaEvent_t event) { events_.erase(event); }

void Runtime::reset() {
  if (connected()) {
    connection().show_output();
    for (auto& [handle, stream] : streams_) connection().post(DestroyStream{stream->id});
    connection().call(ResetDevice{});
    connection().clear_sticky();
  }
  Captures::instance().clear();
  streams_.clear();
  events_.clear();
  host_allocations.clear();
  modules.forget_loaded();
  generation_++;
}

void Runtime::end() {
  if (connection_ && !forked) connection_->end_machine();
}

namespace {

/// Runs when the library is unloaded: nobody calls CUDA functions any more.
[[gnu::destructor]] void end_of_program() { Runtime::instance().end(); }

}  // namespace

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t connection_error(const ConnectionLost& error) {
  static bool said = false;
  if (!said) say(error.what());
  said = true;
  return Runtime::instance().connected() ? cudaErrorUnknown : cudaErrorInitializationError;
}

}  // namespace roofline::sim::runtime
