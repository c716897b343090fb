// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/paths.h"

#include <cstdlib>

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

fs::path environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? fs::path(value) : fs::path();
}

bool is_checkout(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path / "labs", ignored) && fs::is_directory(path / "common", ignored);
}

}  // namespace

Paths Paths::find() {
  Paths paths;
  std::error_code error;
  // bin/lab lies in the build folder: a built tree that was copied elsewhere still finds its parts.
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = program.parent_path().parent_path();
  paths.build = fs::is_directory(beside / "simulator", error) ? beside : fs::path(ROOFLINE_BUILD);
  for (const fs::path& candidate :
       {environment_path("ROOFLINE_ROOT"), beside.parent_path().parent_path(), fs::path(ROOFLINE_SOURCE)}) {
    if (candidate.empty() || !is_checkout(candidate)) continue;
    paths.root = fs::canonical(candidate);
    break;
  }
  if (paths.root.empty()) {
    const std::string expected = ROOFLINE_SOURCE;  // empty in what was handed out built
    throw InfrastructureError("there is no checkout of Roofline Labs (a folder with labs/ and common/)" +
                              (expected.empty() ? "" : " at " + expected) +
                              "; start the grader with ./lab from the checkout");
  }
  const fs::path state = environment_path("ROOFLINE_STATE");
  paths.state = state.empty() ? paths.root / ".lab" : fs::absolute(state);
  return paths;
}

std::string Paths::shown(const fs::path& path) const {
  const fs::path full = fs::absolute(path).lexically_normal();
  const fs::path relative = full.lexically_relative(root);
  if (relative.empty() || *relative.begin() == "..") return full.string();
  return relative.string();
}

}  // namespace roofline::grader
