// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulator/server/answers.h"

namespace roofline::sim::server {

using namespace channel;

bool Server::known_stream(u32 stream) const {
  return std::find(streams_.begin(), streams_.end(), stream) != streams_.end();
}

Answer Server::handle(const CreateStream& c) {
  if (known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  streams_.push_back(c.stream);
  timeline_.create_stream(c.stream, c.non_blocking);
  if (checks_) checks_->streams().stream_created(c.stream, c.non_blocking);
  return {};
}

Answer Server::handle(const DestroyStream& c) {
  if (c.stream == 0 || !known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  std::erase(streams_, c.stream);
  timeline_.destroy_stream(c.stream);
  if (checks_) checks_->streams().stream_destroyed(c.stream);
  return {};
}

void Server::record_event(u32 stream, u32 event) {
  timeline_.record_event(event, stream);
  if (checks_) checks_->streams().event_recorded(event, stream);
  if (!board_.sharing.is_shared(event)) return;
  // A graph's node has a time of its own.
  board_.sharing.recorded(event, std::max(timeline_.settled_end(stream), timeline_.event_time(event)));
  if (checks_) checks_->streams().given_to_others(stream);
}

Answer Server::handle(const RecordEvent& c) {
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  record_event(c.stream, c.event);
  return {};
}

void Server::host_took_from_others() {
  board_.host_clock = std::max(board_.host_clock, board_.sharing.given_moment());
  if (checks_) checks_->streams().host_took_from_others();
}

void Server::wait_event(u32 stream, u32 event) {
  if (board_.sharing.is_of_another(event)) {
    timeline_.wait_for_moment(stream, board_.sharing.given_moment());
    if (checks_) checks_->streams().taken_from_others(stream);
    return;
  }
  for (const auto& gpu : board_.gpus) {
    if (!gpu->timeline_.event_recorded(event)) continue;
    if (gpu.get() == this)
      timeline_.wait_event(stream, event);
    else
      timeline_.wait_for(stream, event, gpu->timeline_);
  }
}

Answer Server::handle(const WaitEvent& c) {
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  wait_event(c.stream, c.event);
  if (checks_) checks_->streams().event_waited(c.stream, c.event);
  return {};
}

void Server::poll() {
  // The longer it has been asking, the longer are its steps: thousands of questions, not millions, are
  // between the first one and the end of a long kernel, and it is noticed at most a thousandth too late.
  constexpr double kShareOfWait = 1e-3, kMicro = 1e-6;
  const double now = timeline_.host_now();
  if (polling_since_ < 0) polling_since_ = now;
  timeline_.host_call(std::max(description_.api_call_us, (now - polling_since_) * kShareOfWait / kMicro));
  records_.host_waited();
}

Answer Server::handle(const QueryEvent& c) {
  records_.asked();
  if (board_.sharing.is_of_another(c.event)) {
    host_took_from_others();
    return give(EventState{.done = true});
  }
  if (!timeline_.event_recorded(c.event)) return give(EventState{});
  const bool done = timeline_.event_done(c.event);
  if (!done) poll();
  if (checks_ && done) checks_->streams().host_waited_for_event(c.event);
  return give(EventState{true, done, timeline_.event_time(c.event)});
}

Answer Server::handle(const QueryStream& c) {
  records_.asked();
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  const bool done = timeline_.stream_done(c.stream);
  if (!done) poll();
  if (checks_ && done) checks_->streams().host_waited_for_stream(c.stream);
  return give(StreamState{done});
}

Answer Server::handle(const HostTime& c) {
  constexpr double kMost = 1e9, kMicro = 1e-6;  // seconds: more is nonsense
  if (!options_.host_time || !(c.seconds >= 0 && c.seconds <= kMost)) return refuse(Status::kInvalidValue);
  timeline_.host_call(c.seconds / kMicro);
  board_.host_code += c.seconds;
  return {};
}

Answer Server::handle(const Synchronize& c) {
  records_.host_waited();
  switch (c.scope) {
    case Synchronize::Scope::kDevice:
      timeline_.synchronize_device();
      if (checks_) checks_->streams().host_waited_for_device();
      return give(Nothing{});
    case Synchronize::Scope::kStream:
      if (!known_stream(c.id)) return refuse(Status::kInvalidHandle);
      timeline_.synchronize_stream(c.id);
      if (checks_) checks_->streams().host_waited_for_stream(c.id);
      return give(Nothing{});
    case Synchronize::Scope::kEvent:
      if (board_.sharing.is_of_another(c.id)) {
        host_took_from_others();
        timeline_.host_call(description_.synchronize_us);
        return give(Nothing{});
      }
      if (timeline_.event_recorded(c.id)) timeline_.synchronize_event(c.id);
      if (checks_) checks_->streams().host_waited_for_event(c.id);
      return give(Nothing{});
  }
  return refuse(Status::kInvalidValue);
}

}  // namespace roofline::sim::server
