// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <vector>

#include "simulator/timing/device_load.h"
#include "simulator/timing/device_share.h"
#include "simulator/types.h"

namespace roofline::sim {

inline constexpr u32 kDefaultStream = 0;

/// Number of a piece of work on one device's timeline, in the order of submission; from 1.
using WorkId = u64;

/// A piece of work as it was submitted: all that decides when it runs, but for what else the device does.
struct Work {
  enum class Kind : u8 { kKernel, kCopy, kFill, kRecordEvent, kWaitEvent, kBeginGraph, kNode, kEndGraph };
  Kind kind = Kind::kKernel;
  WorkId id = 0;
  u32 stream = 0;
  bool in_graph = false;      ///< follows `after` and not its stream
  std::vector<WorkId> after;  ///< in a graph, and at its end: what it comes after; at its end its begin first
  double earliest = 0;        ///< when the host submitted it
  double lead = 0;            ///< from the end of what it follows to its own start
  double alone = 0;           ///< how long it takes where nothing else runs
  DeviceShare share{.block_slots = 0};

  int priority = 0;    ///< kernels: lower is more urgent
  double waves = 1;    ///< kernels: in how many turns the device takes their blocks, a whole number
  int engine = 0;      ///< copies: of Schedule's engines
  double pause = 0;    ///< copies: of the engine after them
  double pace = 0;     ///< copies: from one start to the engine's next, at least
  u32 event = 0;       ///< of records and waits
  double moment = -1;  ///< waits for an event of another device: until then

  WorkId whole = 0;   ///< a part of a kernel that made room: the same for all of them; else 0
  double began = -1;  ///< such a part, but the first: when the kernel starts; else -1
};

/// In seconds of virtual time.
struct Span {
  double start = 0, seconds = 0, end = 0;
};

/// What a device does at which time: a value, so that it can be made again from an earlier one. `plan` says
/// when work would run, `book` takes what it takes.
class Schedule {
 public:
  struct Stream {
    double end = 0;
    bool non_blocking = false;
  };
  std::map<u32, Stream> streams{{0, {}}};
  std::map<u32, double> events;
  double engines[3] = {0, 0, 0};
  DeviceLoad load;                    ///< by work that may still run
  std::map<WorkId, double> graphs;    ///< that have begun and not ended, and when
  std::map<WorkId, double> finished;  ///< work of these graphs, and when it ended
  double last_end = 0;

  /// When the work may start for what it follows.
  double ready(const Work& work) const;
  /// When the event is over that a wait is for.
  double awaited(const Work& wait) const;
  Span plan(const Work& work) const;
  void book(const Work& work, Span span);
  /// Whether `later`, submitted after `earlier`, must wait for it.
  bool follows(const Work& later, const Work& earlier) const;

  double stream_end(u32 stream) const;
  /// End of what synchronising the stream waits for: the default stream stands for all blocking ones.
  double work_end(u32 stream) const;
  /// No work begins before that moment any more, unless it belongs to a graph that has begun.
  void forget_before(double moment);

 private:
  bool is_blocking(u32 stream) const;
};

}  // namespace roofline::sim
