// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/driver/frame.h"

namespace roofline::sim::driver {

/// The numbers are the same but for errors that only the runtime has.
CUresult to_driver(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorMissingConfiguration:
      return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol:
      return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    default:
      return static_cast<CUresult>(error);
  }
}

CUstream& default_stream() {
  thread_local CUstream stream = nullptr;
  return stream;
}

CUresult context_problem() {
  Contexts& contexts = Contexts::instance();
  if (!is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  const Context* const context = current_context();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  return contexts.find(context) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

}  // namespace roofline::sim::driver
