// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/given_file.h"

#include <unistd.h>

#include "grader/base/file.h"
#include "grader/base/paths.h"

namespace roofline::grader {
namespace fs = std::filesystem;

void require_file(const fs::path& file, const std::string& remedy) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) throw UsageError(file.string() + " is a folder, not a file");
  if (!fs::exists(file, ignored)) throw UsageError("there is no file " + file.string() + remedy);
  if (access(file.c_str(), R_OK) != 0) throw UsageError(file.string() + " cannot be read");
}

void require_place(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    throw UsageError(file.string() + " is a folder; name the file that is to be written");
  for (fs::path above = fs::absolute(file).parent_path(); above != above.root_path();
       above = above.parent_path()) {
    if (!fs::exists(above, ignored)) continue;
    if (!fs::is_directory(above, ignored)) throw UsageError(above.string() + " is a file, not a folder");
    return;
  }
}

std::string read_given(const fs::path& file) {
  require_file(file);
  return read_file(file);
}

}  // namespace roofline::grader
