// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Any bytes are an image or an ImageError; nothing outside them is read.
#include "simulator/image/elf.h"
#include "simulator/image/image.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace roofline::sim;
  try {
    const image::Image image = image::read_image(std::as_bytes(std::span(data, size)));
    image::choose_elf(image, 80);
    for (const image::ElfImage& elf : image.elf) {
      try {
        image::kernels_of_elf(elf.bytes);
      } catch (const image::ImageError&) {
      }
    }
    image::choose_ptx(image, 80);
  } catch (const image::ImageError&) {
  }
  return 0;
}
