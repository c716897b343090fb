// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "simulator/ptx/load_error.h"
#include "simulator/types.h"

/// The device code that nvcc embeds in a program: a container of PTX texts and ELF files, one an
/// architecture.
namespace roofline::sim::image {

/// Bytes that are no image, or an image that a device cannot run; what() is a sentence for a person.
struct ImageError : LoadError {
  using LoadError::LoadError;
};

struct PtxImage {
  u32 sm = 0;        ///< 80 for compute_80
  std::string text;  ///< no trailing NUL characters
};

struct ElfImage {
  u32 sm = 0;
  std::vector<std::byte> bytes;
};

struct Image {
  std::vector<PtxImage> ptx;
  std::vector<ElfImage> elf;
  bool has_lto = false;  ///< it holds intermediate code for link-time optimisation (-dlto)
};

/// Reads a fatbin container, or several behind each other, with plain, zstd or LZ4 entries; a bare ELF file;
/// or plain PTX text (what NVRTC gives). Never reads outside `bytes`, whatever they hold. \throws ImageError
Image read_image(std::span<const std::byte> bytes);

/// The PTX for a device of this compute capability (80 for 8.0): the newest that is not newer than the
/// device. Where there is only newer PTX but machine code that the device runs, the oldest of it stands in.
/// \throws ImageError which says how to rebuild, if the device cannot run the image, or there is no PTX.
const PtxImage& choose_ptx(const Image& image, u32 capability);

/// The ELF file whose architecture is nearest to the device's, where it runs none of them; null if there is
/// none.
const ElfImage* nearest_elf(const Image& image, u32 capability);

/// The ELF file that the device's driver would run: same major number, minor not above the device's; null if
/// none.
const ElfImage* choose_elf(const Image& image, u32 capability);

}  // namespace roofline::sim::image
