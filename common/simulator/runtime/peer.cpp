// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// What devices do for each other: access to memory, copies.
#include "simulator/runtime/address.h"
#include "simulator/runtime/copy.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

/// Two devices of this machine can be peers; a device is none of its own.
bool can_access(Runtime& r, int device, int peer) { return device != peer && r.device().peer_access != 0; }

/// Faster than any PCIe link: NVLink, which carries atomics.
bool over_nvlink(Runtime& r) {
  constexpr double kPcie5Gbps = 64;
  return r.device().peer_gbps > kPcie5Gbps;
}

/// Device memory that is said to be of a device must be. Mapped memory has the address of another, perhaps.
bool lies_on(Runtime& r, const void* p, int device) {
  if (!is_device_address(p)) return true;
  AllocationState found;
  if (r.connection().call(QueryAllocation{address_of(p)}, found) != Status::kOk || !found.found)
    return device_of(p) == device;
  return static_cast<int>(found.gpu) == device;
}

cudaError_t copy_peer(void* dst, int dst_device, const void* src, int src_device, size_t count,
                      cudaStream_t stream) {
  return api([&](Runtime& r) {
    if (!r.is_device(dst_device) || !r.is_device(src_device)) return cudaErrorInvalidDevice;
    if (!lies_on(r, dst, dst_device) || !lies_on(r, src, src_device)) return cudaErrorInvalidValue;
    return copy(r, {dst, count, src, count, count, 1, cudaMemcpyDeviceToDevice, stream, true});
  });
}

cudaError_t copy_peer_3d(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  if (!p) return remember(cudaErrorInvalidValue);
  const cudaError_t error = api([&](Runtime& r) {
    if (!r.is_device(p->dstDevice) || !r.is_device(p->srcDevice)) return cudaErrorInvalidDevice;
    const auto lies = [&](cudaArray_t array, void* pointer, int device) {
      const Array* const found = array ? r.arrays.find(array) : nullptr;
      return array ? found && found->device == device : lies_on(r, pointer, device);
    };
    const bool lie =
        lies(p->dstArray, p->dstPtr.ptr, p->dstDevice) && lies(p->srcArray, p->srcPtr.ptr, p->srcDevice);
    return lie ? cudaSuccess : cudaErrorInvalidValue;
  });
  if (error != cudaSuccess) return error;
  cudaMemcpy3DParms plain{};
  plain.srcArray = p->srcArray;
  plain.srcPos = p->srcPos;
  plain.srcPtr = p->srcPtr;
  plain.dstArray = p->dstArray;
  plain.dstPos = p->dstPos;
  plain.dstPtr = p->dstPtr;
  plain.extent = p->extent;
  plain.kind = cudaMemcpyDefault;
  return cudaMemcpy3DAsync(&plain, stream);
}

}  // namespace

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api([&](Runtime& r) {
    if (!can) return cudaErrorInvalidValue;
    if (!r.is_device(device) || !r.is_device(peer)) return cudaErrorInvalidDevice;
    *can = can_access(r, device, peer);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api([&](Runtime& r) {
    if (!r.is_device(peer) || !can_access(r, r.target(), peer)) return cudaErrorInvalidDevice;
    if (flags != 0) return cudaErrorInvalidValue;
    if (r.settings().peers.contains(peer)) return cudaErrorPeerAccessAlreadyEnabled;
    const Status status = r.connection().call(AllowPeer{static_cast<u32>(peer), true});
    if (status == Status::kOk) r.settings().peers.insert(peer);
    return to_cuda(status);
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api([&](Runtime& r) {
    if (!r.is_device(peer)) return cudaErrorInvalidDevice;
    if (!r.settings().peers.erase(peer)) return cudaErrorPeerAccessNotEnabled;
    return to_cuda(r.connection().call(AllowPeer{static_cast<u32>(peer), false}));
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
  return api([&](Runtime& r) {
    if (!value) return cudaErrorInvalidValue;
    if (!r.is_device(device) || !r.is_device(peer) || device == peer) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevP2PAttrPerformanceRank:
        *value = 0;  // every link is alike
        return cudaSuccess;
      case cudaDevP2PAttrAccessSupported:
        *value = can_access(r, device, peer);
        return cudaSuccess;
      case cudaDevP2PAttrNativeAtomicSupported:
        *value = can_access(r, device, peer) && over_nvlink(r);
        return cudaSuccess;
      case cudaDevP2PAttrCudaArrayAccessSupported:
      case cudaDevP2PAttrOnlyPartialNativeAtomicSupported:
        *value = 0;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemcpyPeer(void* dst, int dst_device, const void* src, int src_device, size_t count) {
  return copy_peer(dst, dst_device, src, src_device, count, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void* dst, int dst_device, const void* src, int src_device, size_t count,
                                cudaStream_t stream) {
  return copy_peer(dst, dst_device, src, src_device, count, stream);
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) { return copy_peer_3d(p, nullptr); }
ROOFLINE_EXPORT cudaError_t cudaMemcpy3DPeer_ptds(const cudaMemcpy3DPeerParms* p) {
  return copy_peer_3d(p, cudaStreamPerThread);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return copy_peer_3d(p, stream);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy3DPeerAsync_ptsz(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return copy_peer_3d(p, per_thread(stream));
}
