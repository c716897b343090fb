// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "simulator/types.h"

namespace roofline::sim::server {

/// The command line of `simulated-gpu-vN`; written by channel/start_machine.cpp.
struct Options {
  std::string device;
  std::filesystem::path devices;
  int guest_fd = -1, observer_fd = -1;
  unsigned gpus = 1;      ///< how many of the device
  unsigned threads = 0;   ///< 0: all host cores
  unsigned checks = 0;    ///< a set of Check
  u64 device_memory = 0;  ///< bytes of each GPU, 0: as its device file says
  double time_limit = 0;  ///< wall seconds a kernel may take, 0: no limit
  bool trace = false;     ///< keep a timeline for the observer
  bool permute_fragments = false;
};

/// Throws std::runtime_error with a sentence about the first argument that is wrong.
Options parse_options(int argc, char** argv);

}  // namespace roofline::sim::server
