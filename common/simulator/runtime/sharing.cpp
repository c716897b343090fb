// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// What several processes share: memory, events (cudaIpc*) and pools.
#include "simulator/runtime/sharing.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "simulator/runtime/address.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/runtime.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace roofline::sim::runtime {

namespace {

/// From now on a kernel may wait for another process. Watching host code waits for each kernel before a call
/// returns, so neither would go on.
void stop_watching_host(Runtime& r, Shared kind) {
  if (kind != Shared::kEvent) r.connection().stop_watching_host();
}

}  // namespace

cudaError_t share(Runtime& r, Shared kind, u64 id, HandleBytes& bytes) {
  bytes = {};
  bytes.kind = kind;
  const Status status = r.connection().call(Share{kind, id, getpid()}, bytes.handle);
  if (status == Status::kOk) stop_watching_host(r, kind);
  return to_cuda(status);
}

Status open_shared(Runtime& r, const OpenShared& what, SharedState& opened) {
  const Status status = r.connection().call(what, opened);
  if (status == Status::kOk) stop_watching_host(r, what.kind);
  return status;
}

cudaError_t make_descriptor(const HandleBytes& bytes, int& descriptor) {
  const int made = memfd_create("cuda-shareable-handle", MFD_CLOEXEC);
  if (made < 0) return cudaErrorOperatingSystem;
  if (write(made, &bytes, sizeof bytes) != static_cast<ssize_t>(sizeof bytes)) {
    close(made);
    return cudaErrorOperatingSystem;
  }
  descriptor = made;
  return cudaSuccess;
}

std::optional<HandleBytes> read_descriptor(int descriptor, Shared kind) {
  std::array<char, 64> bytes{};
  if (pread(descriptor, bytes.data(), bytes.size(), 0) < static_cast<ssize_t>(sizeof(HandleBytes)))
    return std::nullopt;
  return take(bytes, kind);
}

namespace {

/// Lets kernels of this call's device reach memory of another one, as cudaDeviceEnablePeerAccess does.
cudaError_t reach(Runtime& r, int device) {
  if (device == r.target() || r.settings().peers.contains(device)) return cudaSuccess;
  if (!r.device().peer_access) return cudaErrorPeerAccessUnsupported;
  const Status status = r.connection().call(AllowPeer{static_cast<u32>(device), true});
  if (status == Status::kOk) r.settings().peers.insert(device);
  return to_cuda(status);
}

cudaError_t open_memory(Runtime& r, void** to, const SharedHandle& handle) {
  if (const auto known = r.opened.find(handle); known != r.opened.end()) {
    known->second.holders++;
    *to = pointer(known->second.address);
    return cudaSuccess;
  }
  SharedState opened;
  const Status status =
      open_shared(r, {.handle = handle, .kind = Shared::kMemory, .site = r.connection().site()}, opened);
  if (status != Status::kOk) return to_cuda(status);
  if (const cudaError_t error = reach(r, static_cast<int>(opened.gpu)); error != cudaSuccess) {
    (void)r.connection().call(CloseShared{opened.id});
    return error;
  }
  r.opened[handle] = {opened.id, 1};
  *to = pointer(opened.id);
  return cudaSuccess;
}

}  // namespace

}  // namespace roofline::sim::runtime

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* p) {
  return api([&](Runtime& r) {
    if (!handle || !is_device_address(p) || r.pools.pool_of(address_of(p))) return cudaErrorInvalidValue;
    HandleBytes bytes;
    const cudaError_t error = share(r, Shared::kMemory, address_of(p), bytes);
    if (error == cudaSuccess) put(*handle, bytes);
    return error;
  });
}

cudaError_t cudaIpcOpenMemHandle(void** p, cudaIpcMemHandle_t handle, unsigned flags) {
  return api([&](Runtime& r) {
    const auto bytes = take(handle, Shared::kMemory);
    if (!p || !bytes || flags != cudaIpcMemLazyEnablePeerAccess) return cudaErrorInvalidValue;
    return open_memory(r, p, bytes->handle);
  });
}

cudaError_t cudaIpcCloseMemHandle(void* p) {
  return api([&](Runtime& r) {
    const auto found = std::find_if(r.opened.begin(), r.opened.end(),
                                    [&](const auto& entry) { return entry.second.address == address_of(p); });
    if (found == r.opened.end()) return cudaErrorInvalidValue;
    if (--found->second.holders > 0) return cudaSuccess;
    const u64 address = found->second.address;
    r.opened.erase(found);
    const int device = r.target();
    r.host_functions.wait_for_device(device_of(p));  // what is queued behind them may use it
    r.aim(device);
    return to_cuda(r.connection().call(CloseShared{address}));
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return api([&](Runtime& r) {
    Event* const found = r.find_event(event);
    if (!handle) return cudaErrorInvalidValue;
    if (!found || !(found->flags & cudaEventInterprocess)) return cudaErrorInvalidResourceHandle;
    r.aim(found->device);
    HandleBytes bytes;
    const cudaError_t error = share(r, Shared::kEvent, found->id, bytes);
    if (error != cudaSuccess) return error;
    found->shared = true;
    put(*handle, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return api([&](Runtime& r) {
    const auto bytes = take(handle, Shared::kEvent);
    if (!event || !bytes) return cudaErrorInvalidValue;
    const cudaEvent_t made = r.add_event(cudaEventInterprocess | cudaEventDisableTiming);
    Event& added = *r.find_event(made);
    SharedState opened;
    const Status status =
        open_shared(r, {.handle = bytes->handle, .kind = Shared::kEvent, .event = added.id}, opened);
    if (status != Status::kOk) {
      r.remove_event(made);
      return to_cuda(status);
    }
    added.shared = true;  // and of this call's device, as one that was made here
    *event = made;
    return cudaSuccess;
  });
}
