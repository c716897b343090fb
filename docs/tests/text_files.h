// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// Files of the repository, as the tests of the documentation read them.
namespace roofline::docs {

inline const std::filesystem::path kRoot = ROOFLINE_SOURCE;

inline std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Every page that a reader may open: README.md, docs/, labs/, the simulator's README.
inline std::vector<std::filesystem::path> pages() {
  namespace fs = std::filesystem;
  std::vector<fs::path> found = {kRoot / "README.md", kRoot / "common/simulator/README.md"};
  for (const char* folder : {"docs", "labs"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace roofline::docs
