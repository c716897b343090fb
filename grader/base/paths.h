// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "grader/base/error.h"

/// Where things are.
namespace roofline::grader {

struct Paths {
  std::filesystem::path root;  ///< the checkout: labs/, solutions/, common/
  std::filesystem::path
      build;  ///< build/base, or built/ of a course that was handed out built: bin/, simulator/, worker/
  std::filesystem::path state;  ///< .lab: cache, progress, backups

  /// From ROOFLINE_ROOT and the place of this executable; the folders of compile time where those do not fit.
  /// Throws InfrastructureError where there is no checkout.
  static Paths find();

  std::filesystem::path simulator() const { return build / "simulator"; }
  std::filesystem::path worker_library() const { return build / "worker" / "libroofline_worker.a"; }
  std::filesystem::path cache() const { return state / "cache"; }
  /// The programs came with the course: nothing is built here.
  bool came_built() const { return build == root / "built"; }
  /// Compiled programs and roofs that came with a course that was handed out built.
  std::filesystem::path cache_that_came() const { return build / "cache"; }
  std::filesystem::path results() const { return root / "results"; }

  /// As the user would type it: relative to the checkout where it lies in it, else absolute.
  std::string shown(const std::filesystem::path& path) const;
};

}  // namespace roofline::grader
