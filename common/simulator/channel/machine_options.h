// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/types.h"

namespace roofline::sim {

/// What whoever starts the machine can ask of it. A new flag is a member and a line of fields() here, its
/// use, and the option of the command line that sets it.
struct MachineOptions {
  std::string device = "a100-sxm4-40gb";  ///< file name in devices/, without .toml
  unsigned threads = 0;                   ///< host cores, 0: all
  unsigned gpus = 1;                      ///< how many of the device
  u32 checks = 0;                         ///< a set of Check (checks/finding.h): what to look for
  u64 device_memory = 0;                  ///< bytes of each GPU, 0: as its device file says
  u64 host_memory = 0;                    ///< bytes of pinned, mapped and managed memory, 0: 64 GiB
  double time_limit = 0;                  ///< wall seconds a kernel may take, 0: no limit
  bool trace = false;                     ///< keep a timeline for the observer
  bool permute_fragments = false;         ///< wmma fragments in a layout that no hardware has
  bool host_time = false;                 ///< the program may say how long its own code took
  bool shuffle_blocks = false;            ///< blocks start in a mixed order where order can matter
  bool sharing = false;                   ///< the program may share memory and events with others (IPC)
  u64 blocks_at_ends = 0;                 ///< of a grid the first and the last so many run, 0: all

  void fields(auto& io) {
    io("device", device);
    io("threads", threads);
    io("gpus", gpus);
    io("checks", checks);
    io("device-memory", device_memory);
    io("host-memory", host_memory);
    io("time-limit", time_limit);
    io("trace", trace);
    io("permute-fragments", permute_fragments);
    io("shuffle-blocks", shuffle_blocks);
    io("blocks-at-ends", blocks_at_ends);
    io("host-time", host_time);
    io("sharing", sharing);
  }

  /// Which of the machine's programs: one of kVectorLevels ("v3"); empty: the best that this CPU and
  /// this build have. Not told to it.
  std::string vector_level = {};
};

namespace channel {

/// The command line of `simulated-gpu-vN`, each field as --NAME VALUE: written by start_machine(), read by
/// server/options.cpp.
struct MachineArguments : MachineOptions {
  std::string devices;  ///< the folder
  int guest_fd = -1, observer_fd = -1;

  void fields(auto& io) {
    MachineOptions::fields(io);
    io("devices", devices);
    io("guest-fd", guest_fd);
    io("observer-fd", observer_fd);
  }
};

}  // namespace channel
}  // namespace roofline::sim
