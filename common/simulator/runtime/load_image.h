// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <vector>

#include "simulator/runtime/runtime.h"

namespace roofline::sim::runtime {

using Image = std::vector<std::byte>;

/// Translation units that are to be linked when they are loaded, as one image: what cuLinkComplete makes.
Image linked_image(const std::vector<Image>& units);

/// A copy of the code behind a pointer that the program gives: what image::image_at() knows, or a
/// linked_image(). \throws ImageError when it is none of these.
Image image_behind(const void* code);
/// The code in a file; empty when it cannot be read.
Image image_in_file(const std::string& file);

/// Makes a module of an image and loads it on this call's device. What the machine says about it is printed
/// and appended to `log`. There is no module when the answer is an error.
cudaError_t load_image(Runtime& runtime, Image image, Module*& module, std::string* log = nullptr);

}  // namespace roofline::sim::runtime
