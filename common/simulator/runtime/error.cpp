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

/// A fault is reported for good, by every thread; other errors are this thread's and are reported once.
cudaError_t current_error(bool forget) {
  Runtime& runtime = Runtime::instance();
  std::lock_guard guard(runtime.lock);
  if (runtime.connected() && runtime.connection().sticky() != roofline::sim::channel::Status::kOk)
    return to_cuda(runtime.connection().sticky());
  return forget ? std::exchange(last_error(), cudaSuccess) : last_error();
}

}  // namespace

cudaError_t cudaGetLastError() { return current_error(true); }
cudaError_t cudaPeekAtLastError() { return current_error(false); }
const char* cudaGetErrorName(cudaError_t error) { return describe(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return describe(error).text; }
