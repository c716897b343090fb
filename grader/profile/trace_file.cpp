// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/trace_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "grader/base/printable.h"
#include "grader/base/symbol_name.h"
#include "grader/profile/kernel_facts.h"
#include "grader/text/terminal.h"

namespace roofline::grader {
namespace {

using Json = nlohmann::ordered_json;
using sim::TraceSpan;
using sim::u32;
using sim::u64;
using SpanKind = TraceSpan::Kind;

constexpr int kHostProcess = 1, kFirstDevice = 10;
constexpr int kCallsTrack = 1, kFirstEngine = 1, kFirstStream = 100;

bool is_work(SpanKind kind) {
  return kind != SpanKind::kCall && kind != SpanKind::kEventRecord && kind != SpanKind::kEventWait;
}

/// Whole nanoseconds: what ended before something began still does after rounding.
long long nanoseconds(double seconds) { return std::llround(seconds * 1e9); }
double microseconds(long long nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

/// The engine that moves the bytes; 0: none.
int engine_of(SpanKind kind, const sim::DeviceDescription& device) {
  switch (kind) {
    case SpanKind::kCopyIn:
      return kFirstEngine;
    case SpanKind::kCopyOut:
      return device.copy_engines == 1 ? kFirstEngine : kFirstEngine + 1;
    case SpanKind::kCopyPeer:
      return kFirstEngine + 2;
    default:
      return 0;
  }
}

/// Where a piece of work is drawn.
struct Place {
  int process = 0, track = 0;
};

class TraceWriter {
 public:
  TraceWriter(const sim::Trace& trace, const sim::Region& region, const sim::DeviceDescription& device)
      : trace_(trace), device_(device) {
    for (const auto& kernel : region.kernels) kernels_[kernel.ordinal] = &kernel;
    for (size_t i = 0; i < trace.spans.size(); ++i) {
      const TraceSpan& span = trace.spans[i];
      if (span.kind == SpanKind::kCall) calls_[span.call] = i;
      if (span.kind != SpanKind::kCall) devices_.insert(span.device);
    }
    if (devices_.empty()) devices_.insert(0);
  }

  std::string write(const std::string& program) {
    place_work();
    describe_tracks();
    for (size_t i = 0; i < trace_.spans.size(); ++i) draw(i);
    draw_event_arrows();
    for (const u32 device : devices_) draw_counters(device);
    Json other = {{"program", printable(program)},
                  {"device", device_.name + " (simulated)"},
                  {"time", "virtual: from the simulator's time model, not measured"}};
    if (trace_.dropped)
      other["left out"] = std::to_string(trace_.dropped) + " later calls and pieces of work";
    std::string text =
        "{\"displayTimeUnit\": \"ns\",\n\"otherData\": " + dump(other) + ",\n\"traceEvents\": [\n";
    for (size_t i = 0; i < events_.size(); ++i) text += events_[i] + (i + 1 < events_.size() ? ",\n" : "\n");
    return text + "]}\n";
  }

 private:
  static std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void emit(const Json& event) { events_.push_back(dump(event)); }

  static int process_of(u32 device) { return kFirstDevice + static_cast<int>(device); }

  /// A stream has one track, and more beside it where branches of a graph overlap.
  void place_work() {
    places_.resize(trace_.spans.size());
    std::map<std::pair<u32, u32>, std::vector<size_t>> by_stream;
    for (size_t i = 0; i < trace_.spans.size(); ++i)
      if (is_work(trace_.spans[i].kind))
        by_stream[{trace_.spans[i].device, trace_.spans[i].stream}].push_back(i);
    std::map<u32, int> next;
    for (auto& [stream, spans] : by_stream) {
      const auto [device, number] = stream;
      std::stable_sort(spans.begin(), spans.end(), [&](size_t a, size_t b) {
        return nanoseconds(trace_.spans[a].start) < nanoseconds(trace_.spans[b].start);
      });
      const int first = kFirstStream + next[device];
      std::vector<long long> lanes;
      for (const size_t i : spans) {
        const long long start = nanoseconds(trace_.spans[i].start);
        auto lane = std::find_if(lanes.begin(), lanes.end(), [&](long long end) { return end <= start; });
        if (lane == lanes.end()) lane = lanes.insert(lanes.end(), 0);
        *lane = nanoseconds(trace_.spans[i].end);
        places_[i] = {process_of(device), first + static_cast<int>(lane - lanes.begin())};
      }
      streams_[stream] = first;
      for (size_t lane = 0; lane < lanes.size(); ++lane)
        tracks_.push_back({{process_of(device), first + static_cast<int>(lane)},
                           stream_name(number) + (lane ? ", branch " + std::to_string(lane + 1) : "")});
      next[device] += static_cast<int>(lanes.size());
    }
    // Streams in which only events were recorded.
    for (const TraceSpan& span : trace_.spans)
      if (span.kind != SpanKind::kCall && !streams_.contains({span.device, span.stream})) {
        const int track = kFirstStream + next[span.device]++;
        streams_[{span.device, span.stream}] = track;
        tracks_.push_back({{process_of(span.device), track}, stream_name(span.stream)});
      }
  }

  static std::string stream_name(u32 stream) {
    return stream == 0 ? "default stream" : "stream " + std::to_string(stream);
  }

  void name(const char* what, Place place, const Json& arguments) {
    emit({{"ph", "M"}, {"name", what}, {"pid", place.process}, {"tid", place.track}, {"args", arguments}});
  }
  void name_track(Place place, const std::string& text) {
    name("thread_name", place, {{"name", text}});
    name("thread_sort_index", place, {{"sort_index", place.track}});
  }

  void describe_tracks() {
    name("process_name", {kHostProcess, 0}, {{"name", "host program (virtual time)"}});
    name("process_sort_index", {kHostProcess, 0}, {{"sort_index", 0}});
    name_track({kHostProcess, kCallsTrack}, "CUDA calls");
    for (const u32 device : devices_) {
      const int process = process_of(device);
      name("process_name", {process, 0},
           {{"name", "GPU " + std::to_string(device) + ": " + device_.name + " (simulated)"}});
      name("process_sort_index", {process, 0}, {{"sort_index", process}});
      std::set<int> engines;
      for (const TraceSpan& span : trace_.spans)
        if (span.device == device)
          if (const int engine = engine_of(span.kind, device_)) engines.insert(engine);
      for (const int engine : engines) name_track({process, engine}, engine_name(engine));
    }
    for (const auto& [place, text] : tracks_) name_track(place, text);
  }

  std::string engine_name(int engine) const {
    if (engine == kFirstEngine + 2) return "copy engine: peer";
    if (device_.copy_engines == 1) return "copy engine";
    return engine == kFirstEngine ? "copy engine: host to device" : "copy engine: device to host";
  }

  Json slice(const TraceSpan& span, Place place, const std::string& text, const char* category) const {
    const long long start = nanoseconds(span.start);
    return {{"ph", "X"},
            {"name", text},
            {"cat", category},
            {"pid", place.process},
            {"tid", place.track},
            {"ts", microseconds(start)},
            {"dur", microseconds(nanoseconds(span.end) - start)}};
  }

  void draw(size_t i) {
    const TraceSpan& span = trace_.spans[i];
    switch (span.kind) {
      case SpanKind::kCall:
        emit(slice(span, {kHostProcess, kCallsTrack}, span.name, "call"));
        return;
      case SpanKind::kEventRecord:
      case SpanKind::kEventWait:
        emit({{"ph", "i"},
              {"s", "t"},
              {"name", (span.kind == SpanKind::kEventRecord ? "record event " : "wait for event ") +
                           std::to_string(span.event)},
              {"cat", "event"},
              {"pid", process_of(span.device)},
              {"tid", streams_.at({span.device, span.stream})},
              {"ts", microseconds(nanoseconds(span.end))}});
        return;
      default:
        draw_work(i);
    }
  }

  void draw_work(size_t i) {
    const TraceSpan& span = trace_.spans[i];
    const auto kernel = kernels_.find(span.kernel);
    const bool is_kernel = span.kind == SpanKind::kKernel;
    Json event = slice(span, places_[i], is_kernel ? readable_symbol(span.name) : span.name,
                       is_kernel ? "kernel" : "memory");
    if (is_kernel && kernel != kernels_.end())
      event["args"] = kernel_facts(*kernel->second, device_);
    else if (!is_kernel)
      event["args"] = {{"bytes", span.bytes}, {"GB/s", rate(span)}};
    emit(event);
    if (const int engine = engine_of(span.kind, device_)) {
      Json copy = slice(span, {process_of(span.device), engine}, span.name, "memory");
      copy["args"] = {{"bytes", span.bytes}, {"stream", span.stream}};
      emit(copy);
    }
    if (const auto call = calls_.find(span.call); call != calls_.end())
      draw_arrow("submits", {kHostProcess, kCallsTrack}, nanoseconds(trace_.spans[call->second].start),
                 places_[i], nanoseconds(span.start));
  }

  static double rate(const TraceSpan& span) {
    const double seconds = span.end - span.start;
    return seconds > 0 ? std::round(static_cast<double>(span.bytes) / seconds * 1e-7) / 100 : 0;
  }

  void draw_arrow(const char* text, Place from, long long at, Place to, long long then) {
    const u64 id = ++arrows_;
    emit({{"ph", "s"},
          {"id", id},
          {"name", text},
          {"cat", "flow"},
          {"pid", from.process},
          {"tid", from.track},
          {"ts", microseconds(at)}});
    emit({{"ph", "f"},
          {"bp", "e"},
          {"id", id},
          {"name", text},
          {"cat", "flow"},
          {"pid", to.process},
          {"tid", to.track},
          {"ts", microseconds(then)}});
  }

  /// From the last work before an event was recorded to the first work that waited for it.
  void draw_event_arrows() {
    std::map<std::pair<u32, u32>, size_t> last;               ///< work of a stream
    std::map<u32, size_t> recorded;                           ///< work before an event
    std::map<std::pair<u32, u32>, std::vector<u32>> waiting;  ///< events that a stream's next work waits for
    for (size_t i = 0; i < trace_.spans.size(); ++i) {
      const TraceSpan& span = trace_.spans[i];
      const std::pair stream{span.device, span.stream};
      if (span.kind == SpanKind::kEventRecord) {
        recorded.erase(span.event);
        if (const auto work = last.find(stream); work != last.end()) recorded[span.event] = work->second;
      } else if (span.kind == SpanKind::kEventWait) {
        waiting[stream].push_back(span.event);
      } else if (is_work(span.kind)) {
        for (const u32 event : std::exchange(waiting[stream], {}))
          if (const auto from = recorded.find(event); from != recorded.end()) connect(from->second, i);
        last[stream] = i;
      }
    }
  }

  void connect(size_t from, size_t to) {
    const TraceSpan& before = trace_.spans[from];
    // An arrow begins inside its slice, which does not hold its last moment.
    const long long start = nanoseconds(before.start), end = nanoseconds(before.end);
    draw_arrow("event", places_[from], std::max(start, end - 1), places_[to],
               nanoseconds(trace_.spans[to].start));
  }

  double dram_gbps(const TraceSpan& span) const {
    double bytes = static_cast<double>(span.bytes) * (span.kind == SpanKind::kCopyWithin ? 2 : 1);
    if (const auto kernel = kernels_.find(span.kernel);
        span.kind == SpanKind::kKernel && kernel != kernels_.end())
      bytes = static_cast<double>(kernel->second->counters.dram_read_bytes +
                                  kernel->second->counters.dram_write_bytes);
    const double seconds = span.end - span.start;
    return seconds > 0 ? bytes / seconds * 1e-9 : 0;
  }

  /// DRAM traffic and the part of the SMs in use, as steps.
  void draw_counters(u32 device) {
    struct Step {
      double dram = 0, share = 0;
    };
    std::map<long long, Step> steps;
    for (const TraceSpan& span : trace_.spans) {
      if (!is_work(span.kind) || span.device != device) continue;
      const Step step{dram_gbps(span), span.share};
      auto& from = steps[nanoseconds(span.start)];
      from.dram += step.dram;
      from.share += step.share;
      auto& to = steps[nanoseconds(span.end)];
      to.dram -= step.dram;
      to.share -= step.share;
    }
    Step now;
    for (const auto& [moment, change] : steps) {
      now.dram += change.dram;
      now.share += change.share;
      const auto counter = [&](const char* text, const char* unit, double value) {
        emit({{"ph", "C"},
              {"name", text},
              {"pid", process_of(device)},
              {"ts", microseconds(moment)},  // NOLINT(clang-analyzer-core.NullDereference)
              {"args", {{unit, std::max(0.0, std::round(value * 10) / 10)}}}});
      };
      counter("DRAM", "GB/s", now.dram);
      counter("SMs in use", "%", 100 * now.share);
    }
  }

  const sim::Trace& trace_;
  const sim::DeviceDescription& device_;
  std::map<u64, const sim::KernelRecord*> kernels_;  ///< by ordinal
  std::map<u64, size_t> calls_;                      ///< place in the trace by number
  std::set<u32> devices_;
  std::map<std::pair<u32, u32>, int> streams_;  ///< first track by device and stream
  std::vector<std::pair<Place, std::string>> tracks_;
  std::vector<Place> places_;  ///< of work, by place in the trace
  std::vector<std::string> events_;
  u64 arrows_ = 0;
};

}  // namespace

std::string trace_json(const sim::Trace& trace, const sim::Region& region,
                       const sim::DeviceDescription& device, const std::string& program) {
  return TraceWriter(trace, region, device).write(program);
}

}  // namespace roofline::grader
