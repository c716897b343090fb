// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <filesystem>
#include <string>

#include "grader/batch/task.h"

namespace roofline::grader {

/// Where archives of platforms are unpacked while this command runs. The journal is ours alone: what is left
/// of others is of runs that were killed.
class Staging {
 public:
  static constexpr const char* kPrefix = "handed-in.";

  explicit Staging(const BatchFolder& folder) : folder_(folder.root / (kPrefix + std::to_string(getpid()))) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder.root, ignored))
      if (entry.path().filename().string().starts_with(kPrefix))
        std::filesystem::remove_all(entry.path(), ignored);
  }
  ~Staging() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace roofline::grader
