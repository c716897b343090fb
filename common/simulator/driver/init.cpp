// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Start, versions, errors.
#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (runtime::Runtime::instance().forked) return CUDA_ERROR_NOT_INITIALIZED;
  Contexts::instance().initialised = true;
  int count = 0;
  return initialised([&] { return cudaGetDeviceCount(&count); });
}

CUresult cuDriverGetVersion(int* version) { return to_driver(cudaDriverGetVersion(version)); }

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  switch (error) {
#define ROW(code)  \
  case code:       \
    *name = #code; \
    return CUDA_SUCCESS;
#include "simulator/driver/errors.list"
#undef ROW
  }
  *name = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

/// The runtime describes the same numbers in the same words, but for two that it does not have.
CUresult cuGetErrorString(CUresult error, const char** text) {
  const char* name = nullptr;
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = nullptr;
  if (cuGetErrorName(error, &name) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
  *text = error == CUDA_ERROR_CONTEXT_ALREADY_CURRENT ? "context already current"
          : error == CUDA_ERROR_KEY_ROTATION          ? "encryption keys are being changed"
                                                      : cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}
