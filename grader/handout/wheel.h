// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/handout/zip.h"

namespace roofline::grader {

/// A package for pip: https://packaging.python.org/en/latest/specifications/binary-distribution-format/. It
/// brings programs for one platform and needs no particular Python.
struct Wheel {
  std::string name;      ///< of the distribution and of its command: "simulated-gpu"
  std::string version;   ///< "0.1"
  std::string platform;  ///< "manylinux_2_31_x86_64"
  std::string readme{};
  std::vector<ZipEntry> licences{};  ///< "licenses/LICENSE" ...
  std::vector<ZipEntry> files{};     ///< of the module, relative to its folder; its main() is the command

  std::string module() const;     ///< "simulated_gpu"
  std::string file_name() const;  ///< what pip wants the file to be called
  std::string archive() const;    ///< the file
};

}  // namespace roofline::grader
