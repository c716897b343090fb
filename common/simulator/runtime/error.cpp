// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/runtime.h"

using namespace roofline::sim::runtime;

namespace {

struct ErrorText {
  const char* name;
  const char* text;
};

ErrorText describe(cudaError_t error) {
  switch (error) {
#define ROW(name, text) \
  case name:            \
    return {#name, text};
#include "simulator/runtime/errors.list"
#undef ROW
    default:
      return {"unrecognized error code", "unrecognized error code"};
  }
}

/// A fault is reported for good, by every thread that uses the device; other errors are this thread's and are
/// reported once.
cudaError_t current_error(bool forget) {
  const cudaError_t own = forget ? std::exchange(last_error(), cudaSuccess) : last_error();
  cudaError_t fault = cudaSuccess;
  (void)locked([&](Runtime& r) {
    if (r.connected()) fault = to_cuda(r.connection().sticky());
    return cudaSuccess;
  });
  return fault != cudaSuccess ? fault : own;
}

}  // namespace

cudaError_t cudaGetLastError() { return current_error(true); }
cudaError_t cudaPeekAtLastError() { return current_error(false); }
const char* cudaGetErrorName(cudaError_t error) { return describe(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return describe(error).text; }
