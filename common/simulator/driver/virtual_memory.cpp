// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Addresses and memory apart: cuMemAddressReserve, cuMemCreate, cuMemMap and their family.
#include "simulator/driver/virtual_memory.h"

#include <optional>
#include <set>

#include "simulator/driver/frame.h"
#include "simulator/runtime/say.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

/// The machine's number of the piece; no piece is 0.
using Handle = CUmemGenericAllocationHandle;

bool is_whole(u64 bytes) { return bytes != 0 && bytes % kMappingGranularity == 0; }

constexpr auto kShareable = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
/// Pieces that were made to be shared with other processes. Numbers are never used again.
std::set<Handle>& exportable_pieces() {
  static std::set<Handle> pieces;
  return pieces;
}

/// Pinned memory of a device.
cudaError_t check(runtime::Runtime& r, const CUmemAllocationProp* wanted) {
  if (!wanted || wanted->type != CU_MEM_ALLOCATION_TYPE_PINNED) return cudaErrorInvalidValue;
  if (wanted->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    runtime::say(
        "cuMemCreate: memory of the host has no virtual memory on the simulated GPU; use cuMemHostAlloc");
    return cudaErrorNotSupported;
  }
  return r.is_device(wanted->location.id) ? cudaSuccess : cudaErrorInvalidDevice;
}

/// Memory without an address belongs to no context, and needs none.
template <class Body>
CUresult without_context(Body&& body) noexcept {
  return initialised([&] { return runtime::api(body); });
}

template <class Body>
CUresult with_handle(Handle handle, Body&& body) noexcept {
  return without_context([&](runtime::Runtime& r) { return handle == 0 ? cudaErrorInvalidValue : body(r); });
}

cudaError_t query(runtime::Runtime& r, const channel::QueryMapping& asked, channel::MappingState& found) {
  return runtime::to_cuda(r.connection().call(asked, found));
}

std::optional<MappedAccess> access_of(CUmemAccess_flags flags) {
  switch (flags) {
    case CU_MEM_ACCESS_FLAGS_PROT_NONE:
      return MappedAccess::kNone;
    case CU_MEM_ACCESS_FLAGS_PROT_READ:
      return MappedAccess::kRead;
    case CU_MEM_ACCESS_FLAGS_PROT_READWRITE:
      return MappedAccess::kReadWrite;
    default:
      return std::nullopt;
  }
}

std::set<CUdeviceptr>& reservations() {
  static std::set<CUdeviceptr> addresses;
  return addresses;
}

}  // namespace

bool roofline::sim::driver::has_reservations() { return !reservations().empty(); }

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* wanted,
                                       CUmemAllocationGranularity_flags option) {
  return without_context([&](runtime::Runtime& r) {
    if (!bytes ||
        (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
      return cudaErrorInvalidValue;
    const cudaError_t result = check(r, wanted);
    if (result == cudaSuccess) *bytes = kMappingGranularity;
    return result;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* made, size_t bytes, size_t alignment, CUdeviceptr /*wish*/,
                             unsigned long long flags) {
  return with_runtime([&](runtime::Runtime& r) {
    if (!made || flags != 0 || !is_whole(bytes)) return cudaErrorInvalidValue;
    channel::Address answer;
    const auto status = r.connection().call(channel::ReserveAddresses{bytes, alignment}, answer);
    *made = answer.address;
    if (status == channel::Status::kOk) reservations().insert(answer.address);
    return runtime::to_cuda(status);
  });
}
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return without_context([&](runtime::Runtime& r) {
    const auto status = r.connection().call(channel::FreeAddresses{address, bytes});
    if (status == channel::Status::kOk) reservations().erase(address);
    return runtime::to_cuda(status);
  });
}

CUresult cuMemCreate(Handle* made, size_t bytes, const CUmemAllocationProp* wanted,
                     unsigned long long flags) {
  return without_context([&](runtime::Runtime& r) {
    if (!made || flags != 0 || !is_whole(bytes)) return cudaErrorInvalidValue;
    if (const cudaError_t result = check(r, wanted); result != cudaSuccess) return result;
    const bool exportable = wanted->requestedHandleTypes == kShareable;
    if (wanted->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE && !exportable) {
      runtime::say(
          "cuMemCreate: on the simulated GPU memory is shared with other processes by POSIX file "
          "descriptors");
      return cudaErrorNotSupported;
    }
    r.aim(wanted->location.id);
    channel::Address answer;
    const auto status = r.connection().call(channel::CreateMemory{bytes}, answer);
    if (status != channel::Status::kOk) return runtime::to_cuda(status);
    *made = answer.address;
    if (exportable) exportable_pieces().insert(*made);
    return cudaSuccess;
  });
}
CUresult cuMemRelease(Handle handle) {
  return with_handle(handle, [&](runtime::Runtime& r) {
    return runtime::to_cuda(r.connection().call(channel::ReleaseMemory{handle}));
  });
}
CUresult cuMemRetainAllocationHandle(Handle* handle, void* address) {
  return with_runtime([&](runtime::Runtime& r) {
    if (!handle) return cudaErrorInvalidValue;
    channel::MappingState found;
    const cudaError_t error = query(r, {address_of(address), true, 0}, found);
    if (error == cudaSuccess && !found.found) return cudaErrorInvalidValue;
    *handle = found.piece;
    return error;
  });
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties, Handle handle) {
  return with_handle(handle, [&](runtime::Runtime& r) {
    channel::MappingState found;
    const cudaError_t error = query(r, {0, false, handle}, found);
    if (!properties || (error == cudaSuccess && !found.found)) return cudaErrorInvalidValue;
    *properties = {};
    properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties->location.id = static_cast<int>(found.gpu);
    if (exportable_pieces().contains(handle)) properties->requestedHandleTypes = kShareable;
    return error;
  });
}

CUresult cuMemExportToShareableHandle(void* shareable, Handle handle, CUmemAllocationHandleType type,
                                      unsigned long long flags) {
  return with_handle(handle, [&](runtime::Runtime& r) {
    if (!shareable || type != kShareable || flags != 0 || !exportable_pieces().contains(handle))
      return cudaErrorInvalidValue;
    runtime::HandleBytes bytes;
    const cudaError_t error = runtime::share(r, channel::Shared::kPiece, handle, bytes);
    return error == cudaSuccess ? runtime::make_descriptor(bytes, *static_cast<int*>(shareable)) : error;
  });
}
CUresult cuMemImportFromShareableHandle(Handle* handle, void* shareable, CUmemAllocationHandleType type) {
  return without_context([&](runtime::Runtime& r) {
    if (!handle || type != kShareable) return cudaErrorInvalidValue;
    const auto bytes =
        runtime::read_descriptor(static_cast<int>(address_of(shareable)), channel::Shared::kPiece);
    if (!bytes) return cudaErrorInvalidValue;
    channel::SharedState opened;
    const auto status =
        runtime::open_shared(r, {.handle = bytes->handle, .kind = channel::Shared::kPiece}, opened);
    if (status != channel::Status::kOk) return runtime::to_cuda(status);
    *handle = opened.id;
    exportable_pieces().insert(*handle);
    return cudaSuccess;
  });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, Handle handle, unsigned long long flags) {
  return with_handle(handle, [&](runtime::Runtime& r) {
    if (offset != 0 || flags != 0) return cudaErrorInvalidValue;
    return runtime::to_cuda(r.connection().call(channel::MapMemory{address, bytes, handle}));
  });
}
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return without_context([&](runtime::Runtime& r) {
    return runtime::to_cuda(r.connection().call(channel::UnmapMemory{address, bytes}));
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* list, size_t n) {
  return with_runtime([&](runtime::Runtime& r) {
    if (!list || n == 0) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; ++i) {
      const auto access = access_of(list[i].flags);
      if (!access || list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
          !r.is_device(list[i].location.id))
        return cudaErrorInvalidValue;
      r.aim(list[i].location.id);
      const auto status =
          r.connection().call(channel::AllowAccess{address, bytes, *access, r.connection().site()});
      if (status != channel::Status::kOk) return runtime::to_cuda(status);
    }
    return cudaSuccess;
  });
}
CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr address) {
  return with_runtime([&](runtime::Runtime& r) {
    if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE || !r.is_device(location->id))
      return cudaErrorInvalidValue;
    r.aim(location->id);
    channel::MappingState found;
    const cudaError_t error = query(r, {address, false, 0}, found);
    if (error != cudaSuccess || !found.found) return error != cudaSuccess ? error : cudaErrorInvalidValue;
    constexpr unsigned long long kFlags[] = {CU_MEM_ACCESS_FLAGS_PROT_NONE, CU_MEM_ACCESS_FLAGS_PROT_READ,
                                             CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    *flags = kFlags[static_cast<unsigned>(found.access)];
    return cudaSuccess;
  });
}
