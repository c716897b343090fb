// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace roofline::grader {

/// The CUDA toolkit that compiles workers.
struct Toolkit {
  std::filesystem::path home;  ///< holds bin/nvcc and include/
  std::string version;         ///< "13.0.88"

  std::filesystem::path nvcc() const { return home / "bin" / "nvcc"; }
  std::filesystem::path libraries() const;  ///< lib64, or lib where there is no lib64
};

/// CUDA_HOME, which ./lab sets to what cmake/cuda_home found, else the toolkit of the build, if its nvcc runs
/// and is of CUDA 13. Throws InfrastructureError that says what was tried and how to get one.
Toolkit find_toolkit();

/// "13.0.88" from `nvcc --version`; empty where it does not say.
std::string parse_nvcc_version(const std::string& output);

}  // namespace roofline::grader
