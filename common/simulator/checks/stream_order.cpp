// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/stream_order.h"

#include <bit>

#include "simulator/program/function.h"

namespace roofline::sim {

namespace {

/// Work that nobody has waited for is kept to compare later work with; the oldest is forgotten beyond this.
constexpr size_t kMostFlying = 512, kMostFlyingPages = 200'000;

u64 page_of(u64 address) { return address / ByteMap::kPageBytes; }

}  // namespace

void StreamOrder::select(u32 gpu) {
  gpu_ = gpu;
  several_ = several_ || gpu != 0;
  streams_[default_of(gpu)].gpu = gpu;
}

std::string StreamOrder::name_of(u32 stream) const {
  const auto found = streams_.find(stream);
  const u32 gpu = found == streams_.end() ? 0 : found->second.gpu;
  return (stream == default_of(gpu) ? "the default stream" : "stream " + std::to_string(stream)) +
         (several_ ? " of GPU " + std::to_string(gpu) : "");
}

void StreamOrder::join(Clock& into, const Clock& other) {
  for (const auto& [stream, number] : other) {
    u64& known = into[stream];
    known = std::max(known, number);
  }
}

/// What is ordered before the next work of a stream by streams alone: the default stream waits for all
/// blocking ones, and they for it.
StreamOrder::Clock StreamOrder::clock_of(u32 stream) const {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return {};
  Clock clock = found->second.clock;
  if (found->second.non_blocking) return clock;
  const u32 gpu = found->second.gpu;
  if (stream != default_of(gpu)) {
    join(clock, streams_.at(default_of(gpu)).clock);
    return clock;
  }
  for (const auto& [id, other] : streams_)
    if (!other.non_blocking && other.gpu == gpu) join(clock, other.clock);
  return clock;
}

void StreamOrder::stream_destroyed(u32 stream) {
  const auto found = streams_.find(stream);
  if (stream == 0 || found == streams_.end()) return;
  if (!found->second.non_blocking) join(streams_[default_of(found->second.gpu)].clock, found->second.clock);
  // Its numbers stay in use: streams are never numbered twice.
}

void StreamOrder::event_recorded(u32 event, u32 stream) { events_[event] = clock_of(known(stream)); }

void StreamOrder::event_waited(u32 stream, u32 event) {
  if (const auto found = events_.find(event); found != events_.end())
    join(streams_[known(stream)].clock, found->second);
}

void StreamOrder::host_waited_for_stream(u32 stream) { join(host_, clock_of(known(stream))); }

void StreamOrder::host_waited_for_event(u32 event) {
  if (const auto found = events_.find(event); found != events_.end()) join(host_, found->second);
}

void StreamOrder::host_waited_for_device(u32 gpu) {
  for (const auto& [id, stream] : streams_)
    if (stream.gpu == gpu) join(host_, stream.clock);
}

// ---- work ----

void StreamOrder::begin(u32 given, std::string what) {
  const u32 stream = known(given);
  current_ = {};
  current_.stream = stream;
  current_.what = std::move(what);
  current_.before = clock_of(stream);
  join(current_.before, host_);
  Stream& mine = streams_[stream];
  current_.number = ++mine.submitted;
  mine.clock = current_.before;
  mine.clock[stream] = current_.number;
}

void StreamOrder::keeps_order_with(u32 gpu) {
  const u32 other = default_of(gpu);
  if (other == current_.stream) return;
  Stream& theirs = streams_[other];
  theirs.gpu = gpu;
  join(current_.before, clock_of(other));
  Stream& mine = streams_[current_.stream];
  join(mine.clock, current_.before);
  join(theirs.clock, mine.clock);
}

void StreamOrder::access(const Instruction& in, const ObservedAccess& a) {
  if (a.space != ptx::Space::kGlobal && a.space != ptx::Space::kConst) return;
  const auto note = [&](u64 address, u64 bytes) {
    if (a.kind != AccessKind::kStore) {
      current_.read.set(address, bytes);
      current_.read_at.emplace(page_of(address), in.index);
    }
    if (a.kind != AccessKind::kLoad) {
      current_.written.set(address, bytes);
      current_.written_at.emplace(page_of(address), in.index);
    }
  };
  if (a.pattern->kind == AddressPattern::Kind::kUnit) return note(a.base, u64{a.width} * kWarpSize);
  if (a.pattern->kind == AddressPattern::Kind::kUniform) return note(a.base, a.width);
  for (u32 lanes = a.mask; lanes != 0; lanes &= lanes - 1)
    note(a.address(static_cast<u32>(std::countr_zero(lanes))), a.width);
}

void StreamOrder::end(const Kernel* kernel, bool free) {
  Operation now = std::move(current_);
  current_ = {};
  now.free = free;
  forget_known();
  if (kernel != nullptr) {
    now.kernel = readable_name(kernel->name);
    now.what = "kernel '" + now.kernel + "'";
    keep_places(now, *kernel);
  }
  for (const Operation& before : flying_) {
    if (before.stream == now.stream) continue;
    const auto known = now.before.find(before.stream);
    if (known == now.before.end() || known->second < before.number) compare(before, now);
  }
  if (now.read.empty() && now.written.empty()) return;
  flying_pages_ += pages_of(now);
  flying_.push_back(std::move(now));
  while (flying_.size() > kMostFlying || (flying_pages_ > kMostFlyingPages && flying_.size() > 1)) {
    flying_pages_ -= pages_of(flying_.front());
    flying_.pop_front();
  }
}

/// The code may be unloaded before a race with it is found.
void StreamOrder::keep_places(Operation& operation, const Kernel& kernel) const {
  std::map<u32, u32> numbers;
  for (auto* by_page : {&operation.read_at, &operation.written_at})
    for (auto& [page, instruction] : *by_page) {
      const auto [entry, fresh] = numbers.emplace(instruction, static_cast<u32>(operation.places.size()));
      if (fresh) operation.places.push_back(place_of(kernel, instruction, ""));
      instruction = entry->second;
    }
}

bool StreamOrder::host_knows(const Operation& operation) const {
  const auto known = host_.find(operation.stream);
  return known != host_.end() && known->second >= operation.number;
}

/// What the host has waited for is ordered before everything that it submits from now on.
void StreamOrder::forget_known() {
  std::erase_if(flying_, [&](const Operation& operation) {
    if (!host_knows(operation)) return false;
    flying_pages_ -= pages_of(operation);
    return true;
  });
}

void StreamOrder::compare(const Operation& before, const Operation& now) {
  if (const u64 both = before.written.first_common(now.written); both != 0)
    return report(before, now, both, true, true);
  if (const u64 read_late = before.written.first_common(now.read); read_late != 0)
    return report(before, now, read_late, true, false);
  if (const u64 written_late = before.read.first_common(now.written); written_late != 0)
    report(before, now, written_late, false, true);
}

Finding::Place StreamOrder::place(const Operation& operation, u64 address, bool writes) const {
  const auto& by_page = writes ? operation.written_at : operation.read_at;
  const auto found = by_page.find(page_of(address));
  Finding::Place place;
  if (found != by_page.end()) place = operation.places[found->second];
  place.what = operation.what + " in " + name_of(operation.stream) +
               (operation.free ? " frees"
                : writes       ? " writes"
                               : " reads");
  return place;
}

void StreamOrder::report(const Operation& before, const Operation& now, u64 address, bool first_writes,
                         bool second_writes) {
  Finding finding;
  finding.check = now.free ? kCheckMemory : kCheckRace;
  finding.rule = now.free ? "free-in-use" : "stream-order";
  finding.kernel = now.kernel.empty() ? before.kernel : now.kernel;
  finding.places = {place(before, address, first_writes), place(now, address, second_writes)};
  finding.message = finding.places[0].what + " and " + finding.places[1].what +
                    " the same bytes, and nothing says which comes first: " + explain_(address);
  // Nobody means to use the default stream beside another one.
  const bool forgotten = (before.stream == default_of(gpu_)) != (now.stream == default_of(gpu_));
  finding.advice =
      forgotten
          ? "was a stream forgotten? Put both into one: it is the fourth argument of <<<...>>>, and the last "
            "one of cudaMemcpyAsync and cudaMemsetAsync; cudaMemcpy and cudaMemset have none. For two "
            "streams: cudaEventRecord after the first work, cudaStreamWaitEvent before the other"
          : "record an event after the first (cudaEventRecord), and let the other stream wait for it "
            "(cudaStreamWaitEvent) or, before it starts the second, the host (cudaEventSynchronize); or put "
            "both into one stream";
  findings_.add(std::move(finding));
}

// ---- the host ----

void StreamOrder::host_accessed(u64 address, bool write) {
  for (const Operation& operation : flying_) {
    if (host_knows(operation)) continue;
    const bool writes = operation.written.has(address);
    if (!writes && !(write && operation.read.has(address))) continue;
    Finding finding;
    finding.check = kCheckRace;
    finding.rule = "host-access";
    finding.kernel = operation.kernel;
    finding.places = {place(operation, address, writes)};
    finding.message = std::string("host code ") + (write ? "writes" : "reads") + " memory that " +
                      finding.places[0].what + ", before the program has waited for it: " + explain_(address);
    finding.advice =
        "wait first: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize before host code "
        "touches "
        "the memory";
    findings_.add(std::move(finding));
    return;
  }
}

std::vector<StreamOrder::Busy> StreamOrder::busy_pages(u64 begin, u64 end) {
  forget_known();
  std::map<u64, bool> pages;
  const auto note = [&](const ByteMap& bytes, bool written) {
    bytes.each_page([&](u64 page) {
      if (page >= begin && page < end) pages[page] = pages[page] || written;
    });
  };
  for (const Operation& operation : flying_) {
    note(operation.read, false);
    note(operation.written, true);
  }
  std::vector<Busy> busy;
  for (const auto& [page, written] : pages) busy.push_back({page, written});
  return busy;
}

}  // namespace roofline::sim
