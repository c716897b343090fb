// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec_files.h"

#include <algorithm>
#include <string>

#include "grader/base/file.h"

namespace roofline::grader {
namespace fs = std::filesystem;

bool is_spec(const fs::path& file) {
  const std::string name = file.filename().string();
  return name == "spec.cpp" || (name.starts_with("spec_") && name.ends_with(".cpp"));
}

std::vector<fs::path> spec_files(const fs::path& folder) {
  std::vector<fs::path> specs, headers;
  std::string text;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".h") headers.push_back(entry.path());
    if (!is_spec(entry.path())) continue;
    specs.push_back(entry.path());
    text += read_file(entry.path());
  }
  for (const fs::path& header : headers)
    if (text.find("#include \"" + header.filename().string() + "\"") != std::string::npos)
      specs.push_back(header);
  std::ranges::sort(specs);
  return specs;
}

}  // namespace roofline::grader
