// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/runtime.h"

#include <pthread.h>

#include <cstdlib>
#include <new>
#include <string_view>

#include "simulator/runtime/address.h"
#include "simulator/runtime/capture.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

bool loads_eagerly() {
  const char* mode = std::getenv("CUDA_MODULE_LOADING");
  return mode != nullptr && std::string_view(mode) == "EAGER";
}

}  // namespace

Runtime::Runtime() {
  pthread_atfork(nullptr, nullptr, [] {
    Runtime& runtime = instance();
    runtime.forked = runtime.connection_ != nullptr;
    new (&runtime.lock) std::mutex;  // a thread that the child does not have may have held it
  });
  host_functions.when_stuck([this] { connection().post(GiveUpWaiting{}); });
}

Runtime& Runtime::instance() {
  // Never destroyed: programs call CUDA from their own static destructors.
  static Runtime* const runtime = new Runtime;
  return *runtime;
}

Connection& Runtime::connection() {
  if (!connection_) {
    connection_ = std::make_unique<Connection>();
    eager_ = loads_eagerly();
  }
  connection_->select(static_cast<u32>(target_));
  if (eager_ && begun_.insert(target_).second) modules.load_all(*connection_);
  return *connection_;
}

DeviceSettings& Runtime::settings(int device) { return settings_[device]; }

int Runtime::device_of_thread() const {
  const int chosen = current_device().device;
  return chosen >= 0 ? chosen : valid_devices.front();
}

void Runtime::use_primary_context() {
  CurrentDevice& current = current_device();
  if (current.used) return;
  current.used = true;
  settings().active = true;
}

u32 Runtime::per_thread_stream() {
  struct Mine {
    u32 id = 0, generation = 0;
  };
  thread_local std::map<int, Mine> by_device;
  Mine& mine = by_device[target_];
  if (mine.id == 0 || mine.generation != generations_[target_]) {
    mine = {next_stream_++, generations_[target_]};
    connection().post(CreateStream{mine.id, false});
  }
  return mine.id;
}

Stream* Runtime::find_stream(cudaStream_t stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second.get();
}

s64 Runtime::number_of(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return 0;
  if (stream == cudaStreamPerThread) return per_thread_stream();
  const Stream* found = find_stream(stream);
  if (!found) return -1;
  aim(found->device);
  return s64{found->id};
}

HostFunctions::Place Runtime::place_of(cudaStream_t stream) {
  const Stream* found = find_stream(stream);
  const bool blocking = !found || !(found->flags & cudaStreamNonBlocking);
  return {target_, static_cast<u32>(number_of(stream)), blocking};
}

void Runtime::go_on() {
  const int device = target_;
  host_functions.go_on();
  aim(device);
}

void Runtime::wait_while_watching(cudaStream_t stream) {
  const int device = target_;
  if (!connection().watches_host() || host_functions.wait_a_while(place_of(stream))) return;
  aim(device);
  connection().stop_watching_host();
}

s64 Runtime::stream_id(cudaStream_t stream) {
  const s64 number = number_of(stream);
  if (number < 0) return number;
  if (HostFunctions::inside()) return number;  // queued work runs in order on that thread
  const int device = target_;
  host_functions.wait(place_of(stream));
  aim(device);  // another thread may have aimed elsewhere meanwhile
  return number;
}

cudaStream_t Runtime::add_stream(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>(Stream{next_stream_++, flags, priority, target_});
  connection().post(CreateStream{stream->id, (flags & cudaStreamNonBlocking) != 0});
  const auto handle = reinterpret_cast<cudaStream_t>(stream.get());
  streams_.emplace(handle, std::move(stream));
  return handle;
}

std::function<cudaError_t(Runtime&)> Runtime::remove_stream(cudaStream_t stream) {
  const Stream* found = find_stream(stream);
  aim(found->device);
  stream_attributes.erase({found->device, found->id});
  const DestroyStream command{found->id};
  streams_.erase(stream);
  return [command](Runtime& runtime) {
    runtime.connection().post(command);
    return cudaSuccess;
  };
}

Event* Runtime::find_event(cudaEvent_t event) {
  const auto found = events_.find(event);
  return found == events_.end() ? nullptr : found->second.get();
}

cudaEvent_t Runtime::add_event(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->id = next_event_++;
  event->flags = flags;
  event->device = target_;
  const auto handle = reinterpret_cast<cudaEvent_t>(event.get());
  events_.emplace(handle, std::move(event));
  return handle;
}

const std::pair<const u64, Runtime::HostAllocation>* Runtime::host_allocation(const void* p) {
  for (const VariableFacts& variable : modules.take_new_managed())
    host_allocations[variable.address] = {variable.bytes, 0, true, true, target_};
  const u64 address = reinterpret_cast<u64>(p);
  auto next = host_allocations.upper_bound(address);
  if (next == host_allocations.begin()) return nullptr;
  --next;
  return address - next->first < next->second.bytes ? &*next : nullptr;
}

void Runtime::remove_event(cudaEvent_t event) {
  const Event& found = *find_event(event);
  if (found.shared) {
    aim(found.device);
    connection().post(ForgetEvent{found.id});
  }
  events_.erase(event);
}

void Runtime::reset() {
  const int device = target_;
  host_functions.wait_for_device(device);
  aim(device);
  if (connected()) {
    connection().show_output();
    registered.remove_of(connection(), device);
    for (auto& [handle, stream] : streams_)
      if (stream->device == device) connection().post(DestroyStream{stream->id});
    connection().call(ResetDevice{});
    connection().clear_sticky();
  }
  Captures::instance().clear();
  std::erase_if(streams_, [&](const auto& entry) { return entry.second->device == device; });
  std::erase_if(events_, [&](const auto& entry) { return entry.second->device == device; });
  std::erase_if(host_allocations, [&](const auto& entry) { return entry.second.device == device; });
  modules.forget_loaded(device);
  pools.forget(device);
  arrays.forget(device);
  std::erase_if(stream_attributes, [&](const auto& entry) { return entry.first.first == device; });
  settings_.erase(device);
  for (auto& [other, settings] : settings_) settings.peers.erase(device);
  std::erase_if(opened,
                [&](const auto& entry) { return device_of(pointer(entry.second.address)) == device; });
  generations_[device]++;
}

void Runtime::end() {
  ended = true;
  host_functions.end();
  if (connection_ && !forked) connection_->end_machine();
}

namespace {

/// Runs when the library is unloaded: nobody calls CUDA functions any more.
[[gnu::destructor]] void end_of_program() { Runtime::instance().end(); }

}  // namespace

CurrentDevice& current_device() {
  thread_local CurrentDevice current;
  return current;
}

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t connection_error(const ConnectionLost& error) {
  static bool said = false;
  if (!said && !Runtime::instance().ended) say(error.what());
  said = true;
  return Runtime::instance().connected() ? cudaErrorUnknown : cudaErrorInitializationError;
}

}  // namespace roofline::sim::runtime
