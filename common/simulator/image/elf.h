// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "simulator/program/launch.h"

namespace roofline::sim::image {

/// The architecture of a device ELF file, 80 for sm_80; 0 when `bytes` are no such file.
u32 elf_architecture(std::span<const std::byte> bytes);

/// What ptxas found for each kernel of a device ELF file, in the file's order. Registers, barriers, stack
/// frame and launch bounds stand in the .nv.info sections, static shared memory is the size of
/// .nv.shared.KERNEL. `spill_bytes` is what `ptxas -v` calls spill stores. \throws ImageError when the file
/// is damaged.
std::vector<ElfKernel> kernels_of_elf(std::span<const std::byte> bytes);

}  // namespace roofline::sim::image
