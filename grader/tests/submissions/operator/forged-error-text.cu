// expect: fail crashed; naive: escapes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Hands the judge an error whose text clears the screen, through the channel that is meant for it.

#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pointwise.h"
#include "worker/protocol.h"

void pointwise(const float*, float*, float, float, std::size_t, cudaStream_t) {
  std::printf("\x1b[2J passed 100/100\n");
  const char* name = std::getenv(roofline::worker::kSocketVariable);
  roofline::worker::Reply reply{};
  reply.serial = 2;
  reply.status = roofline::worker::Status::kCudaError;
  std::snprintf(reply.error_name, sizeof reply.error_name, "\x1b[2J\x1b[32m passed");
  std::memset(reply.error_text, 0x1b, sizeof reply.error_text);
  if (name != nullptr) send(std::atoi(name), &reply, sizeof reply, MSG_DONTWAIT);
  if (name != nullptr) pause();
}
