// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/access_recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "simulator/machine/memory.h"
#include "simulator/machine/warp.h"
#include "simulator/program/function.h"

namespace roofline::sim {

namespace {

/// "/home/me/labs/01-pointwise/pointwise.cu" is "pointwise.cu", and so are its longer ends.
bool names(const std::string& wanted, const std::string& path) {
  const auto ends_with = [](const std::string& text, const std::string& end) {
    return text == end || text.ends_with("/" + end);
  };
  return ends_with(path, wanted) || ends_with(wanted, path);
}

AccessPicture::Kind kind_of(AccessKind kind) {
  return kind == AccessKind::kLoad    ? AccessPicture::Kind::kLoad
         : kind == AccessKind::kStore ? AccessPicture::Kind::kStore
                                      : AccessPicture::Kind::kAtomic;
}

template <class F>
void each_lane(u32 mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<u32>(std::countr_zero(mask)));
}

}  // namespace

void AccessRecorder::launch_begins(const Grid& grid) {
  observes = false;
  if (done_ || !find_lines(*grid.kernel)) return;
  if (++picture_.launches != request_.launch) return;
  picture_.kernel = grid.kernel->name;
  done_ = true;
  observes = picture_.found = find_warp(grid);
  watched.assign(grid.kernel->info.size(), 1);
}

void AccessRecorder::launch_ends(const Grid&) { settle(); }

/// Which instructions belong to the file, and whether the kernel holds any. What was inlined from elsewhere
/// belongs to the line that calls it.
bool AccessRecorder::find_lines(const Kernel& kernel) {
  std::set<u32> files;
  for (const auto& [number, path] : kernel.files)
    if (names(request_.file, path)) files.insert(number);
  line_of_.assign(kernel.info.size(), 0);
  std::set<u32> lines(picture_.lines.begin(), picture_.lines.end());
  bool any = false;
  for (size_t i = 0; i < kernel.info.size(); ++i) {
    const InstructionInfo& info = kernel.info[i];
    const ptx::SourceLine& at = info.source;
    line_of_[i] = files.contains(at.file) ? at.line : files.contains(at.caller_file) ? at.caller_line : 0;
    if (line_of_[i] == 0) continue;
    any = true;
    const bool reaches_memory = info.space != ptx::Space::kParam && info.space != ptx::Space::kLocal;
    if ((info.is_load || info.is_store || info.is_atomic) && reaches_memory) lines.insert(line_of_[i]);
  }
  picture_.lines.assign(lines.begin(), lines.end());
  return any;
}

bool AccessRecorder::find_warp(const Grid& grid) {
  picture_.grid = grid.size;
  picture_.block_size = grid.block;
  const u64 blocks = grid.size.count(), threads = grid.block.count();
  const u64 first = u64{request_.warp} * kWarpSize;
  if (std::find(line_of_.begin(), line_of_.end(), request_.line) == line_of_.end())
    picture_.problem = "no instruction of the kernel belongs to this line";
  else if (request_.block >= blocks)
    picture_.problem = "the grid has " + std::to_string(blocks) + " blocks, there is no such block";
  else if (first >= threads)
    picture_.problem = "a block has " + std::to_string((threads + kWarpSize - 1) / kWarpSize) +
                       " warps, there is no such warp";
  if (!picture_.problem.empty()) return false;
  const u64 lanes = threads - first;
  picture_.existing = lanes >= kWarpSize ? ~0u : (1u << lanes) - 1;
  return true;
}

bool AccessRecorder::follows(const Warp& w) const {
  return w.block->linear_id == request_.block && w.index == request_.warp;
}

void AccessRecorder::before(Warp& w, const Instruction& in, u32 active) {
  if (!follows(w)) return;
  ++picture_.all_steps;
  if (picture_.steps.size() >= request_.most_steps) return;
  picture_.steps.push_back({instruction(*w.block->grid->kernel, in.index), active});
}

void AccessRecorder::access(Warp& w, const Instruction& in, const ObservedAccess& a) {
  settle();
  if (line_of_[in.index] != request_.line) return;
  if (a.space == ptx::Space::kLocal || a.space == ptx::Space::kParam || a.space == ptx::Space::kReg) return;
  if (a.kind != AccessKind::kLoad) note_writers(w, a);
  if (follows(w)) keep(w, in, a);
}

/// What the request before came to.
void AccessRecorder::settle() {
  if (open_.counters == nullptr) return;
  AccessPicture::Request& request = picture_.requests.back();
  const InstructionCounters& now = *open_.counters;
  request.cost = (request.shared ? now.wavefronts : now.sectors) - open_.cost;
  request.ideal = (request.shared ? now.ideal_wavefronts : now.ideal_sectors) - open_.ideal;
  open_.counters = nullptr;
}

void AccessRecorder::keep(Warp& w, const Instruction& in, const ObservedAccess& a) {
  ++picture_.all_requests;
  if (picture_.requests.size() >= request_.most_requests) return;
  AccessPicture::Request request;
  request.instruction = instruction(*w.block->grid->kernel, in.index);
  request.kind = kind_of(a.kind);
  request.shared = a.space == ptx::Space::kShared;
  request.mask = a.mask;
  request.width = a.width;
  request.addresses.resize(kWarpSize);
  each_lane(a.mask, [&](u32 lane) { request.addresses[lane] = a.address(lane); });
  AccessPicture::Place place = place_of(*w.block->grid, request.shared, a.base, request.address);
  const auto same = std::find_if(picture_.places.begin(), picture_.places.end(),
                                 [&](const AccessPicture::Place& each) { return each.what == place.what; });
  request.place = static_cast<u32>(same - picture_.places.begin());
  if (same == picture_.places.end()) picture_.places.push_back(std::move(place));
  const InstructionCounters& now = (*w.block->counters)[in.index];
  open_ = {&now, request.shared ? now.wavefronts : now.sectors,
           request.shared ? now.ideal_wavefronts : now.ideal_sectors};
  picture_.requests.push_back(std::move(request));
}

/// The array is the one that the line stores to first; of shared memory, that of the block.
void AccessRecorder::note_writers(const Warp& w, const ObservedAccess& a) {
  const bool shared = a.space == ptx::Space::kShared;
  if (shared && w.block->linear_id != request_.block) return;
  if (picture_.written_width == 0) {
    AccessPicture::Place place = place_of(*w.block->grid, shared, a.base, written_begin_);
    written_shared_ = shared;
    picture_.written_width = a.width;
    picture_.written_place = static_cast<u32>(picture_.places.size());
    picture_.places.push_back(std::move(place));
  }
  if (shared != written_shared_ || a.width != picture_.written_width) return;
  each_lane(a.mask, [&](u32 lane) {
    const u64 element = (a.address(lane) - written_begin_) / a.width;
    if (a.address(lane) < written_begin_ || element >= request_.most_elements) return;
    if (picture_.writers.size() < 4 * request_.most_elements)
      picture_.writers.push_back({element, w.block->linear_id, w.index * kWarpSize + lane});
  });
}

/// The kernel's argument whose array holds the address, or what else it lies in.
AccessPicture::Place AccessRecorder::place_of(const Grid& grid, bool shared, u64 address, u64& begin) const {
  begin = 0;
  const Kernel& kernel = *grid.kernel;
  if (shared) return {"shared memory", kernel.static_shared_bytes + grid.dynamic_shared_bytes};
  const Memory::Allocation* found = grid.memory->find(address);
  if (found == nullptr) return {"no allocation", 0};
  begin = found->begin;
  for (size_t i = 0; i < kernel.parameter_offsets.size(); ++i) {
    u64 value = 0;
    if (kernel.parameter_sizes[i] != sizeof value) continue;
    std::memcpy(&value, grid.parameters + kernel.parameter_offsets[i], sizeof value);
    if (value < found->begin || value >= found->end || value > address) continue;
    begin = value;
    return {"argument " + std::to_string(i + 1), found->end - value};
  }
  return {found->origin.empty() ? "an allocation" : found->origin, found->end - found->begin};
}

u32 AccessRecorder::instruction(const Kernel& kernel, u32 index) {
  const auto [place, is_new] =
      instructions_.try_emplace(index, static_cast<u32>(picture_.instructions.size()));
  if (is_new) picture_.instructions.push_back({kernel.info[index].text, line_of_[index]});
  return place->second;
}

}  // namespace roofline::sim
