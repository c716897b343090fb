// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "grader/base/paths.h"
#include "grader/run/run.h"

namespace roofline::grader {

struct ShowRequest {
  std::string place;  ///< FILE:LINE, or LAB:LINE
  std::string lab;    ///< which lab a file is for; empty: its folder tells
  std::string device = "sim";
  std::uint64_t block = 0;
  unsigned warp = 0, launch = 1;
  std::size_t request = 0;     ///< counted from 1; 0: the one that wastes most
  unsigned columns = 16;       ///< of the picture of who wrote what
  std::filesystem::path html;  ///< empty: results/show.html
  std::filesystem::path svg;   ///< empty: none
  RunOptions run;              ///< its program and arguments; none: the file is a lab's
};
/// Draws what the threads of a warp do at one source line.
int show_verb(const Paths& paths, const ShowRequest& request);

}  // namespace roofline::grader
