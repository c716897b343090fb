// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/device/device.h"

#include <algorithm>
#include <list>
#include <map>
#include <stdexcept>

#include "simulator/bind/module.h"
#include "simulator/device/launch_check.h"
#include "simulator/device/virtual_memory.h"
#include "simulator/machine/block_trap.h"
#include "simulator/machine/cluster.h"
#include "simulator/machine/conditions.h"
#include "simulator/machine/counter_sums.h"
#include "simulator/machine/device_runtime.h"
#include "simulator/machine/grid.h"
#include "simulator/machine/imported_memory.h"
#include "simulator/machine/observer.h"
#include "simulator/machine/textures.h"
#include "simulator/machine/thread_recorder.h"
#include "simulator/program/address_windows.h"
#include "simulator/program/resource_use.h"
#include "simulator/timing/kernel_model.h"

namespace roofline::sim {

struct Device::State final : KernelTable {
  State(const DeviceDescription& d, unsigned threads, VirtualMemory* of_all)
      : description(d),
        memory(d.memory_bytes),
        mapped(of_all),
        imported(memory),
        l2(d.l2_bytes, d.l2_ways),
        n_threads(threads) {
    runners.emplace_back(description, settings, threads);
    if (mapped != nullptr) mapped->add(memory);
    l2.set_window(memory.window(), memory.window_bytes(), memory.homes());
  }
  ~State() override {
    if (mapped != nullptr) mapped->remove(memory);
  }

  Kernel& kernel(FunctionId function) const {
    if (function >= kernels.size() || kernels[function] == nullptr)
      throw std::out_of_range("no such kernel: " + std::to_string(function));
    return *kernels[function];
  }

  // KernelTable
  std::optional<Entry> kernel_at(u64 address) const override {
    const auto found = by_address.find(address);
    if (found == by_address.end()) return std::nullopt;
    return Entry{found->second, kernels[found->second]};
  }
  std::string problem_of(const Launch& launch) const override {
    return launch_problem(description, kernel(launch.function), launch);
  }
  u32 blocks_per_sm(FunctionId function, Dim3 block, u64 dynamic_shared_bytes) const override {
    return occupancy(description, resources_of(description, kernel(function), block, dynamic_shared_bytes),
                     block, 0)
        .blocks_per_sm;
  }
  u32 target_of(FunctionId function) const override {
    for (const auto& [id, module] : modules)
      for (const auto& each : module->kernels())
        if (each.get() == kernels[function]) return module->source().target;
    return 0;
  }
  u32 gpus() const override { return n_gpus; }
  u64 text(const std::string& text) override {
    u64& address = texts[text];
    if (address == 0) address = memory.allocate(text.size() + 1, "text of an error", true);
    if (address != 0) std::copy(text.begin(), text.end(), reinterpret_cast<char*>(address));
    return address;
  }

  /// What runs one launch at a time: more than one are at work while kernels wait and let others go on.
  struct Runner {
    Runner(const DeviceDescription& device, const GridSettings& settings, unsigned threads)
        : grids(device, settings, threads) {}
    GridRunner grids;
    u64 workspace = 0;  ///< of cooperative launches, allocated by the first
    bool busy = false;
  };
  Runner& idle_runner() {
    const auto idle = std::ranges::find_if(runners, [](const Runner& each) { return !each.busy; });
    // Those beyond the second are needed where several kernels wait at once.
    return idle != runners.end()
               ? *idle
               : runners.emplace_back(description, settings, runners.size() < 2 ? n_threads : 1);
  }

  /// What cooperative groups find behind %envreg1: u32 size, then the barrier of the grid.
  u64 clean_workspace(Runner& runner) {
    constexpr u32 kBytes = 256;
    u64& workspace = runner.workspace;
    if (workspace == 0) workspace = memory.allocate(kBytes, "workspace of cooperative launches");
    if (workspace == 0) return 0;
    auto* words = reinterpret_cast<u32*>(workspace);
    std::fill_n(words, kBytes / sizeof(u32), 0u);
    words[0] = kBytes;
    return workspace;
  }

  /// For the launch that holds the thread that was asked for.
  std::unique_ptr<ThreadRecorder> recorder_of(const Grid& grid) {
    if (!request || readable_name(grid.kernel->name).find(request->kernel) == std::string::npos)
      return nullptr;
    if (++record.launches != request->launch) return nullptr;
    record.kernel = grid.kernel->name;
    record.launch = request->launch;
    if (!find_thread(*request, grid.size, grid.block, record)) return nullptr;
    return std::make_unique<ThreadRecorder>(grid, request->most_steps, record);
  }

  DeviceDescription description;
  Memory memory;
  VirtualMemory* const mapped;
  ImportedMemory imported;
  Textures textures;
  Conditions conditions;
  L2Cache l2;
  GridSettings settings;
  unsigned n_threads = 1;
  std::list<Runner> runners;
  ReplayMemory replays;
  ManagedAllocator managed;
  std::map<ModuleId, std::unique_ptr<Module>> modules;
  bool permute_fragments = false;
  std::vector<Kernel*> kernels;          ///< by FunctionId; nullptr after unloading
  std::map<u64, FunctionId> by_address;  ///< of the kernels that are loaded
  std::map<std::string, u64> texts;      ///< addresses of KernelTable::text
  u64 pending_launches = 2048;           ///< CUDA's own default
  u32 n_gpus = 1;                        ///< that the program has
  ModuleId next_module = 1;
  Observer* observer = nullptr;
  u64 stack_bytes = 1024;
  u64 launches = 0;
  double now_ns = 0;  ///< modelled time of all kernels so far
  std::optional<ThreadRequest> request;
  ThreadRecord record;
};

Device::Device(const DeviceDescription& description, unsigned threads, VirtualMemory* mapped)
    : state_(std::make_unique<State>(description, threads, mapped)) {}

Device::~Device() = default;

const DeviceDescription& Device::description() const { return state_->description; }

// ---- memory ----

u64 Device::allocate(u64 bytes, const std::string& origin) { return state_->memory.allocate(bytes, origin); }
bool Device::release(u64 address) { return state_->memory.release(address); }
const MemoryHomes& Device::homes() const { return state_->memory.homes(); }
std::optional<SharedBytes> Device::bytes_of_allocation(u64 address) const {
  const Memory& memory = state_->memory;
  const Memory::Allocation* found = memory.find(address);
  if (found == nullptr || found->host_visible || found->on_heap || found->is_mapped || found->constant)
    return std::nullopt;
  return SharedBytes{.id = found->begin,
                     .file = memory.file(),
                     .offset = memory.offset_of(found->begin),
                     .bytes = found->end - found->begin};
}
u64 Device::open_memory(int file, u64 offset, u64 bytes, const std::string& origin) {
  return state_->imported.open(file, offset, bytes, origin);
}
bool Device::close_memory(u64 address) { return state_->imported.close(address); }
void Device::lose_memory(u64 address, const std::string& origin) { state_->imported.lose(address, origin); }
void Device::set_shares_memory(bool shares) { state_->settings.shares_memory = shares; }
u64 Device::free_bytes() const { return state_->memory.free_bytes(); }
u64 Device::take_peak() { return state_->memory.take_peak(); }
void Device::empty_l2() { state_->l2.invalidate_all(); }

bool Device::add_host_allocation(u64 address, u64 bytes, const std::string& origin) {
  return state_->memory.add_host(address, bytes, origin);
}
bool Device::remove_host_allocation(u64 address) { return state_->memory.remove_host(address); }

void Device::allow_peer(Device& peer, bool allow) { state_->memory.allow_peer(peer.state_->memory, allow); }

void Device::set_managed_allocator(std::function<u64(u64, const std::string&)> allocate) {
  state_->managed = std::move(allocate);
}

std::optional<std::pair<u64, u64>> Device::allocation_of(u64 address) const {
  const Memory::Allocation* found = state_->memory.find(address);
  if (found == nullptr) return std::nullopt;
  return std::pair{found->begin, found->end - found->begin};
}

bool Device::is_valid(u64 address, u64 bytes) const {
  const Memory::Allocation* found = state_->memory.find(address);
  return found != nullptr && bytes <= found->end - address;
}

std::string Device::explain(u64 address, u64 bytes) const { return state_->memory.explain(address, bytes); }
void Device::rename_allocation(u64 address, const std::string& origin) {
  state_->memory.rename(address, origin);
}

bool Device::read_in(u64 address, u64 bytes, int file, u64 offset) {
  return state_->memory.read_in(address, bytes, file, offset);
}

std::byte* Device::at(u64 address) { return reinterpret_cast<std::byte*>(address); }

void Device::set_managed_memory(ManagedMemory* managed) { state_->l2.set_managed(managed); }

u64 Device::add_texture(TextureObject object) { return state_->textures.add(std::move(object)); }
bool Device::remove_texture(u64 number) { return state_->textures.remove(number); }
u64 Device::add_condition() { return state_->conditions.add(); }
void Device::remove_condition(u64 number) { state_->conditions.remove(number); }
bool Device::set_condition(u64 number, u32 value) { return state_->conditions.set(number, value); }
std::optional<u32> Device::condition(u64 number) const { return state_->conditions.value(number); }

// ---- modules ----

ModuleFacts Device::load_module(const std::string& ptx, const std::vector<ElfKernel>& elf) {
  return load_modules({ptx}, elf);
}

namespace {

/// Whether its blocks may wait for what somebody else writes to global memory.
bool may_wait_for_others(const Kernel& kernel) { return kernel.in_order && kernel.may_spin; }

/// How long each matrix instruction keeps the Tensor Cores of an SM at its type's own rate.
void note_tensor_work(Kernel& kernel, const DeviceDescription& device) {
  for (Function& function : kernel.functions)
    for (Instruction& in : function.code) {
      const Cost& cost = kernel.info[in.index].cost;
      if (in.hidden || in.pipe != Pipe::kTensor) continue;
      const double rate = mma_sync_rate(device, cost.flop_type);
      if (rate > 0) in.work = static_cast<u16>(std::min(kTensorUnit * cost.flops / rate, 65535.0));
    }
}

}  // namespace

ModuleFacts Device::load_modules(const std::vector<std::string>& ptx, const std::vector<ElfKernel>& elf) {
  const ModuleId id = state_->next_module;
  auto module =
      std::make_unique<Module>(id, ptx, elf, state_->memory, state_->managed, state_->permute_fragments);
  ++state_->next_module;
  ModuleFacts facts{.id = id, .functions = {}, .variables = module->variables()};
  for (auto& kernel : module->kernels()) {
    note_tensor_work(*kernel, state_->description);
    FunctionFacts function;
    function.id = static_cast<FunctionId>(state_->kernels.size());
    function.name = kernel->name;
    function.parameter_offsets = kernel->parameter_offsets;
    function.parameter_sizes = kernel->parameter_sizes;
    function.parameter_bytes = kernel->parameter_bytes;
    function.resources = kernel->resources;
    function.cluster = kernel->cluster;
    function.problem = kernel->problem;
    function.may_wait = may_wait_for_others(*kernel);
    facts.functions.push_back(std::move(function));
    state_->kernels.push_back(kernel.get());
    if (!kernel->functions.empty()) state_->by_address[kernel->entry().address] = facts.functions.back().id;
  }
  state_->modules.emplace(id, std::move(module));
  return facts;
}

void Device::unload_module(ModuleId module) {
  const auto found = state_->modules.find(module);
  if (found == state_->modules.end()) return;
  for (auto& kernel : found->second->kernels()) {
    std::replace(state_->kernels.begin(), state_->kernels.end(), kernel.get(), static_cast<Kernel*>(nullptr));
    if (!kernel->functions.empty()) state_->by_address.erase(kernel->entry().address);
  }
  state_->modules.erase(found);
}

const std::vector<InstructionInfo>& Device::instructions_of(FunctionId function) const {
  return state_->kernel(function).info;
}

std::string Device::function_name(FunctionId kernel, u32 function) const {
  const auto& functions = state_->kernel(kernel).functions;
  return function < functions.size() ? functions[function].name : "";
}

std::string Device::source_file(FunctionId function, u32 file) const {
  const auto& files = state_->kernel(function).files;
  const auto found = files.find(file);
  return found == files.end() ? "" : found->second;
}

// ---- launches ----

Occupancy Device::occupancy_of(FunctionId function, Dim3 block, u64 dynamic_shared_bytes) const {
  const DeviceDescription& description = state_->description;
  return occupancy(description,
                   resources_of(description, state_->kernel(function), block, dynamic_shared_bytes), block,
                   0);
}

bool Device::may_wait(FunctionId function) const {
  const auto& kernels = state_->kernels;
  return function < kernels.size() && kernels[function] != nullptr && may_wait_for_others(*kernels[function]);
}

const std::string& Device::load_problem(FunctionId function) const {
  return state_->kernel(function).problem;
}

std::string Device::check_launch(const Launch& launch) const {
  return launch_problem(state_->description, state_->kernel(launch.function), launch);
}

bool Device::set_max_dynamic_shared(FunctionId function, u64 bytes) {
  Kernel& kernel = state_->kernel(function);
  if (kernel.resources.static_shared_bytes + bytes > state_->description.shared_per_block_optin) return false;
  kernel.max_dynamic_shared = bytes;
  return true;
}

void Device::set_heap_bytes(u64 bytes) { state_->memory.set_heap_limit(bytes); }
void Device::set_gpus(u32 gpus) { state_->n_gpus = gpus; }
void Device::set_pending_launches(u64 launches) { state_->pending_launches = launches; }
void Device::set_permute_fragments(bool permute) { state_->permute_fragments = permute; }
void Device::set_stack_bytes(u64 bytes) { state_->stack_bytes = bytes; }
void Device::set_observer(Observer* observer) { state_->observer = observer; }
void Device::set_time_limit(double seconds) { state_->settings.time_limit = seconds; }
void Device::set_blocks_at_ends(u64 blocks) { state_->settings.blocks_at_ends = blocks; }
void Device::set_shuffle_blocks(bool shuffled) { state_->settings.shuffle_blocks = shuffled; }

void Device::follow(const ThreadRequest& request) {
  state_->request = request;
  state_->record = {};
}
const ThreadRecord& Device::followed() const { return state_->record; }

LaunchResult Device::launch(const Launch& launch, u64 waiting, const LetOthersGoOn* others) {
  State& s = *state_;
  State::Runner& runner = s.idle_runner();
  const Kernel& kernel = s.kernel(launch.function);
  LaunchResult result;
  result.kernel = kernel.name;
  result.resources = resources_of(s.description, kernel, launch.block, launch.dynamic_shared_bytes);
  result.occupancy = occupancy(s.description, result.resources, launch.block, launch.grid.count());
  std::vector<std::byte> parameters = launch.parameters;
  parameters.resize(std::max<size_t>(parameters.size(), kernel.parameter_bytes) + 8);
  Grid grid;
  grid.kernel = &kernel;
  grid.function = &kernel.entry();
  grid.memory = &s.memory;
  grid.textures = &s.textures;
  grid.conditions = &s.conditions;
  grid.device = &s.description;
  grid.size = launch.grid;
  grid.block = launch.block;
  grid.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  grid.stack_bytes = s.stack_bytes;
  grid.parameters = reinterpret_cast<const u8*>(parameters.data());
  grid.parameter_bytes = kernel.parameter_bytes;
  grid.id = ++s.launches;
  grid.sample_seed = launch.sample_seed;
  grid.start_ns = s.now_ns;
  grid.cluster = cluster_of(kernel, launch);
  grid.asked_for_clusters = grid.cluster.count() != 0;
  grid.has_clusters = grid.asked_for_clusters || kernel.uses_clusters;
  if (!grid.asked_for_clusters) grid.cluster = {1, 1, 1};
  if (launch.cooperative) grid.workspace = s.clean_workspace(runner);
  DeviceRuntime runtime(s, s.memory, waiting, s.pending_launches);
  grid.runtime = &runtime;
  grid.others = others;
  grid.observer = s.observer;
  if (s.observer != nullptr) {
    s.observer->launch_begins(grid);
    if (!s.observer->observes) grid.observer = nullptr;
  }
  const std::unique_ptr<ThreadRecorder> recorder = s.recorder_of(grid);
  grid.recorder = recorder.get();
  runner.busy = true;
  GridOutcome outcome = runner.grids.run(grid, s.l2, result.occupancy);
  runner.busy = false;
  if (recorder != nullptr) recorder->finish();
  if (s.observer != nullptr) s.observer->launch_ends(grid);
  result.counters = std::move(outcome.counters);
  derive_sums(result.counters, kernel);
  // In turns, what other blocks printed before the trap is the same every time.
  result.output = outcome.output.text(outcome.trap && !kernel.in_order ? outcome.trapped_block : ~u64{0});
  result.trap = std::move(outcome.trap);
  if (!result.trap) result.work = runtime.take();
  result.cycles_in_time = outcome.cycles_in_time;
  result.time = model_kernel(s.description, result.counters, result.resources, launch.grid, launch.block,
                             outcome.records, &s.replays, outcome.cycles_in_time);
  s.now_ns += result.time.seconds * 1e9;
  return result;
}

}  // namespace roofline::sim
