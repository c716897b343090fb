// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace roofline::grader {

/// The CUDA toolkit that compiles workers.
struct Toolkit {
  std::filesystem::path home;  ///< holds bin/nvcc and include/
  std::string version;         ///< "13.0.88"

  std::filesystem::path nvcc() const { return home / "bin" / "nvcc"; }
  std::filesystem::path libraries() const;  ///< lib64, or lib where there is no lib64
};

/// Folders that may hold a toolkit, best first: ROOFLINE_CUDA_HOME, CUDA_HOME, `state`/cuda, the one of the
/// build, /usr/local/cuda, the nvcc on PATH.
std::vector<std::filesystem::path> toolkit_candidates(const std::filesystem::path& state);

/// The first candidate whose nvcc runs and is of CUDA 13. Throws InfrastructureError that says what was tried
/// and how to get one.
Toolkit find_toolkit(const std::filesystem::path& state);

/// "13.0.88" from `nvcc --version`; empty where it does not say.
std::string parse_nvcc_version(const std::string& output);

}  // namespace roofline::grader
