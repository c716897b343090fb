// expect: fail crashed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tells the judge that everything is done, many times and for every serial number, then ends well.

#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "pointwise.h"
#include "worker/protocol.h"

void pointwise(const float*, float*, float, float, std::size_t, cudaStream_t) {
  const char* name = std::getenv(roofline::worker::kSocketVariable);
  for (std::uint32_t serial = 1; name != nullptr && serial < 200; ++serial) {
    roofline::worker::Reply reply{};
    reply.serial = serial;
    send(std::atoi(name), &reply, sizeof reply, MSG_DONTWAIT);
  }
  _exit(0);
}
