// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/not_supported.h"

#include "simulator/runtime/runtime.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::runtime {

int not_supported(const char* name, std::atomic<bool>& said) {
  return api([&](Runtime& r) {
    if (!said.exchange(true)) {
      say(std::string(name) + " is not supported yet: it returns cudaErrorNotSupported");
      r.connection().post(channel::ReportMissing{name});
    }
    return cudaErrorNotSupported;
  });
}

}  // namespace roofline::sim::runtime
