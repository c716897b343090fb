// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Functions of the CUDA driver. There is no driver: every one is answered with "not found", as the real
// library answers for a name that it does not know, so that programs take their other path.
#include "simulator/runtime/runtime.h"

using namespace roofline::sim::runtime;

namespace {

cudaError_t answer(const char* symbol, void** function, unsigned long long flags,
                   cudaDriverEntryPointQueryResult* status) {
  constexpr unsigned long long known =
      cudaEnableLegacyStream | cudaEnablePerThreadDefaultStream;  // exclude each other
  if (!symbol || !*symbol || !function || (flags & ~known) || flags == known)
    return remember(cudaErrorInvalidValue);
  *function = nullptr;
  if (status) *status = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return answer(symbol, function, flags, status);
}
ROOFLINE_EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function,
                                                         unsigned long long flags,
                                                         cudaDriverEntryPointQueryResult* status) {
  return answer(symbol, function, flags, status);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  return answer(symbol, function, flags, status);
}
ROOFLINE_EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function,
                                                                  unsigned, unsigned long long flags,
                                                                  cudaDriverEntryPointQueryResult* status) {
  return answer(symbol, function, flags, status);
}
