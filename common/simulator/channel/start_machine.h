// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "simulator/channel/machine_options.h"
#include "simulator/channel/socket.h"

namespace roofline::sim::channel {

struct StartedMachine {
  int pid = -1;
  Descriptor guest, observer;  ///< this side's ends; the machine ends itself when they are closed
};

/// The machine program to use; throws std::runtime_error with a sentence when there is none.
std::filesystem::path choose_machine(const std::filesystem::path& directory, const std::string& vector_level);

/// Starts the machine's process. `directory` holds simulated-gpu-v2, -v3, -v4 (those that were built) and
/// devices/. `observed`: with a second channel for a trusted observer. Throws std::runtime_error or
/// std::system_error.
StartedMachine start_machine(const std::filesystem::path& directory, const MachineOptions& options,
                             bool observed);

}  // namespace roofline::sim::channel
