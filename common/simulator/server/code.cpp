// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/code.h"

#include "simulator/image/elf.h"
#include "simulator/image/image.h"

namespace roofline::sim::server {
namespace {

image::Image read(std::span<const std::byte> bytes) try {
  return image::read_image(bytes);
} catch (const LoadError& error) {
  throw CodeError{channel::Status::kInvalidImage, error.what()};
}

const image::PtxImage& choose(const image::Image& found, u32 capability) try {
  return image::choose_ptx(found, capability);
} catch (const LoadError& error) {
  throw CodeError{channel::Status::kNoKernelImage, error.what()};
}

}  // namespace

Code find_code(std::span<const std::byte> bytes, const DeviceDescription& device) {
  const u32 capability = device.compute_major * 10 + device.compute_minor;
  const image::Image found = read(bytes);
  Code code;
  const image::PtxImage& ptx = choose(found, capability);
  code.ptx = ptx.text;
  code.target = ptx.sm;
  if (const image::ElfImage* elf = image::choose_elf(found, capability)) {
    try {
      code.elf = image::kernels_of_elf(elf->bytes);
    } catch (const LoadError&) {
      // Only facts about registers are lost: they are estimated, as for a program without machine code.
    }
  }
  return code;
}

}  // namespace roofline::sim::server
