// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

/// Finds images in the memory of the program itself, where only a pointer is known. For the runtime's side.
namespace roofline::sim::image {

/// The image behind the wrapper that __cudaRegisterFatBinary receives. The span ends where the container
/// says, and never beyond the loaded object that holds it. \throws ImageError when this is no wrapper.
std::span<const std::byte> image_of_wrapper(const void* wrapper);

/// The images of all translation units of a program built with -rdc=true, whose wrapper lists them; empty for
/// an ordinary wrapper. (The image of such a wrapper itself holds linked machine code only.)
std::vector<std::span<const std::byte>> parts_of_wrapper(const void* wrapper);

/// What cudaLibraryLoadData receives: a wrapper, a container, an ELF file, or PTX text that ends in NUL.
/// \throws ImageError when it is none of these.
std::span<const std::byte> image_at(const void* code);

}  // namespace roofline::sim::image
