// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/checker.h"

#include <algorithm>

#include "simulator/machine/device_runtime.h"
#include "simulator/program/address_windows.h"

namespace roofline::sim {

Checker::Checker(u32 checks)
    : checks_(checks),
      init_(findings_),
      race_(findings_),
      sync_(findings_),
      streams_(findings_, [this](u64 address) { return explain(address); }) {}

void Checker::select(u32 gpu) {
  selected_ = gpu;
  streams_.select(gpu);
}

u32 Checker::gpu_of(u64 address) const {
  if (address < kDeviceWindow || address >= kHostWindow) return selected_;
  const u32 gpu = devices_.at(selected_)->homes().of(address);
  return gpu < devices_.size() ? gpu : selected_;
}

void Checker::note_gpus(const Rows& rows, std::vector<u32>& gpus) const {
  if (rows.width == 0 || rows.height == 0) return;
  if (rows.address < kDeviceWindow || rows.address >= kHostWindow) return gpus.push_back(selected_);
  devices_.at(selected_)->homes().divide(rows.address, rows.pitch * (rows.height - 1) + rows.width,
                                         [&](u32 gpu, u64) { gpus.push_back(gpu); });
}

/// By the selected GPU where it may access the address: of mapped memory that need not be the one that has
/// it.
std::string Checker::explain(u64 address) const {
  const Device& selected = *devices_.at(selected_);
  return (selected.is_valid(address, 1) ? selected : device_of(address)).explain(address, 1);
}

void Checker::attach(Device& device, u32 gpu) {
  select(gpu);
  const u64 begin = kDeviceWindow + gpu * kDeviceStride, end = begin + kDeviceStride;
  const auto mine = [&](const auto& entry) { return entry.first >= begin && entry.first < end; };
  if (auto lost = leak(begin, end)) lost_.push_back(std::move(*lost));
  streams_.host_waited_for_device();
  init_.released(begin, end);
  std::erase_if(live_, mine);
  std::erase_if(freed_, mine);
  devices_[gpu] = &device;
  faulted_ = false;
  device.set_observer(this);
}

// ---- work that the program submits ----

template <class Use>
void Checker::each_row(const Rows& rows, Use use) {
  for (u64 row = 0; row < rows.height && rows.width != 0; ++row) use(rows.address + row * rows.pitch, row);
}

void Checker::copied_in(u32 stream, const Rows& to, bool host_waits) {
  if (does(kCheckInit)) each_row(to, [&](u64 at, u64) { init_.written(at, to.width); });
  if (!does(kCheckRace) && !does(kCheckMemory)) return;
  streams_.begin(stream, "a copy to the device");
  each_row(to, [&](u64 at, u64) { streams_.writes(at, to.width); });
  streams_.end();
  if (host_waits) streams_.host_waited_for_stream(stream);
}

void Checker::copied_out(u32 stream, const Rows& from, bool host_waits) {
  if (does(kCheckInit)) {
    if (from.pitch == from.width || from.height == 1)
      init_.copied_out(from.address, from.width * from.height);
    else
      each_row(from, [&](u64 at, u64) { init_.copied_out(at, from.width); });
  }
  if (!does(kCheckRace) && !does(kCheckMemory)) return;
  streams_.begin(stream, "a copy to the host");
  each_row(from, [&](u64 at, u64) { streams_.reads(at, from.width); });
  streams_.end();
  if (host_waits) streams_.host_waited_for_stream(stream);
}

void Checker::copied_within(u32 stream, const Rows& to, const Rows& from, bool host_waits) {
  if (does(kCheckInit))
    each_row(to, [&](u64 at, u64 row) { init_.copied(at, from.address + row * from.pitch, to.width); });
  if (!does(kCheckRace) && !does(kCheckMemory)) return;
  streams_.begin(stream, "a copy");
  std::vector<u32> gpus;
  note_gpus(to, gpus);
  note_gpus(from, gpus);
  if (stream == 0 && std::any_of(gpus.begin(), gpus.end(), [&](u32 gpu) { return gpu != gpus.front(); }))
    for (const u32 gpu : gpus) streams_.keeps_order_with(gpu);
  each_row(to, [&](u64 at, u64) { streams_.writes(at, to.width); });
  each_row(from, [&](u64 at, u64) { streams_.reads(at, to.width); });
  streams_.end();
  if (host_waits) streams_.host_waited_for_stream(stream);
}

void Checker::filled(u32 stream, const Rows& to) {
  if (does(kCheckInit)) each_row(to, [&](u64 at, u64) { init_.written(at, to.width); });
  if (!does(kCheckRace) && !does(kCheckMemory)) return;
  streams_.begin(stream, "a memset");
  each_row(to, [&](u64 at, u64) { streams_.writes(at, to.width); });
  streams_.end();
}

void Checker::shared(u64 address, u64 bytes) {
  if (does(kCheckInit)) init_.written(address, bytes);
}

void Checker::unwritten(u64 address, u64 bytes) {
  if (does(kCheckInit)) init_.unwritten(address, bytes);
}

void Checker::word_written(u64 address, u64 bytes) {
  if (does(kCheckInit)) init_.written(address, bytes);
}

void Checker::launching(u32 stream, const std::string& launched_by) {
  streams_.begin(stream, {}, launched_by);
  notes_work_ = (does(kCheckRace) || does(kCheckMemory)) && streams_.watches();
}

void Checker::host_accessed(u64 address, bool write) {
  if (does(kCheckRace)) streams_.host_accessed(address, write);
}

// ---- running kernels ----

void Checker::launch_begins(const Grid& grid) {
  traits_.clear();
  for (const InstructionInfo& info : grid.kernel->info) traits_.push_back(info.traits);
  watched.assign(traits_.size(), 0);
  for (size_t i = 0; i < traits_.size(); ++i)
    watched[i] = is_watched(traits_[i]) && (does(kCheckRace) || does(kCheckSync));
  sees_accesses = does(kCheckInit) || does(kCheckRace) || notes_work_;
  observes = sees_accesses || does(kCheckSync);
  if (does(kCheckInit)) init_.launch_begins(grid, traits_);
  if (does(kCheckRace)) race_.launch_begins(grid, traits_);
  if (does(kCheckSync)) sync_.launch_begins(grid, traits_);
}

void Checker::launch_ends(const Grid& grid) {
  if (does(kCheckInit)) init_.launch_ends();
  if (does(kCheckRace)) race_.launch_ends();
  streams_.end(grid.kernel);
  notes_work_ = false;
}

void Checker::block_begins(Block& block) {
  if (does(kCheckInit)) init_.block_begins(block);
  if (does(kCheckRace)) race_.block_begins(block);
}

void Checker::block_ends(Block& block) {
  if (does(kCheckInit)) init_.block_ends(block);
  if (does(kCheckRace)) race_.block_ends(block);
}

void Checker::access(Warp& w, const Instruction& in, const ObservedAccess& a) {
  // Arguments of a launch by a kernel: the system's memory, which later launches have again.
  const DeviceRuntime* runtime = w.block->grid->runtime;
  if (a.space == ptx::Space::kGlobal && runtime != nullptr && runtime->holds_arguments(a.base)) return;
  if (does(kCheckInit)) init_.access(w, in, a);
  if (does(kCheckRace)) race_.access(w, in, a);
  if (notes_work_) streams_.access(in, a, traits_[in.index]);
}

void Checker::before(Warp& w, const Instruction& in, u32 active) {
  if (does(kCheckRace)) race_.before(w, in, active);
  if (does(kCheckSync)) sync_.before(w, in, active);
}

void Checker::barrier_completed(Block& block, u8 barrier) {
  if (does(kCheckRace)) race_.barrier_completed(block, barrier);
  if (does(kCheckSync)) sync_.barrier_completed(block, barrier);
}

void Checker::cluster_met(const Cluster& cluster) {
  if (does(kCheckRace)) race_.cluster_met(cluster);
}

void Checker::allocated_on_heap(u64 address, u64 bytes, const std::string& origin) {
  init_.allocated(address, bytes, origin);
  race_.allocated(address, bytes);
  streams_.allocated(address, bytes);
}

void Checker::released_on_heap(u64 address) { init_.released(address); }

}  // namespace roofline::sim
