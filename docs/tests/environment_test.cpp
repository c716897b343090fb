// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Our environment variables, as code reads them and as docs/environment.md lists them.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "docs/tests/text_files.h"

namespace roofline::docs {
namespace {
namespace fs = std::filesystem;

/// Files that a person wrote, without pages, and without those of CMake, whose own variables look the same.
std::vector<fs::path> sources() {
  std::vector<fs::path> files = {kRoot / "lab"};
  for (const char* folder : {".ci", "cmake", "common", "docs", "grader"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const fs::path& file = entry.path();
      const bool other = file.filename() == "CMakeLists.txt" || file.extension() == ".cmake" ||
                         file.extension() == ".md" || file.extension() == ".svg";
      if (entry.is_regular_file() && !other) files.push_back(file);
    }
  return files;
}

/// Each variable that is read, and a file that does: a whole string of C++, Python or awk, unless it is set
/// there, or a variable of a shell.
std::map<std::string, std::string> variables_that_are_read() {
  static const std::regex kRead(R"re(((?:un)?setenv\()?"(ROOFLINE_[A-Z_]+)\\?"|\$\{?(ROOFLINE_[A-Z_]+))re");
  std::map<std::string, std::string> read;
  for (const fs::path& file : sources()) {
    const std::string text = text_of(file);
    if (text.find("ROOFLINE_") == std::string::npos) continue;
    for (auto match = std::sregex_iterator(text.begin(), text.end(), kRead); match != std::sregex_iterator();
         ++match)
      if (!(*match)[1].matched) read[(*match)[2].str() + (*match)[3].str()] = shown(file);
  }
  return read;
}

// Breaks when a variable is read that the page does not list, or listed that nobody reads any more.
TEST(Environment, EachVariableHasARow) {
  std::set<std::string> rows;
  const std::regex name("`(ROOFLINE_[A-Z_]+)`");
  for (const std::string& line : lines_of(text_of(kRoot / "docs/environment.md"))) {
    if (!line.starts_with("| ")) continue;
    const std::string first = line.substr(0, line.find(" | "));
    for (auto match = std::sregex_iterator(first.begin(), first.end(), name); match != std::sregex_iterator();
         ++match)
      rows.insert((*match)[1]);
  }
  const std::map<std::string, std::string> read = variables_that_are_read();
  for (const auto& [variable, file] : read)
    EXPECT_TRUE(rows.contains(variable)) << variable << ", read in " << file << ", has no row";
  for (const std::string& variable : rows)
    EXPECT_TRUE(read.contains(variable)) << variable << " is read nowhere";
}

}  // namespace
}  // namespace roofline::docs
