// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "random/philox.h"
#include "simulator/names.h"
#include "simulator/ptx/load_error.h"
#include "simulator/server/answers.h"
#include "simulator/server/code.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

/// Printed text that the program never fetches is cut at this length.
constexpr size_t kMaxOutput = size_t{64} << 20;

/// Small enough that nothing computed from it overflows; the exact limits are the device's to check.
bool is_block(Dim3 block) {
  constexpr u32 kMost = 1024;
  return block.x >= 1 && block.y >= 1 && block.z >= 1 && block.x <= kMost && block.y <= kMost &&
         block.z <= kMost;
}

/// What a module's managed variables hold when a further GPU loads it: its initial values were stored once.
class ManagedContents {
 public:
  ManagedContents(const Board& board, u32 program_module) {
    for (const auto& [key, address] : board.managed_variables) {
      const auto allocation = board.host_allocations.find(address);
      if (key.first != program_module || allocation == board.host_allocations.end()) continue;
      const auto* bytes = reinterpret_cast<const std::byte*>(address);
      kept_.emplace_back(address, std::vector<std::byte>(bytes, bytes + allocation->second.bytes));
    }
  }
  void restore() const {
    for (const auto& [address, bytes] : kept_)
      std::memcpy(reinterpret_cast<std::byte*>(address), bytes.data(), bytes.size());
  }

 private:
  std::vector<std::pair<u64, std::vector<std::byte>>> kept_;
};

/// 0 blocks stand for what the kernel was compiled with.
bool is_cluster(Dim3 cluster) {
  constexpr u32 kMost = 1024;
  return cluster.x <= kMost && cluster.y <= kMost && cluster.z <= kMost;
}

Status status_of(TrapKind kind) {
  switch (kind) {
    case TrapKind::kIllegalAddress:
      return Status::kIllegalAddress;
    case TrapKind::kMisalignedAddress:
      return Status::kMisalignedAddress;
    case TrapKind::kInvalidAddressSpace:
      return Status::kInvalidAddressSpace;
    case TrapKind::kIllegalInstruction:
      return Status::kIllegalInstruction;
    case TrapKind::kInvalidPc:
      return Status::kInvalidPc;
    case TrapKind::kAssert:
      return Status::kAssert;
    case TrapKind::kStackOverflow:
      return Status::kHardwareStack;
    case TrapKind::kDeadlock:
    case TrapKind::kTimeout:
      return Status::kLaunchTimeout;
    case TrapKind::kTrap:
    case TrapKind::kDivergentBarrier:
      break;
  }
  return Status::kLaunchFailure;
}

Launch launch_of(const LaunchKernel& c) {
  return {c.function, c.grid, c.block, c.dynamic_shared_bytes, c.parameters, c.cooperative, c.cluster};
}

/// The kernel stands still while its pages come.
void add_faults(const DeviceDescription& device, const ManagedMemory::Moves& moves, KernelTime& time) {
  if (moves.faults == 0) return;
  const double seconds = fault_seconds(device, moves);
  time.seconds += seconds;
  const auto slower = [&](const KernelTime::Bound& bound) { return bound.seconds < seconds; };
  time.bounds.insert(std::find_if(time.bounds.begin(), time.bounds.end(), slower), {"page faults", seconds});
}

}  // namespace

Answer Server::handle(const LoadModule& c) try {
  if (c.bytes > kStagingBytes) return refuse(Status::kInvalidValue);
  const std::vector<std::byte> image(staging_.data(),
                                     staging_.data() + c.bytes);  // the program could change it meanwhile
  const Code code = find_code(image, c.parts, description_);
  device_->set_managed_allocator(
      [&](u64 size, const std::string& name) { return allocate_managed(c.program_module, size, name); });
  const ManagedContents kept(board_, c.program_module);
  ModuleFacts facts = device_->load_modules(code.ptx, code.elf);
  kept.restore();
  modules_.insert(facts.id);
  u64 text = 0;
  for (const std::string& unit : code.ptx) text += unit.size();
  records_.module_loaded(text);
  LoadedModule loaded;
  loaded.id = facts.id;
  loaded.target = code.target;
  for (auto& function : facts.functions) {
    functions_[function.id] = {facts.id, function.parameter_bytes};
    loaded.functions.push_back({std::move(function)});
  }
  for (auto& variable : facts.variables) loaded.variables.push_back({std::move(variable)});
  records_.device_bytes(device_bytes_in_use());
  Writer out;
  out(loaded);
  if (out.bytes().size() > kStagingBytes)
    return refuse(Status::kInvalidImage, "the module has too many functions");
  std::memcpy(staging_.data(), out.bytes().data(), out.bytes().size());
  return give(InStaging{out.bytes().size()});
} catch (const CodeError& error) {
  records_.load_error(error.message);
  return refuse(error.status, error.message);
} catch (const LoadError& error) {
  records_.load_error(error.what());
  return refuse(Status::kInvalidPtx, error.what());
}

Answer Server::handle(const UnloadModule& c) {
  if (!modules_.erase(c.module)) return refuse(Status::kInvalidHandle);
  timeline_.synchronize_device();
  std::erase_if(functions_, [&](const auto& entry) { return entry.second.module == c.module; });
  device_->unload_module(c.module);
  return give(Nothing{});
}

Answer Server::handle(const LaunchKernel& c) {
  if (sticky_ != Status::kOk) return {};  // the context is dead, as on a real device
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  std::string why;
  if (const Status status = check_kernel(c, why); status != Status::kOk) {
    if (status == Status::kInvalidPtx) records_.load_error(why);
    records_.launch_refused();
    return refuse(status, why);
  }
  // The host goes on while the kernel runs, which may take long, or until the host changes memory: a clock
  // that it reads meanwhile need not wait.
  constexpr double kMicro = 1e-6;
  board_.shown_clock.show(timeline_.host_now() + description_.launch_us * kMicro, board_.command);
  if (device_->may_wait(c.function))
    begin_waiting(c.stream, functions_.at(c.function).module, [this, c](const LetOthersGoOn* others) {
      run_kernel(c, {.stream = c.stream, .priority = c.priority, .others = others});
    });
  else
    run_kernel(c, {.stream = c.stream, .priority = c.priority});
  return {};
}

Status Server::check_kernel(const LaunchKernel& c, std::string& why) const {
  const auto kernel = functions_.find(c.function);
  if (kernel == functions_.end()) return Status::kInvalidHandle;
  why = device_->load_problem(c.function);
  if (!why.empty()) return Status::kInvalidPtx;
  if (c.parameters.size() != kernel->second.parameter_bytes || !is_block(c.block) || !is_cluster(c.cluster))
    return Status::kInvalidConfiguration;
  why = device_->check_launch(launch_of(c));
  return why.empty() ? Status::kOk : Status::kInvalidConfiguration;
}

void Server::run_kernel(const LaunchKernel& c, const Submission& submission) {
  records_.parameters(c.parameters.size());
  Launched launched = run_grid(launch_of(c), submission);
  if (!launched.work.empty()) run_device_work(std::move(launched), submission);
}

Server::Launched Server::run_grid(Launch launch, const Submission& submission) {
  const u32 stream = submission.stream;
  if (checks_) checks_->launching(stream, submission.launched_by);
  pages_.set_capacity(device_->free_bytes());
  // A new draw for every launch: what a program learns from the time of one tells nothing about the next.
  const PhiloxBlock random = philox(board_.sampling_seed, board_.kernels);
  launch.sample_seed = u64{random.word[1]} << 32 | random.word[0];
  device_->take_peak();
  LaunchResult result = device_->launch(launch, submission.waiting, submission.others);
  records_.device_bytes(device_->take_peak());  // malloc in kernels, and what they freed again
  const ManagedMemory::Moves moves = pages_.take_moves();
  add_faults(description_, moves, result.time);
  // Not of this grid, which may leave places for blocks of other kernels.
  const Occupancy full = device_->occupancy_of(launch.function, launch.block, launch.dynamic_shared_bytes);
  const double slots = double(full.blocks_per_sm) * description_.sms;
  DeviceShare share = result.time.share;
  const double turns = slots > 0 ? static_cast<double>(launch.grid.count()) / slots : 1.0;
  share.block_slots = std::min(1.0, turns);
  std::vector<Timeline::LinkUse> links;
  for (u32 gpu = 0; gpu < std::min(result.counters.peers.size(), board_.gpus.size()); ++gpu)
    if (const PeerBytes& moved = result.counters.peers[gpu]; moved.read + moved.written != 0) {
      links.push_back({&board_.gpus[gpu]->timeline_, moved.read, moved.written});
      over_link(*board_.gpus[gpu], *this, moved.read);
      over_link(*this, *board_.gpus[gpu], moved.written);
    }
  timeline_.kernel(stream, result.kernel, result.time.seconds, share, links,
                   {submission.priority, launch.cooperative ? 1 : std::ceil(turns), board_.kernels + 1});
  records_.printed(result.output.size());
  if (output_.size() < kMaxOutput) output_ += result.output;
  records_.count(*device_, launch.function, result);
  records_.migrated(moves.in_bytes);

  KernelRecord record;
  record.ordinal = ++board_.kernels;
  if (options_.trace) trace_.name_kernel(record.ordinal);
  record.name = result.kernel;
  record.stream = stream;
  record.graph_launch = submission.graph_launch;
  record.device = index_;
  record.grid = launch.grid;
  record.block = launch.block;
  if (const auto& entries = timeline_.entries(); !entries.empty()) {
    record.start = entries.back().start;
    record.end = entries.back().end;
  }
  timeline_.clear_entries();
  record.seconds = result.time.seconds;
  for (auto& bound : result.time.bounds) record.bounds.emplace_back(bound.resource, bound.seconds);
  record.stalls = result.time.stalls;
  if (!record.bounds.empty()) record.limiter = record.bounds.front().first;
  result.counters.per_instruction.clear();
  result.counters.peers.clear();
  record.counters = std::move(result.counters);
  record.page_faults = moves.faults;
  record.migrated_in_bytes = moves.in_bytes;
  record.migrated_out_bytes = moves.out_bytes;
  record.resources = result.resources;
  record.occupancy = result.occupancy;
  records_.kernel(std::move(record));
  records_.moved(timeline_.moved_kernels());
  // One that waited for others may find that another kernel has faulted meanwhile.
  if (result.trap && sticky_ == Status::kOk) {
    if (!submission.launched_by.empty())
      result.trap->message +=
          "\n    the kernel was launched by '" + readable_name(submission.launched_by) + "'";
    fault(*result.trap);
  }
  return {std::move(result.kernel), std::move(result.work)};
}

void Server::fault(const Trap& trap) {
  records_.trap(trap);
  if (checks_) checks_->trapped(trap);
  sticky_ = status_of(trap.kind);
  news_ += trap.message;
}

Answer Server::handle(const QueryOccupancy& c) {
  if (!functions_.contains(c.function)) return refuse(Status::kInvalidHandle);
  if (!is_block(c.block)) return refuse(Status::kInvalidValue);
  const Occupancy found = device_->occupancy_of(c.function, c.block, c.dynamic_shared_bytes);
  return give(OccupancyState{found.blocks_per_sm, found.warps_per_sm});
}

Answer Server::handle(const SetMaxDynamicShared& c) {
  if (!functions_.contains(c.function)) return refuse(Status::kInvalidHandle);
  if (!device_->set_max_dynamic_shared(c.function, c.bytes)) return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

}  // namespace roofline::sim::server
