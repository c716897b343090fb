// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <vector>

#include "simulator/channel/status.h"
#include "simulator/device/device.h"

namespace roofline::sim::server {

/// The code of one module that this device can run.
struct Code {
  std::vector<std::string> ptx;  ///< more than one: translation units to be linked
  u32 target = 0;                ///< 80 for compute_80
  std::vector<ElfKernel> elf;
};

/// Why there is none: the status for the program and one sentence for its author.
struct CodeError {
  channel::Status status;
  std::string message;
};

/// Takes PTX and facts about registers out of what the program handed over: a fat binary, an ELF image, or
/// PTX text. Throws CodeError. `image` must be memory that nobody else can change. `parts`: sizes of the
/// images in it as LoadModule has them, empty for one.
Code find_code(std::span<const std::byte> image, const std::vector<u64>& parts,
               const DeviceDescription& device);

}  // namespace roofline::sim::server
