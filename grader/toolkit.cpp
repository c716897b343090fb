// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/toolkit.h"

#include <algorithm>
#include <cstdlib>

#include "grader/paths.h"
#include "grader/process.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMajor = "13.";

fs::path nvcc_on_path() {
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "";
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const fs::path nvcc = fs::path(folders.substr(begin, end - begin)) / "nvcc";
    std::error_code error;
    // canonical: nvcc finds its parts beside itself, a link to it does not help.
    if (const fs::path real = fs::canonical(nvcc, error); !error) return real.parent_path().parent_path();
    begin = end + 1;
  }
  return {};
}

}  // namespace

fs::path Toolkit::libraries() const {
  std::error_code ignored;
  return fs::is_directory(home / "lib64", ignored) ? home / "lib64" : home / "lib";
}

std::vector<fs::path> toolkit_candidates(const fs::path& state) {
  std::vector<fs::path> result;
  for (const char* name : {"ROOFLINE_CUDA_HOME", "CUDA_HOME"})
    if (const char* value = std::getenv(name); value && *value) result.emplace_back(value);
  result.push_back(state / "cuda");
  if (*ROOFLINE_CUDA_HOME) result.emplace_back(ROOFLINE_CUDA_HOME);
  result.emplace_back("/usr/local/cuda");
  if (fs::path found = nvcc_on_path(); !found.empty()) result.push_back(std::move(found));
  return result;
}

Toolkit find_toolkit(const fs::path& state) {
  std::string tried;
  for (const fs::path& home : toolkit_candidates(state)) {
    Toolkit toolkit{.home = home, .version = {}};
    std::error_code ignored;
    if (!fs::exists(toolkit.nvcc(), ignored)) continue;
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
