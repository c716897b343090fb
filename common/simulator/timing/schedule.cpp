// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/schedule.h"

#include <algorithm>

namespace roofline::sim {
namespace {

/// Copies over the link and fills within the command take none of it.
bool takes_dram(const Work& work) { return work.share.of[DeviceShare::kDram] > 0; }

}  // namespace

bool Schedule::is_blocking(u32 stream) const {
  const auto found = streams.find(stream);
  return found == streams.end() || !found->second.non_blocking;
}

double Schedule::stream_end(u32 stream) const {
  const auto found = streams.find(stream);
  return found == streams.end() ? 0 : found->second.end;
}

double Schedule::work_end(u32 stream) const {
  double end = stream_end(stream);
  if (stream == kDefaultStream)
    for (const auto& [id, other] : streams)
      if (!other.non_blocking) end = std::max(end, other.end);
  return end;
}

double Schedule::ready(const Work& work) const {
  double ready = work.earliest;
  for (const WorkId each : work.after)
    if (const auto found = finished.find(each); found != finished.end())
      ready = std::max(ready, found->second);
  if (work.in_graph) return ready;
  ready = std::max(ready, work_end(work.stream));
  if (work.stream != kDefaultStream && is_blocking(work.stream))
    ready = std::max(ready, stream_end(kDefaultStream));
  return ready;
}

double Schedule::awaited(const Work& wait) const {
  if (wait.moment >= 0) return wait.moment;
  const auto found = events.find(wait.event);
  return found == events.end() ? 0 : found->second;
}

Span Schedule::plan(const Work& work) const {
  const auto lasting = [](double start, double seconds) { return Span{start, seconds, start + seconds}; };
  const double from = ready(work) + work.lead;
  switch (work.kind) {
    case Work::Kind::kKernel: {
      const double slots = work.share.block_slots;
      const double alone = load.first_fit(from, work.alone, slots);
      // Its blocks stay while it waits for what others take.
      const double start = load.first_fit(from, load.slowed(alone, work.alone, work.share), slots);
      return lasting(start, load.slowed(start, work.alone, work.share));
    }
    case Work::Kind::kCopy:
    case Work::Kind::kFill: {
      const double start = work.kind == Work::Kind::kCopy ? std::max(from, engines[work.engine]) : from;
      return lasting(start, takes_dram(work) ? load.slowed(start, work.alone, work.share) : work.alone);
    }
    case Work::Kind::kWaitEvent: {
      const double until = awaited(work);
      const double now = work.in_graph ? from : stream_end(work.stream);
      return {std::min(now, until), 0, std::max(now, until)};
    }
    case Work::Kind::kEndGraph: {
      // As long as it took, whatever the stream did meanwhile.
      double end = stream_end(work.stream);
      for (const WorkId each : work.after)
        if (const auto found = finished.find(each); found != finished.end())
          end = std::max(end, found->second);
      return lasting(end, 0);
    }
    case Work::Kind::kRecordEvent:
    case Work::Kind::kBeginGraph:
    case Work::Kind::kNode:
      break;
  }
  return lasting(from, 0);
}

void Schedule::book(const Work& work, Span span) {
  switch (work.kind) {
    case Work::Kind::kKernel:
      load.book(span.start, work.alone, span.seconds, work.share);
      break;
    case Work::Kind::kCopy:
      engines[work.engine] =
          work.pause + work.pace > 0 ? span.start + std::max(span.seconds + work.pause, work.pace) : span.end;
      [[fallthrough]];
    case Work::Kind::kFill:
      if (takes_dram(work)) load.book(span.start, work.alone, span.seconds, work.share);
      break;
    case Work::Kind::kRecordEvent:
      events[work.event] = span.end;
      break;
    case Work::Kind::kBeginGraph:
      graphs[work.id] = finished[work.id] = span.end;
      break;
    case Work::Kind::kNode:
    case Work::Kind::kWaitEvent:
      break;
    case Work::Kind::kEndGraph:
      graphs.erase(work.after.front());
      if (graphs.empty()) finished.clear();
      break;
  }
  const bool is_moment = work.kind == Work::Kind::kRecordEvent || work.kind == Work::Kind::kBeginGraph ||
                         work.kind == Work::Kind::kNode;
  if (work.in_graph)
    finished[work.id] = span.end;
  else if (!is_moment)
    streams[work.stream].end = span.end;
  if (!is_moment && work.kind != Work::Kind::kWaitEvent) last_end = std::max(last_end, span.end);
}

bool Schedule::follows(const Work& later, const Work& earlier) const {
  if (std::find(later.after.begin(), later.after.end(), earlier.id) != later.after.end()) return true;
  if (later.in_graph || earlier.in_graph) return false;
  if (later.stream == earlier.stream) return true;
  const bool one_is_default = later.stream == kDefaultStream || earlier.stream == kDefaultStream;
  return one_is_default && is_blocking(later.stream) && is_blocking(earlier.stream);
}

void Schedule::forget_before(double moment) {
  for (const auto& [id, begun] : graphs) moment = std::min(moment, begun);
  load.forget_before(moment);
}

}  // namespace roofline::sim
