// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "simulator/channel/socket.h"

namespace roofline::sim::channel {

struct MachineOptions {
  std::filesystem::path directory;  ///< holds simulated-gpu-v2, -v3, -v4 (those that were built) and devices/
  std::string device;               ///< file name in devices/, without .toml
  unsigned gpus = 1;                ///< how many of the device
  u64 device_memory = 0;            ///< bytes of each, 0: as its device file says
  unsigned threads = 0;             ///< host cores, 0: all
  std::string vector_level;         ///< "v2", "v3", "v4"; empty: the best that this CPU and this build have
  double time_limit = 0;            ///< wall seconds a kernel may take, 0: no limit
  u32 checks = 0;                   ///< a set of Check (checks/finding.h)
  bool permute_fragments = false;   ///< wmma fragments in a layout that no hardware has
  bool observed = false;            ///< with a second channel for a trusted observer
  bool trace = false;               ///< keeps a timeline for the observer
};

struct StartedMachine {
  int pid = -1;
  Descriptor guest, observer;  ///< this side's ends; the machine ends itself when they are closed
};

/// The machine program to use; throws std::runtime_error with a sentence when there is none.
std::filesystem::path choose_machine(const std::filesystem::path& directory, const std::string& vector_level);

/// Starts the machine's process; throws std::runtime_error or std::system_error.
StartedMachine start_machine(const MachineOptions& options);

}  // namespace roofline::sim::channel
