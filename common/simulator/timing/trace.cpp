// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/trace.h"

#include <utility>

namespace roofline::sim {

void TraceLog::begin_call(std::string name, double now) {
  in_call_ = true;
  call_kept_ = !full();
  call_place_ = spans_.size();
  if (!call_kept_) return;
  TraceSpan call;
  call.name = std::move(name);
  call.start = call.end = now;
  call.call = ++calls_;
  spans_.push_back(std::move(call));
}

void TraceLog::end_call(double now) {
  in_call_ = false;
  if (!call_kept_) {
    ++dropped_;
    return;
  }
  TraceSpan& call = spans_[call_place_];
  call.end = now;
  if (call.end > call.start || spans_.size() > call_place_ + 1) return;
  spans_.pop_back();
  --calls_;
}

size_t TraceLog::add(TraceSpan span) {
  if (full()) {
    ++dropped_;
    return kNone;
  }
  span.call = in_call_ && call_kept_ ? calls_ : 0;
  spans_.push_back(std::move(span));
  return spans_.size() - 1;
}

void TraceLog::move(size_t place, double start, double end) {
  if (place >= spans_.size()) return;
  spans_[place].start = start;
  spans_[place].end = end;
}

void TraceLog::name_kernel(u64 ordinal) {
  if (!full() && !spans_.empty() && spans_.back().kind == TraceSpan::Kind::kKernel)
    spans_.back().kernel = ordinal;
}

}  // namespace roofline::sim
