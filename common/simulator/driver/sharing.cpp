// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Memory and events that several processes share.
#include <cstring>

#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

// The runtime's structures hold the same bytes.
template <class To, class From>
To same(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  return in_context(
      [&] { return cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t*>(handle), pointer(address)); });
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* made, CUipcMemHandle handle, unsigned flags) {
  return make(Resource::kOpenedMemory, made, [&] {
    void* p = nullptr;
    const cudaError_t error = cudaIpcOpenMemHandle(&p, same<cudaIpcMemHandle_t>(handle), flags);
    *made = address_of(p);
    return error;
  });
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* made, CUipcMemHandle handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(made, handle, flags);
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return unmake(address, [&] { return cudaIpcCloseMemHandle(pointer(address)); });
}
CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
  return in_context(
      [&] { return cudaIpcGetEventHandle(reinterpret_cast<cudaIpcEventHandle_t*>(handle), event); });
}
CUresult cuIpcOpenEventHandle(CUevent* made, CUipcEventHandle handle) {
  return make(Resource::kEvent, made,
              [&] { return cudaIpcOpenEventHandle(made, same<cudaIpcEventHandle_t>(handle)); });
}
