// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/build/toolkit.h"

#include <cstdlib>

#include "grader/base/error.h"
#include "grader/box/process.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMajor = "13.";

}  // namespace

fs::path Toolkit::libraries() const {
  std::error_code ignored;
  return fs::is_directory(home / "lib64", ignored) ? home / "lib64" : home / "lib";
}

Toolkit find_toolkit() {
  const char* given = std::getenv("CUDA_HOME");
  std::string tried;
  for (const fs::path home : {given ? given : "", ROOFLINE_CUDA_HOME}) {
    Toolkit toolkit{.home = home, .version = {}};
    std::error_code ignored;
    if (home.empty() || !fs::exists(toolkit.nvcc(), ignored)) continue;
    try {
      toolkit.version = parse_nvcc_version(run_command({toolkit.nvcc().string(), "--version"}).output);
    } catch (const std::runtime_error&) {  // not executable: as good as absent
    }
    if (toolkit.version.starts_with(kMajor)) return toolkit;
    tried += "\n  " + toolkit.nvcc().string() +
             (toolkit.version.empty() ? " does not run" : " is of CUDA " + toolkit.version);
  }
  throw InfrastructureError(
      "no nvcc of CUDA 13 was found; run `./lab setup`, which installs one into .lab/cuda" + tried);
}

std::string parse_nvcc_version(const std::string& output) {
  const size_t at = output.find(", V");
  if (at == std::string::npos) return {};
  const size_t end = output.find_first_not_of("0123456789.", at + 3);
  return output.substr(at + 3, end == std::string::npos ? end : end - at - 3);
}

}  // namespace roofline::grader
