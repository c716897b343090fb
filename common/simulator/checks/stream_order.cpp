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

void StreamOrder::begin_graph(u32 given, bool forks, u64 executable) {
  const u32 stream = known(given);
  Stream& mine = streams_[stream];
  mine.submitted++;
  if (executable != 0) join(mine.clock, executed_[{gpu_, executable}]);
  graphs_[stream].executable = executable;
  forks_ = forks_ || forks;
}

void StreamOrder::end_graph(u32 given) {
  const u32 stream = known(given);
  const auto graph = graphs_.find(stream);
  if (graph == graphs_.end()) return;  // a client that lies
  if (const u64 executable = graph->second.executable; executable != 0)
    executed_[{gpu_, executable}] = streams_[stream].clock;
  graphs_.erase(graph);
}

void StreamOrder::begin_node(u32 stream, const std::vector<u64>& after) {
  Graph& graph = graphs_[known(stream)];
  graph.piece = graph.order.begin(after);
}

void StreamOrder::end_node(u32 stream, u64 name) { graphs_[known(stream)].order.end(name); }

void StreamOrder::begin(u32 given, std::string what, std::string launched_by) {
  const u32 stream = known(given);
  current_ = {};
  current_.stream = stream;
  current_.what = std::move(what);
  current_.launched_by = std::move(launched_by);
  current_.before = clock_of(stream);
  join(current_.before, host_);
  Stream& mine = streams_[stream];
  if (const auto graph = graphs_.find(stream); graph != graphs_.end())
    current_.piece = graph->second.piece;
  else
    ++mine.submitted;
  current_.number = mine.submitted;
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

void StreamOrder::access(const Instruction& in, const ObservedAccess& a, const Traits& traits) {
  if (a.space != ptx::Space::kGlobal && a.space != ptx::Space::kConst) return;
  Uses& uses = current_[traits.strength == Strength::kPlain ? a.kind : AccessKind::kAtomic];
  const auto note = [&](u64 address, u64 bytes) {
    if (traits.system_scope) current_.handed.set(address, bytes);
    uses.bytes.set(address, bytes);
    uses.at.emplace(page_of(address), in.index);
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
  compare_with_flying(now);
  if (now.pages() == 0) return;
  flying_pages_ += now.pages();
  flying_.push_back(std::move(now));
  while (flying_.size() > kMostFlying || (flying_pages_ > kMostFlyingPages && flying_.size() > 1)) {
    flying_pages_ -= flying_.front().pages();
    flying_.pop_front();
  }
}

void StreamOrder::compare_with_flying(const Operation& now) {
  u64 oldest = now.piece;
  const auto is_of_same_graph = [&](const Operation& before) {
    return now.piece != 0 && before.stream == now.stream && before.number == now.number;
  };
  for (const Operation& before : flying_)
    if (is_of_same_graph(before)) oldest = std::min(oldest, before.piece);
  std::vector<bool> earlier;
  if (now.piece != 0) {
    PieceOrder& order = graphs_.at(now.stream).order;
    order.forget_below(oldest);
    earlier = order.before(now.piece, oldest);
  }
  for (const Operation& before : flying_) {
    if (before.stream == now.stream) {
      if (is_of_same_graph(before) && !earlier[before.piece - oldest]) compare(before, now);
      continue;
    }
    const auto known = now.before.find(before.stream);
    if (known == now.before.end() || known->second < before.number) compare(before, now);
  }
}

void StreamOrder::allocated(u64 address, u64 bytes) {
  for (Uses& uses : current_.uses) uses.bytes.clear(address, bytes);
  for (Operation& operation : flying_)
    for (Uses& uses : operation.uses) uses.bytes.clear(address, bytes);
}

/// The code may be unloaded before a race with it is found.
void StreamOrder::keep_places(Operation& operation, const Kernel& kernel) const {
  std::map<u32, u32> numbers;
  for (Uses& uses : operation.uses)
    for (auto& [page, instruction] : uses.at) {
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
    flying_pages_ -= operation.pages();
    return true;
  });
}

void StreamOrder::compare(const Operation& before, const Operation& now) {
  using enum AccessKind;
  for (const auto& [first, second] :
       {std::pair{kStore, kStore}, std::pair{kStore, kLoad}, std::pair{kLoad, kStore},
        std::pair{kStore, kAtomic}, std::pair{kAtomic, kStore}, std::pair{kAtomic, kLoad},
        std::pair{kLoad, kAtomic}})
    if (const u64 both = before[first].bytes.first_common(now[second].bytes); both != 0)
      return report(before, now, both, first, second);
}

Finding::Place StreamOrder::place(const Operation& operation, u64 address, AccessKind kind) const {
  const auto& by_page = operation[kind].at;
  const auto found = by_page.find(page_of(address));
  Finding::Place place;
  if (found != by_page.end()) place = operation.places[found->second];
  const std::string origin = operation.launched_by.empty()
                                 ? " in " + name_of(operation.stream)
                                 : ", launched by '" + readable_name(operation.launched_by) + "',";
  place.what = operation.what + origin +
               (operation.free               ? " frees"
                : kind == AccessKind::kStore ? " writes"
                : kind == AccessKind::kLoad  ? " reads"
                                             : " accesses atomically");
  return place;
}

const char* StreamOrder::advice(const Operation& before, const Operation& now) const {
  if (before.stream == now.stream && !before.launched_by.empty() && !now.launched_by.empty())
    return "what a kernel launches runs side by side, unless it is launched into one stream by one block: "
           "put "
           "both into one stream, or launch the second into cudaStreamTailLaunch, which waits for all others";
  if (before.stream == now.stream)
    return "nodes of a graph run side by side, unless one depends on the other: add the dependency; while a "
           "stream is captured that is cudaEventRecord after the first and cudaStreamWaitEvent before the "
           "other";
  // Nobody means to use the default stream beside another one.
  if ((before.stream == default_of(gpu_)) != (now.stream == default_of(gpu_)))
    return "was a stream forgotten? Put both into one: it is the fourth argument of <<<...>>>, and the last "
           "one of cudaMemcpyAsync and cudaMemsetAsync; cudaMemcpy and cudaMemset have none. For two "
           "streams: cudaEventRecord after the first work, cudaStreamWaitEvent before the other";
  return "record an event after the first, in its stream (cudaEventRecord), and let the other stream wait "
         "for it "
         "(cudaStreamWaitEvent) or, before it starts the second, the host (cudaEventSynchronize); or put "
         "both into one stream";
}

void StreamOrder::report(const Operation& before, const Operation& now, u64 address, AccessKind first,
                         AccessKind second) {
  Finding finding;
  finding.check = now.free ? kCheckMemory : kCheckRace;
  finding.rule = now.free ? "free-in-use" : "stream-order";
  finding.kernel = now.kernel.empty() ? before.kernel : now.kernel;
  finding.places = {place(before, address, first), place(now, address, second)};
  finding.message = finding.places[0].what + " and " + finding.places[1].what +
                    " the same bytes, and nothing says which comes first: " + explain_(address);
  finding.advice = advice(before, now);
  findings_.add(std::move(finding));
}

// ---- the host ----

void StreamOrder::host_accessed(u64 address, bool write) {
  for (const Operation& operation : flying_) {
    if (host_knows(operation)) continue;
    if (operation.handed.has(address)) {
      // A flag: host code that waits for it knows what the work did before, and more is taken for known.
      if (!write) join(host_, {{operation.stream, operation.number}});
      continue;
    }
    using enum AccessKind;
    const auto touches = [&](AccessKind kind) { return operation[kind].bytes.has(address); };
    const AccessKind kind = touches(kStore) ? kStore : touches(kAtomic) ? kAtomic : kLoad;
    if (kind == kLoad && !(write && touches(kLoad))) continue;
    Finding finding;
    finding.check = kCheckRace;
    finding.rule = "host-access";
    finding.kernel = operation.kernel;
    finding.places = {place(operation, address, kind)};
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
    note(operation[AccessKind::kLoad].bytes, false);
    note(operation[AccessKind::kStore].bytes, true);
    note(operation[AccessKind::kAtomic].bytes, true);
  }
  std::vector<Busy> busy;
  for (const auto& [page, written] : pages) busy.push_back({page, written});
  return busy;
}

}  // namespace roofline::sim
