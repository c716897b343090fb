// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/not_supported.h"

#include <map>
#include <mutex>
#include <string>

#include "simulator/runtime/runtime.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::runtime {

int not_supported_in(Runtime& r, const char* what, std::atomic<bool>& said, const char* answer) {
  if (!said.exchange(true)) {
    say(std::string(what) + " is not supported yet: it returns " + answer);
    r.connection().post(channel::ReportMissing{what});
  }
  return cudaErrorNotSupported;
}

int not_supported(const char* name, std::atomic<bool>& said, const char* answer) {
  return api([&](Runtime& r) { return static_cast<cudaError_t>(not_supported_in(r, name, said, answer)); });
}

}  // namespace roofline::sim::runtime

/// A function of a CUDA runtime that is newer than this library and linked into the program
/// (static_runtime/).
ROOFLINE_EXPORT int roofline_unknown_function(const char* name) {
  static std::mutex lock;
  static std::map<std::string, std::atomic<bool>, std::less<>> said;
  const std::lock_guard guard(lock);
  return roofline::sim::runtime::not_supported(name, said[name]);
}
