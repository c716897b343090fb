// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/device_runtime.h"

#include <algorithm>
#include <iterator>

#include "simulator/names.h"

namespace roofline::sim {
namespace {

/// Never used twice, in no grid, so that a handle of another grid is seen to be one.
u64 new_handle() {
  static u64 last = 0x1000;
  return last += 0x10;
}

void add(std::vector<size_t>& to, const std::vector<size_t>& more) {
  std::vector<size_t> all;
  std::set_union(to.begin(), to.end(), more.begin(), more.end(), std::back_inserter(all));
  to = std::move(all);
}

}  // namespace

DeviceRuntime::~DeviceRuntime() {
  for (const auto& [address, prepared] : prepared_) memory_.release(address);
}

std::pair<u64, DeviceError> DeviceRuntime::prepare(u64 function, Dim3 grid, Dim3 block,
                                                   u32 dynamic_shared_bytes) {
  const auto found = kernels_.kernel_at(function);
  if (!found) return {0, DeviceError::kInvalidDeviceFunction};
  Launch launch;
  launch.function = found->id;
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_shared_bytes = dynamic_shared_bytes;
  launch.parameters.resize(found->kernel->parameter_bytes);
  if (!kernels_.problem_of(launch).empty()) return {0, DeviceError::kInvalidConfiguration};
  if (waiting_ + launches_ + prepared_.size() >= limit_) return {0, DeviceError::kLaunchPendingCountExceeded};
  const u64 address =
      memory_.allocate(std::max<u64>(launch.parameters.size(), 1),
                       "parameters of a launch of '" + readable_name(found->kernel->name) + "'");
  if (address == 0) return {0, DeviceError::kMemoryAllocation};
  prepared_[address] = {std::move(launch), found->kernel};
  return {address, DeviceError::kNone};
}

const Kernel* DeviceRuntime::prepared(u64 buffer) const {
  const auto found = prepared_.find(buffer);
  return found == prepared_.end() ? nullptr : found->second.kernel;
}

bool DeviceRuntime::holds_arguments(u64 address) const {
  const auto next = prepared_.upper_bound(address);
  if (next == prepared_.begin()) return false;
  const auto& [begin, found] = *std::prev(next);
  return address - begin < found.launch.parameters.size();
}

DeviceError DeviceRuntime::launch(u64 buffer, u64 stream, u64 block) {
  const auto found = prepared_.find(buffer);
  if (found == prepared_.end()) return DeviceError::kInvalidValue;
  DeviceWork work;
  work.launch = std::move(found->second.launch);
  const auto* bytes = reinterpret_cast<const std::byte*>(buffer);
  std::copy_n(bytes, work.launch.parameters.size(), work.launch.parameters.begin());
  memory_.release(buffer);
  prepared_.erase(found);
  const DeviceError error = enqueue(std::move(work), stream, block);
  if (error == DeviceError::kNone) ++launches_;
  return error;
}

DeviceError DeviceRuntime::enqueue(DeviceWork work, u64 stream, u64 block) {
  if (stream == kTailLaunch) {
    work.is_tail = true;
    tail_.push_back(std::move(work));
    return DeviceError::kNone;
  }
  if (stream != kFireAndForget) {
    Places* order = order_of(stream, block);
    if (order == nullptr) return DeviceError::kInvalidResourceHandle;
    work.after = std::exchange(*order, {list_.size()});
  }
  list_.push_back(std::move(work));
  return DeviceError::kNone;
}

DeviceRuntime::Places* DeviceRuntime::order_of(u64 stream, u64 block) {
  if (stream <= kDefaultStreams) return &block_streams_[block];
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

u64 DeviceRuntime::create_stream() {
  const u64 handle = new_handle();
  streams_[handle];
  return handle;
}

/// Its work goes on.
DeviceError DeviceRuntime::destroy_stream(u64 stream) {
  return streams_.erase(stream) != 0 ? DeviceError::kNone : DeviceError::kInvalidResourceHandle;
}

u64 DeviceRuntime::create_event() {
  const u64 handle = new_handle();
  events_[handle];
  return handle;
}

DeviceError DeviceRuntime::destroy_event(u64 event) {
  return events_.erase(event) != 0 ? DeviceError::kNone : DeviceError::kInvalidResourceHandle;
}

DeviceError DeviceRuntime::record_event(u64 event, u64 stream, u64 block) {
  const auto found = events_.find(event);
  const Places* order = order_of(stream, block);
  if (found == events_.end() || order == nullptr) return DeviceError::kInvalidResourceHandle;
  found->second = *order;
  return DeviceError::kNone;
}

DeviceError DeviceRuntime::wait_event(u64 stream, u64 event, u64 block) {
  const auto found = events_.find(event);
  Places* order = order_of(stream, block);
  if (found == events_.end() || order == nullptr) return DeviceError::kInvalidResourceHandle;
  add(*order, found->second);
  return DeviceError::kNone;
}

void DeviceRuntime::set_error(u64 block, u32 thread, DeviceError error) {
  if (error != DeviceError::kNone) errors_[{block, thread}] = error;
}

DeviceError DeviceRuntime::error_of(u64 block, u32 thread) const {
  const auto found = errors_.find({block, thread});
  return found == errors_.end() ? DeviceError::kNone : found->second;
}

DeviceError DeviceRuntime::take_error(u64 block, u32 thread) {
  const DeviceError error = error_of(block, thread);
  errors_.erase({block, thread});
  return error;
}

std::vector<DeviceWork> DeviceRuntime::take() {
  std::move(tail_.begin(), tail_.end(), std::back_inserter(list_));
  tail_.clear();
  return std::exchange(list_, {});
}

}  // namespace roofline::sim
