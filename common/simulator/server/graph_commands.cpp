// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Executable graphs. A graph is checked when it is defined, and each node again when it executes: memory may
// have been freed and code unloaded in between.
#include <algorithm>
#include <cstring>

#include "simulator/channel/graph_order.h"
#include "simulator/server/answers.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

using Kind = GraphNode::Kind;

/// Copies between the program's memory and the machine's go through the staging memory in pieces of this
/// size.
constexpr u64 kPiece = u64{4} << 20;
/// Runs that wait for the program; one per thread of it in practice.
constexpr size_t kMaxRuns = 4096;
/// Runs that begin later: launches behind host functions and waits.
constexpr size_t kMaxKept = size_t{1} << 20;

bool needs_program(const GraphNode& node) {
  const auto awaits = [](const WordOperation& each) { return each.kind != WordOperation::Kind::kWrite; };
  return node.enabled &&
         (node.kind == Kind::kHost || node.kind == Kind::kCopyIn || node.kind == Kind::kCopyOut ||
          std::any_of(node.words.begin(), node.words.end(), awaits));
}

/// Bytes that a copy moves; nothing when that does not fit 64 bits.
std::optional<u64> content(const GraphCopy& c) {
  u64 rows = 0, bytes = 0;
  if (__builtin_mul_overflow(c.to.height, c.depth, &rows) || __builtin_mul_overflow(rows, c.to.width, &bytes))
    return {};
  return bytes;
}

/// Bytes of the sectors in DRAM that a copy touches, at the end where these are more: of each row, where rows
/// are apart.
u64 in_sectors(const GraphCopy& c) {
  const auto rounded = [](u64 bytes) { return (bytes + kSectorBytes - 1) / kSectorBytes * kSectorBytes; };
  const auto is_packed = [&](u64 pitch, u64 slice) {
    return (pitch == c.to.width || c.to.height == 1) && (slice == pitch * c.to.height || c.depth == 1);
  };
  return is_packed(c.to.pitch, c.to_slice) && is_packed(c.from_pitch, c.from_slice)
             ? rounded(*content(c))
             : rounded(c.to.width) * c.to.height * c.depth;
}

/// Bytes from the first to the last of one side of a copy; nothing when rows overlap or it is too long.
std::optional<u64> span(const GraphCopy& c, u64 pitch, u64 slice) {
  if (c.to.width == 0 || c.to.height == 0 || c.depth == 0) return 0;
  if (c.to.height > 1 && pitch < c.to.width) return {};
  u64 rows = 0, slices = 0, total = 0;
  if (__builtin_mul_overflow(pitch, c.to.height - 1, &rows) ||
      __builtin_mul_overflow(slice, c.depth - 1, &slices) || __builtin_add_overflow(rows, slices, &total) ||
      __builtin_add_overflow(total, c.to.width, &total))
    return {};
  return total;
}

/// Calls `each(row's address on both sides, bytes into the packed copy, n)` for the parts of rows that make
/// up packed bytes [offset, offset + bytes).
template <class Each>
void for_rows(const GraphCopy& c, u64 offset, u64 bytes, Each&& each) {
  while (bytes) {
    const u64 row = offset / c.to.width, column = offset % c.to.width;
    const u64 n = std::min(bytes, c.to.width - column);
    const u64 slice = row / c.to.height, line = row % c.to.height;
    each(c.to.address + slice * c.to_slice + line * c.to.pitch + column,
         c.from + slice * c.from_slice + line * c.from_pitch + column, n);
    offset += n;
    bytes -= n;
  }
}

/// What a node comes after on the timeline; `first`: what the first nodes do.
std::vector<WorkId> before(const GraphRun& run, const GraphNode& node, WorkId first) {
  std::vector<WorkId> before{first};
  for (const u32 from : node.dependencies) before.push_back(run.ends[from]);
  return before;
}

std::vector<WorkId> ends_of(const GraphRun& run, u32 body) {
  std::vector<WorkId> ends;
  const auto order = run.graph->orders.find(body);
  if (order == run.graph->orders.end()) return ends;
  for (const u32 place : order->second)
    if (run.ends[place] != 0) ends.push_back(run.ends[place]);
  return ends;
}

}  // namespace

bool Server::is_valid(const GraphCopy& c, Kind kind) const {
  if (!content(c)) return false;
  const auto to = span(c, c.to.pitch, c.to_slice), from = span(c, c.from_pitch, c.from_slice);
  const bool to_valid = to && holds(c.to.address, *to);
  const bool from_valid = from && holds(c.from, *from);
  return (to_valid || kind == Kind::kCopyOut) && (from_valid || kind == Kind::kCopyIn);
}

bool Server::is_valid(const GraphNode& node) const {
  std::string ignored;
  switch (node.kind) {
    case Kind::kKernel:
      return check_kernel(node.kernel, ignored) == Status::kOk;
    case Kind::kCopy:
    case Kind::kCopyIn:
    case Kind::kCopyOut:
      return is_valid(node.copy, node.kind);
    case Kind::kFill:
      return is_valid(node.fill);
    case Kind::kEmpty:
    case Kind::kHost:
    case Kind::kRecordEvent:
    case Kind::kWaitEvent:
      return true;
    case Kind::kWords:
      return std::all_of(node.words.begin(), node.words.end(),
                         [this](const WordOperation& each) { return is_valid(each); });
    case Kind::kCondition:
      return device_->condition(node.condition.number).has_value();
  }
  return false;
}

bool Server::may_wait(const std::vector<GraphNode>& nodes) const {
  return std::any_of(nodes.begin(), nodes.end(), [this](const GraphNode& node) {
    return node.kind == Kind::kKernel && device_->may_wait(node.kernel.function);
  });
}

Answer Server::handle(const DefineGraph& c) {
  if (c.bytes > kStagingBytes) return refuse(Status::kInvalidValue);
  const std::vector<std::byte> text(staging_.data(),
                                    staging_.data() + c.bytes);  // the program could change it meanwhile
  auto definition = decode_graph(text);
  if (!definition) return refuse(Status::kInvalidValue);
  auto order = execution_order(*definition, board_.graph_seed());
  if (!order) return refuse(Status::kInvalidValue);
  // A body runs at one go.
  const auto valid = [this](const GraphNode& node) {
    return is_valid(node) && (node.body == 0 || !needs_program(node));
  };
  if (!std::all_of(definition->nodes.begin(), definition->nodes.end(), valid))
    return refuse(Status::kInvalidValue);
  timeline_.host_call(description_.graph_instantiate_us +
                      static_cast<double>(order->size()) * description_.graph_instantiate_node_us);
  records_.graph_instantiated();
  std::map<u32, std::vector<u32>> orders{{0, {}}};
  for (const u32 place : *order) orders[definition->nodes[place].body].push_back(place);
  const bool waits = may_wait(definition->nodes);
  graphs_[c.graph] = std::make_shared<const ExecutableGraph>(
      ExecutableGraph{std::move(definition->nodes), std::move(orders), definition->own_priorities, waits});
  return give(GraphFacts{waits});
}

Answer Server::handle(const UpdateGraphNode& c) {
  const auto graph = graphs_.find(c.graph);
  if (graph == graphs_.end()) return refuse(Status::kInvalidHandle);
  if (c.place >= graph->second->nodes.size() || c.node.kind > Kind::kWords || !is_valid(c.node) ||
      (graph->second->nodes[c.place].body != 0 && needs_program(c.node)))
    return refuse(Status::kInvalidValue);
  timeline_.host_call(description_.api_call_us);
  // Runs keep what they were launched with; when there is none, nobody else looks.
  auto changed = graph->second.use_count() == 1 ? std::const_pointer_cast<ExecutableGraph>(graph->second)
                                                : std::make_shared<ExecutableGraph>(*graph->second);
  GraphNode& node = changed->nodes[c.place];
  std::vector<u32> dependencies = std::move(node.dependencies);
  std::vector<u32> bodies = std::move(node.condition.bodies);
  const u32 body = node.body;
  node = c.node;
  node.dependencies = std::move(dependencies);
  node.condition.bodies = std::move(bodies);
  node.body = body;
  changed->may_wait = may_wait(changed->nodes);
  graph->second = std::move(changed);
  return give(GraphFacts{graph->second->may_wait});
}

Answer Server::handle(const UploadGraph& c) {
  if (!graphs_.contains(c.graph) || !known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  timeline_.host_call(description_.api_call_us);
  return {};
}

Answer Server::handle(const DestroyGraph& c) {
  return graphs_.erase(c.graph) ? Answer{} : refuse(Status::kInvalidHandle);
}

Answer Server::handle(const KeepGraph& c) {
  const auto graph = graphs_.find(c.graph);
  if (graph == graphs_.end()) return refuse(Status::kInvalidHandle);
  if (kept_graphs_.size() >= kMaxKept) return refuse(Status::kOutOfMemory);
  kept_graphs_[c.run] = graph->second;
  return {};
}

Answer Server::handle(const LaunchGraph& c) {
  const auto kept = kept_graphs_.extract(c.run);
  if (sticky_ != Status::kOk) return {};
  const auto found = graphs_.find(c.graph);
  std::shared_ptr<const ExecutableGraph> graph;
  if (kept)
    graph = kept.mapped();
  else if (!c.kept && found != graphs_.end())
    graph = found->second;
  if (!graph || !known_stream(c.stream) || runs_.contains(c.run)) return refuse(Status::kInvalidHandle);
  if (runs_.size() >= kMaxRuns) return refuse(Status::kOutOfMemory);
  GraphRun& run = runs_[c.run];
  run.graph = graph;
  run.stream = c.stream;
  run.launch = records_.graph_launched();
  run.priority = c.priority;
  run.begin = begin_graph(c.stream, run.graph->nodes.size(), run.graph->forks(), c.graph + 1);
  run.ends.resize(run.graph->nodes.size());
  for (const GraphNode& node : run.graph->nodes)
    if (node.kind == Kind::kCondition && node.condition.assigned)
      device_->set_condition(node.condition.number, node.condition.value);
  if (go_on(run) && !run.stopped) end_run(c.run);
  return {};
}

Answer Server::handle(const ResumeGraph& c) {
  const auto found = runs_.find(c.run);
  if (found == runs_.end()) return give(GraphStop{.done = true});
  GraphRun& run = found->second;
  if (sticky_ != Status::kOk) end_waiting_kernels();  // the context is dead, as on a real device
  bool waits = false;
  if (observes() && !waiting_kernels_.contains(run.stream)) end_waiting_kernels();  // one kernel at a time
  if (waiting_kernels_.contains(run.stream)) {
    waits = !look_again(run.stream, Others::kWentOn);
  } else if (run.stopped && c.served == run.served + 1) {
    run.served++;
    move_piece(run, run.graph->nodes[run.graph->order()[run.next]]);
    waits = !go_on(run);
  } else if (run.stopped && c.served != run.served) {
    return refuse(Status::kInvalidValue);
  }
  if (waits) return give(GraphStop{.waits = true});
  if (!run.stopped) {
    end_run(c.run);
    return give(GraphStop{.done = true});
  }
  return give(GraphStop{.node = run.graph->order()[run.next], .offset = run.offset, .bytes = run.bytes});
}

void Server::end_run(u32 id) {
  const GraphRun& run = runs_[id];
  end_graph(run.stream, run.begin, ends_of(run, 0));
  runs_.erase(id);
}

/// What the program has done at a stop: its bytes have arrived, or have been taken. They count from now on,
/// whether the program comes back for the rest or not.
void Server::move_piece(GraphRun& run, const GraphNode& node) {
  if (node.kind == Kind::kCopyIn && is_valid(node)) {
    const std::byte* from = staging_.data();
    for_rows(node.copy, run.offset, run.bytes, [&](u64 to, u64, u64 n) {
      std::memcpy(device_->at(to), from, n);
      from += n;
    });
    records_.copied(CopyKind::kHostToDevice, run.bytes, run.stream);
  }
  run.offset += run.bytes;
}

bool Server::go_on(GraphRun& run) {
  if (!run.graph->may_wait) {
    advance(run);
    return true;
  }
  return begin_waiting(run.stream, {}, [this, &run](const LetOthersGoOn* others) {
    run.others = others;
    advance(run);
    run.others = nullptr;
  });
}

void Server::advance(GraphRun& run) {
  const ExecutableGraph& graph = *run.graph;
  while (run.next < graph.order().size() && sticky_ == Status::kOk) {
    const u32 place = graph.order()[run.next];
    const GraphNode& node = graph.nodes[place];
    if (is_valid(node) && node.kind == Kind::kWords && node.enabled) {
      if (!run_words(run, place)) return;
      run.next++;
      continue;
    }
    if (is_valid(node) && needs_program(node)) {
      const u64 total = node.kind == Kind::kHost ? 0 : *content(node.copy);
      if (!run.stopped || run.offset < total) {
        run.offset = run.stopped ? run.offset : 0;
        run.bytes = std::min(kPiece, total - run.offset);
        run.stopped = true;
        std::byte* to = staging_.data();
        if (node.kind == Kind::kCopyOut)
          for_rows(node.copy, run.offset, run.bytes, [&](u64, u64 from, u64 n) {
            std::memcpy(to, device_->at(from), n);
            to += n;
          });
        return;
      }
    }
    run_node(run, place, run.begin);
    run.stopped = false;
    run.next++;
  }
  run.stopped = false;
}

/// Operations on words: all that is left of the node, or up to a wait that is not over, at which the run
/// stops.
bool Server::run_words(GraphRun& run, u32 place) {
  const GraphNode& node = run.graph->nodes[place];
  if (!run.stopped) {
    run.words = 0;
    run.ends[place] = 0;
  } else if (!has_value(node.words[run.words])) {
    return false;
  }
  std::vector<WorkId> after =
      run.ends[place] == 0 ? before(run, node, run.begin) : std::vector{run.ends[place]};
  begin_node(run.stream, std::move(after));
  for (run.stopped = false; run.words < node.words.size() && !run.stopped;) {
    const WordOperation& each = node.words[run.words];
    if (each.kind == WordOperation::Kind::kWrite)
      write_word(each, run.stream);
    else
      run.stopped = !await_word(each, run.stream);
    if (run.stopped)
      waiting_ = {each, run.stream};
    else
      run.words++;
  }
  run.ends[place] = end_node(run.stream);
  run.offset = run.bytes = 0;
  if (!board_.words.empty()) node_wrote_words(run.stream, run.ends[place]);
  if (!run.stopped) records_.graph_node();
  return !run.stopped;
}

void Server::run_node(GraphRun& run, u32 place, WorkId first) {
  const GraphNode& node = run.graph->nodes[place];
  const bool valid = is_valid(node);
  if (!valid && deferred_ == Status::kOk) deferred_ = Status::kInvalidValue;
  begin_node(run.stream, before(run, node, first));
  if (valid && node.enabled) execute(run, node);
  run.ends[place] = end_node(run.stream);
  if (!board_.words.empty()) node_wrote_words(run.stream, run.ends[place]);
  if (valid && node.kind == Kind::kCondition)
    run.ends[place] = run_bodies(run, node.condition, run.ends[place]);
  records_.graph_node();
}

/// Gives the end of the last body that ran.
WorkId Server::run_bodies(GraphRun& run, const GraphCondition& condition, WorkId begin) {
  const auto value = [&] { return device_->condition(condition.number).value_or(0); };
  const auto run_body = [&](size_t index) {
    if (index < condition.bodies.size()) begin = run_body_once(run, condition.bodies[index], begin);
  };
  switch (condition.kind) {
    case GraphCondition::Kind::kIf:
      run_body(value() != 0 ? 0 : 1);
      break;
    case GraphCondition::Kind::kWhile:
      while (value() != 0 && sticky_ == Status::kOk) run_body(0);
      break;
    case GraphCondition::Kind::kSwitch:
      run_body(value());
      break;
  }
  return begin;
}

WorkId Server::run_body_once(GraphRun& run, u32 body, WorkId begin) {
  const auto order = run.graph->orders.find(body);
  if (order == run.graph->orders.end()) return begin;
  for (const u32 place : order->second) {
    if (sticky_ != Status::kOk) break;
    run_node(run, place, begin);
  }
  std::vector<WorkId> ends = ends_of(run, body);
  ends.push_back(begin);
  begin_node(run.stream, std::move(ends));
  return end_node(run.stream);
}

void Server::copy_within(const GraphCopy& copy, u32 stream) {
  for_rows(copy, 0, *content(copy), [&](u64 to, u64 from, u64 n) {
    std::memmove(device_->at(to), device_->at(from), n);
    if (checks_) checks_->copied_within(stream, {to, n, n, 1}, {from, n, n, 1}, false);
  });
  book_within(copy.to.address, copy.from, *content(copy), in_sectors(copy), stream, true, false);
}

void Server::execute(GraphRun& run, const GraphNode& node) {
  switch (node.kind) {
    case Kind::kKernel:
      run_kernel(node.kernel, {.stream = run.stream,
                               .graph_launch = run.launch,
                               .priority = run.graph->own_priorities ? node.kernel.priority : run.priority,
                               .others = run.others});
      break;
    case Kind::kCopy:
      copy_within(node.copy, run.stream);
      break;
    case Kind::kCopyIn:
      if (checks_)
        for_rows(node.copy, 0, *content(node.copy), [&](u64 to, u64, u64 n) {
          checks_->copied_in(run.stream, {to, n, n, 1}, false);
        });
      time_copy(CopyKind::kHostToDevice, *content(node.copy), run.stream, true, true, false);
      break;
    case Kind::kCopyOut:
      if (checks_)
        for_rows(node.copy, 0, *content(node.copy), [&](u64, u64 from, u64 n) {
          checks_->copied_out(run.stream, {from, n, n, 1}, false);
        });
      book_copy(CopyKind::kDeviceToHost, *content(node.copy), run.stream, true, true, false);
      break;
    case Kind::kFill:
      fill(node.fill, run.stream);
      break;
    case Kind::kRecordEvent:
      record_event(run.stream, node.event);
      break;
    case Kind::kWaitEvent:
      wait_event(run.stream, node.event);
      if (checks_) checks_->streams().event_waited(run.stream, node.event);
      break;
    case Kind::kWords:  // in the body of a conditional node; none of them waits there
      for (const WordOperation& each : node.words) write_word(each, run.stream);
      break;
    case Kind::kEmpty:
    case Kind::kHost:
    case Kind::kCondition:
      break;
  }
}

Answer Server::handle(const CreateCondition&) { return give(Address{device_->add_condition()}); }

Answer Server::handle(const DestroyCondition& c) {
  device_->remove_condition(c.number);
  return {};
}

}  // namespace roofline::sim::server
