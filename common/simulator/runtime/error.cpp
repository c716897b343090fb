// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/names.h"
#include "simulator/runtime/call_site.h"
#include "simulator/runtime/runtime.h"

namespace channel = roofline::sim::channel;
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

std::atomic<bool> unseen = false;  ///< a failed call was reported, and nobody has asked since

/// The machine forgets failed calls: somebody has asked.
void failures_are_seen(Runtime& r) {
  unseen = false;
  const int device = r.target();
  for (const int told : std::exchange(r.unseen_failures, {})) {
    r.aim(told);
    r.connection().post(channel::ReportErrorSeen{});
  }
  r.aim(device);
}

/// A fault is reported for good, by every thread that uses the device; other errors are this thread's and are
/// reported once.
cudaError_t current_error(bool forget) {
  const cudaError_t own = forget ? std::exchange(last_error(), cudaSuccess) : last_error();
  cudaError_t fault = cudaSuccess;
  (void)locked([&](Runtime& r) {
    if (r.connected()) fault = to_cuda(r.connection().sticky());
    failures_are_seen(r);
    return cudaSuccess;
  });
  return fault != cudaSuccess ? fault : own;
}

/// A program that prints an error has looked at it.
ErrorText printed(cudaError_t error) {
  if (error != cudaSuccess && unseen && !HostFunctions::inside())
    (void)locked([](Runtime& r) {
      failures_are_seen(r);
      return cudaSuccess;
    });
  return describe(error);
}

/// Answers of a call, rather than failures.
bool is_answer(cudaError_t error) {
  return error == cudaErrorNotReady || error == cudaErrorPeerAccessAlreadyEnabled ||
         error == cudaErrorPeerAccessNotEnabled;
}

bool is_launch(std::string_view function) {
  return function.starts_with("__cudaLaunchKernel") || function.starts_with("__cudaGetKernel");
}

}  // namespace

namespace roofline::sim::runtime {

void report_failure(Runtime& r, cudaError_t error) noexcept try {
  if (!r.connected() || !r.connection().checks_memory() || is_answer(error)) return;
  if (r.connection().sticky() != channel::Status::kOk) return;  // that is told as the fault which it is
  const std::string function = called_function();
  if (function.starts_with("cudaFree")) return;  // told as a wrong free
  const bool launch = is_launch(function);
  std::string what = launch ? readable_name(std::exchange(r.refused_kernel, {})) : function;
  const std::string site = call_site(launch ? std::string_view(what) : std::string_view());
  if (what.empty()) what = launch ? "(unknown)" : "a call";
  const ErrorText said = describe(error);
  r.connection().post(channel::ReportFailedCall{what, said.name, said.text, site, launch});
  r.unseen_failures.insert(r.target());
  unseen = true;
} catch (const std::exception&) {  // only a message is lost
}

}  // namespace roofline::sim::runtime

cudaError_t cudaGetLastError() { return current_error(true); }
cudaError_t cudaPeekAtLastError() { return current_error(false); }
const char* cudaGetErrorName(cudaError_t error) { return printed(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return printed(error).text; }
