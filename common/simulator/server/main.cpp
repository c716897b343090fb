// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "simulator/server/machine.h"

/// The simulated devices' process: sits behind two sockets as cards sit behind their bus.
int main(int argc, char** argv) try {
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the program; the machine ends when the program does
  std::signal(SIGPIPE, SIG_IGN);
  // The program may run under our uid: it must neither trace the device nor open its memory.
  prctl(PR_SET_DUMPABLE, 0);
  const auto options = roofline::sim::server::parse_options(argc, argv);
  // Nothing inherited by accident may stay open here: a pipe held by the machine would keep its reader
  // waiting.
  for (int fd = 3; fd < 64; fd++)
    if (fd != options.guest_fd && fd != options.observer_fd) close(fd);
  roofline::sim::server::Machine(options).run();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "simulated GPU: %s\n", error.what());
  return 2;
}
