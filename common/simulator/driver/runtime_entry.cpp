// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Functions of the driver, for programs that find them through the runtime and need no libcuda.so.1.
#include "simulator/driver/entry_points.h"
#include "simulator/driver/frame.h"

using namespace roofline::sim::driver;
using roofline::sim::runtime::remember;

namespace {

/// The runtime's own version, which cudaGetDriverEntryPoint means.
constexpr unsigned kVersion = CUDART_VERSION;

cudaError_t answer(const char* symbol, void** function, unsigned version, unsigned long long flags,
                   cudaDriverEntryPointQueryResult* status, EntryPoint::Streams streams) {
  constexpr unsigned long long known =
      cudaEnableLegacyStream | cudaEnablePerThreadDefaultStream;  // exclude each other
  if (!symbol || !*symbol || !function || (flags & ~known) || flags == known)
    return remember(cudaErrorInvalidValue);
  if (flags & cudaEnableLegacyStream) streams = EntryPoint::Streams::kLegacy;
  if (flags & cudaEnablePerThreadDefaultStream) streams = EntryPoint::Streams::kPerThread;
  CUdriverProcAddressQueryResult why{};
  *function = find(symbol, static_cast<int>(version), streams, why);
  if (*function) Contexts::instance().initialised = true;  // the runtime has called cuInit by now
  if (status) *status = static_cast<cudaDriverEntryPointQueryResult>(why);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return answer(symbol, function, kVersion, flags, status, EntryPoint::Streams::kLegacy);
}
ROOFLINE_EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function,
                                                         unsigned long long flags,
                                                         cudaDriverEntryPointQueryResult* status) {
  return answer(symbol, function, kVersion, flags, status, EntryPoint::Streams::kPerThread);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  return answer(symbol, function, version, flags, status, EntryPoint::Streams::kLegacy);
}
ROOFLINE_EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function,
                                                                  unsigned version, unsigned long long flags,
                                                                  cudaDriverEntryPointQueryResult* status) {
  return answer(symbol, function, version, flags, status, EntryPoint::Streams::kPerThread);
}
