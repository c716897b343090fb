// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/hang_up.h"

#include <poll.h>
#include <unistd.h>

#include <thread>

namespace roofline::sim::server {

void end_when_hung_up(int owner_fd) {
  std::thread([owner_fd] {
    for (;;) {
      pollfd owner{owner_fd, 0, 0};
      if (poll(&owner, 1, -1) > 0 && (owner.revents & (POLLHUP | POLLERR | POLLNVAL))) _exit(0);
    }
  }).detach();
}

}  // namespace roofline::sim::server
