// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "simulator/types.h"

namespace roofline::sim {

/// Something that took virtual time, or a moment of it: what a timeline trace is made of.
struct TraceSpan {
  enum class Kind : u8 {
    kCall,  ///< of the program to the CUDA runtime, on the host
    kKernel,
    kCopyIn,      ///< host to device
    kCopyOut,     ///< device to host
    kCopyWithin,  ///< inside the device
    kCopyPeer,    ///< from one device to another
    kFill,
    kEventRecord,  ///< a moment: where the event stands
    kEventWait     ///< from the end of the stream's last work to the moment of the event
  };
  Kind kind = Kind::kCall;
  std::string name;
  u32 device = 0, stream = 0;
  double start = 0, end = 0;  ///< seconds of virtual time
  u64 bytes = 0;              ///< moved or filled
  double share = 0;           ///< of the device's block slots, kernels
  u64 call = 0;               ///< number of the call that submitted it, from 1; 0: none
  u64 kernel = 0;             ///< KernelRecord::ordinal
  u32 event = 0;
};

/// Spans that a trace holds; later ones are only counted.
inline constexpr size_t kMaxTraceSpans = 200'000;

/// Collects the spans of a session. Calls do not nest.
class TraceLog {
 public:
  void begin_call(std::string name, double now);
  /// Forgets the call when it took no time and submitted nothing.
  void end_call(double now);
  static constexpr size_t kNone = ~size_t{0};
  /// Work or a moment of a device, submitted by the present call. Gives its place; kNone when it is dropped.
  size_t add(TraceSpan span);
  /// The work there has other times.
  void move(size_t place, double start, double end);
  /// The kernel that was added last is this one of the session.
  void name_kernel(u64 ordinal);

  const std::vector<TraceSpan>& spans() const { return spans_; }
  u64 dropped() const { return dropped_; }

 private:
  bool full() const { return spans_.size() >= kMaxTraceSpans; }

  std::vector<TraceSpan> spans_;
  u64 dropped_ = 0, calls_ = 0;
  size_t call_place_ = 0;  ///< of the present call in spans_
  bool in_call_ = false, call_kept_ = false;
};

}  // namespace roofline::sim
