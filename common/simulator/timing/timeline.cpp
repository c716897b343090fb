// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/timeline.h"

#include <algorithm>
#include <utility>

namespace roofline::sim {
namespace {

constexpr double kMicro = 1e-6;
/// A program that never waits for the device does not fill the memory with work that might still move.
constexpr size_t kMostPlaced = size_t{1} << 12;

const char* name_of(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice:
      return "memcpy HtoD";
    case CopyKind::kDeviceToHost:
      return "memcpy DtoH";
    case CopyKind::kDeviceToDevice:
      return "memcpy DtoD";
  }
  return "memcpy";
}

TraceSpan::Kind kind_of(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice:
      return TraceSpan::Kind::kCopyIn;
    case CopyKind::kDeviceToHost:
      return TraceSpan::Kind::kCopyOut;
    case CopyKind::kDeviceToDevice:
      break;
  }
  return TraceSpan::Kind::kCopyWithin;
}

}  // namespace

Timeline::Timeline(const DeviceDescription& device) : Timeline(device, own_clock_) {}

Timeline::Timeline(const DeviceDescription& device, double& host_clock)
    : device_(device), host_(host_clock) {}

void Timeline::set_trace(TraceLog* log, u32 device) {
  trace_ = log;
  device_number_ = device;
}

size_t Timeline::trace(const Report& report, u32 stream, Span span) {
  if (trace_ == nullptr || !report.traced) return TraceLog::kNone;
  TraceSpan traced;
  traced.kind = *report.traced;
  const bool moment =
      traced.kind == TraceSpan::Kind::kEventRecord || traced.kind == TraceSpan::Kind::kEventWait;
  if (!moment) traced.name = report.what;
  traced.device = device_number_;
  traced.stream = stream;
  traced.start = span.start;
  traced.end = span.end;
  traced.bytes = report.bytes;
  traced.share = report.share;
  traced.event = report.event;
  return trace_->add(std::move(traced));
}

void Timeline::create_stream(u32 stream, bool non_blocking) {
  now_.streams[stream] = settled_.streams[stream] = {0, non_blocking};
}

void Timeline::destroy_stream(u32 stream) {
  // Its work still runs: the default stream and device_end keep waiting for it.
  if (stream == kDefaultStream) return;
  const auto found = now_.streams.find(stream);
  if (found == now_.streams.end()) return;
  if (double& end = now_.streams[kDefaultStream].end; !found->second.non_blocking)
    end = std::max(end, found->second.end);
  now_.streams.erase(found);
  settle();
}

void Timeline::host_call(double microseconds) { host_ += microseconds * kMicro; }

void Timeline::pay(double microseconds) {
  if (!in_graph_) host_call(microseconds);
}

Work Timeline::next(Work::Kind kind, u32 stream) {
  Work work;
  work.kind = kind;
  work.id = ++last_id_;
  work.stream = stream;
  work.in_graph = in_graph_;
  if (in_graph_)
    work.after = {std::exchange(node_, work.id)};
  else
    work.earliest = host_;
  return work;
}

Span Timeline::submit(const Work& work, const Report& report) {
  if (!placed_.empty() && (now_.last_end <= host_ || placed_.size() >= kMostPlaced)) settle();
  now_.forget_before(host_);
  Placed placed{work, {}, report.kernel, trace(report, work.stream, {})};
  if (!goes_before(placed)) place(std::move(placed));
  // It is the last one unless it made others wait.
  const auto is_this = [&](const Placed& each) { return each.work.id == work.id; };
  const Span span = std::find_if(placed_.rbegin(), placed_.rend(), is_this)->span;
  if (!report.what.empty()) entries_.push_back({report.what, work.stream, span.start, span.end});
  return span;
}

void Timeline::place(Placed placed) {
  placed.span = now_.plan(placed.work);
  const bool waits = placed.work.kind == Work::Kind::kWaitEvent;
  const double end = waits ? now_.awaited(placed.work) : placed.span.end;
  if (trace_ != nullptr) trace_->move(placed.trace, placed.began(), end);
  book(std::move(placed));
}

void Timeline::book(Placed placed) {
  now_.book(placed.work, placed.span);
  if (placed.work.kind == Work::Kind::kKernel) least_urgent_ = std::max(least_urgent_, placed.work.priority);
  placed_.push_back(std::move(placed));
}

void Timeline::settle() {
  settled_ = now_;
  placed_.clear();
  least_urgent_ = kMostUrgent;
}

double Timeline::links_end(double start, std::span<const LinkUse> links, bool book) {
  const double rate = device_.peer_gbps * 1e9;
  double end = start;
  // Requests of a kernel come in any order, so each end is busy with its own bytes and waits for no other
  // end.
  const auto take = [&](double& free, u64 bytes) {
    if (bytes == 0) return;
    const double until = std::max(start, free) + static_cast<double>(bytes) / rate;
    end = std::max(end, until);
    if (book) free = until;
  };
  u64 read = 0, written = 0;
  for (const LinkUse& use : links) {
    read += use.read;
    written += use.written;
    take(use.peer->link_out_free_, use.read);
    take(use.peer->link_in_free_, use.written);
  }
  take(link_in_free_, read);
  take(link_out_free_, written);
  return end;
}

void Timeline::kernel(u32 stream, const std::string& name, double seconds, const DeviceShare& share,
                      std::span<const LinkUse> links, const KernelOrder& order) {
  pay(device_.launch_us);
  Work work = next(Work::Kind::kKernel, stream);
  const double gap =
      in_graph_ ? std::max(0.0, device_.graph_node_us - device_.kernel_start_us) : device_.kernel_gap_us;
  work.lead = gap * kMicro;
  work.alone = device_.kernel_start_us * kMicro + seconds;
  work.share = share;
  work.share.block_slots = std::clamp(share.block_slots, 0.0, 1.0);
  work.priority = order.priority;
  work.waves = order.waves;
  const Report report{name, TraceSpan::Kind::kKernel, 0, work.share.block_slots, 0, order.kernel};
  if (links.empty())
    submit(work, report);
  else
    kernel_over_links(work, report, links);
}

void Timeline::kernel_over_links(const Work& work, const Report& report, std::span<const LinkUse> links) {
  const double ready = now_.ready(work) + work.lead;
  now_.forget_before(host_);
  double start = now_.load.first_fit(ready, work.alone, work.share.block_slots);
  // Its blocks stay while it waits for what others take, and for the link.
  const auto duration_from = [&](double moment, bool book) {
    return std::max(now_.load.slowed(moment, work.alone, work.share),
                    links_end(moment, links, book) - moment);
  };
  start = now_.load.first_fit(ready, duration_from(start, false), work.share.block_slots);
  const double duration = duration_from(start, true);
  book_settled(work, {start, duration, start + duration}, report);
}

void Timeline::book_settled(const Work& work, Span span, const Report& report) {
  now_.book(work, span);
  settle();
  entries_.push_back({report.what, work.stream, span.start, span.end});
  trace(report, work.stream, span);
}

/// Up to so many bytes of pageable memory travel to the device within the command; longer copies pass through
/// memory of the driver first.
constexpr u64 kInlineBytes = 64 * 1024;
constexpr double kInlineLatency = 0.7 * kMicro, kInlineRate = 5.5e9;  ///< 1.2 us with the call
/// So does what fills up to so many bytes: no kernel is launched for it.
constexpr u64 kInlineFillBytes = 4096;
constexpr double kInlineFill = 1.0 * kMicro;

void Timeline::copy(u32 stream, CopyKind kind, u64 bytes, bool pageable, bool async) {
  const bool between_host_and_device = kind != CopyKind::kDeviceToDevice;
  pay(device_.api_call_us);
  Work work = next(Work::Kind::kCopy, stream);
  if (between_host_and_device) {
    // Half the rate at copy_half_size_bytes, and never quicker than the smallest copy.
    const double rate = (pageable ? device_.pageable_gbps : device_.pinned_gbps) * 1e9;
    work.alone = std::max(device_.copy_latency_us * kMicro,
                          (static_cast<double>(bytes) + device_.copy_half_size_bytes) / rate);
    if (pageable && kind == CopyKind::kHostToDevice && bytes <= kInlineBytes)
      work.alone = std::min(work.alone, kInlineLatency + static_cast<double>(bytes) / kInlineRate);
  } else {
    const double rate = device_.dram_gbps * device_.dram_copy_efficiency * 1e9;
    const double latency = device_.device_copy_latency_us * kMicro;
    work.alone = latency + 2 * static_cast<double>(bytes) / rate;
    work.share = of_dram(work.alone, latency);
    // Copies inside the device follow each other like kernels.
    if (!in_graph_) {
      work.pause = device_.kernel_gap_us * kMicro;
      work.pace = device_.launch_us * kMicro;
    }
  }
  work.engine = between_host_and_device && device_.copy_engines == 1 ? 0 : static_cast<int>(kind);
  const Span span = submit(work, {name_of(kind), kind_of(kind), bytes});
  if (between_host_and_device && !in_graph_ && (pageable || !async)) wait_until(span.end);
}

DeviceShare Timeline::of_dram(double seconds, double latency) {
  DeviceShare share{.block_slots = 0};
  share.of[DeviceShare::kDram] = 1 - latency / seconds;
  return share;
}

void Timeline::peer_copy(u32 stream, u64 bytes, Timeline& source, Timeline& target) {
  pay(device_.api_call_us);
  const Work work = next(Work::Kind::kFill, stream);  // no engine of this device's is busy with it
  // Without peer access the bytes take the way through host memory, one copy behind the other's pieces.
  const double rate = device_.peer_access ? device_.peer_gbps : device_.pinned_gbps;
  const double latency = device_.peer_access ? device_.peer_latency_us : 2 * device_.copy_latency_us;
  const double seconds = latency * kMicro + static_cast<double>(bytes) / (rate * 1e9);
  double start = std::max({now_.ready(work), source.link_out_free_, target.link_in_free_});
  if (stream == kDefaultStream)
    start = std::max({start, source.now_.work_end(kDefaultStream), target.now_.work_end(kDefaultStream)});
  const double end = start + seconds;
  source.link_out_free_ = target.link_in_free_ = end;
  book_settled(work, {start, seconds, end}, {"memcpy PtoP", TraceSpan::Kind::kCopyPeer, bytes});
  if (stream == kDefaultStream)
    for (Timeline* each : {&source, &target}) {
      double& last = each->now_.streams[kDefaultStream].end;
      last = std::max(last, end);
      each->now_.last_end = std::max(each->now_.last_end, end);
      each->settle();
    }
}

void Timeline::fill(u32 stream, u64 bytes) {
  const bool is_inline = bytes <= kInlineFillBytes;
  pay(is_inline ? device_.api_call_us : device_.launch_us);
  Work work = next(Work::Kind::kFill, stream);
  if (is_inline) {
    work.alone = kInlineFill;
  } else {
    const double rate = device_.dram_gbps * device_.dram_write_efficiency * 1e9;
    const double latency = device_.device_copy_latency_us * kMicro;
    work.lead = in_graph_ ? 0 : device_.kernel_gap_us * kMicro;
    work.alone = latency + static_cast<double>(bytes) / rate;
    work.share = of_dram(work.alone, latency);
  }
  submit(work, {"memset", TraceSpan::Kind::kFill, bytes});
}

void Timeline::write_word(u32 stream, u64 bytes) {
  pay(device_.api_call_us);
  Work work = next(Work::Kind::kFill, stream);
  work.alone = kInlineFill;
  submit(work, {"write value", TraceSpan::Kind::kFill, bytes});
}

WorkId Timeline::begin_graph(u32 stream, u64 nodes) {
  host_call(device_.graph_launch_us + static_cast<double>(nodes) * device_.graph_launch_node_us);
  const Work work = next(Work::Kind::kBeginGraph, stream);
  submit(work, {});
  return work.id;
}

void Timeline::begin_node(std::vector<WorkId> after, double earliest) {
  in_graph_ = true;
  Work work = next(Work::Kind::kNode, kDefaultStream);
  work.after = std::move(after);
  work.earliest = earliest;
  submit(work, {});
}

WorkId Timeline::end_node() {
  in_graph_ = false;
  return node_;
}

void Timeline::end_graph(u32 stream, WorkId begin, std::vector<WorkId> nodes) {
  Work work = next(Work::Kind::kEndGraph, stream);
  work.after = std::move(nodes);
  work.after.insert(work.after.begin(), begin);
  submit(work, {});
}

void Timeline::record_event(u32 event, u32 stream) {
  pay(device_.event_us);
  Work work = next(Work::Kind::kRecordEvent, stream);
  work.event = event;
  submit(work, {{}, TraceSpan::Kind::kEventRecord, 0, 0, event});
}

void Timeline::wait_event(u32 stream, u32 event) {
  pay(device_.api_call_us);
  if (!event_recorded(event)) return;  // no work to wait for
  Work work = next(Work::Kind::kWaitEvent, stream);
  work.event = event;
  submit(work, {{}, TraceSpan::Kind::kEventWait, 0, 0, event});
}

void Timeline::wait_for(u32 stream, u32 event, Timeline& other) {
  pay(device_.api_call_us);
  other.settle();
  Work work = next(Work::Kind::kWaitEvent, stream);
  work.event = event;
  work.moment = other.event_time(event);
  submit(work, {{}, TraceSpan::Kind::kEventWait, 0, 0, event});
}

void Timeline::wait_for_moment(u32 stream, double moment) {
  pay(device_.api_call_us);
  Work work = next(Work::Kind::kWaitEvent, stream);
  work.moment = moment;
  submit(work, {});
}

double Timeline::settled_end(u32 stream) {
  settle();
  return now_.work_end(stream);
}

double Timeline::settled_end_of_node(WorkId node) {
  settle();
  const auto found = now_.finished.find(node);
  return found == now_.finished.end() ? now_.last_end : found->second;
}

bool Timeline::event_recorded(u32 event) const { return now_.events.contains(event); }

double Timeline::event_time(u32 event) const {
  const auto found = now_.events.find(event);
  return found == now_.events.end() ? 0 : found->second;
}

bool Timeline::event_done(u32 event) const { return event_time(event) <= host_; }

bool Timeline::stream_done(u32 stream) const { return now_.work_end(stream) <= host_; }

void Timeline::wait_until(double end) { host_ = std::max(host_, end); }

void Timeline::synchronize_stream(u32 stream) {
  wait_until(now_.work_end(stream));
  host_call(device_.synchronize_us);
}

void Timeline::synchronize_event(u32 event) {
  wait_until(event_time(event));
  host_call(device_.synchronize_us);
}

void Timeline::synchronize_device() {
  wait_until(now_.last_end);
  host_call(device_.synchronize_us);
}

}  // namespace roofline::sim
