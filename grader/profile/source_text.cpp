// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <map>

#include "grader/base/printable.h"
#include "grader/profile/profile.h"
#include "grader/text/terminal.h"

namespace roofline::grader {
namespace {

/// The path comes out of a program that somebody else may have built: only ordinary files, and not for ever.
constexpr std::uintmax_t kLargestSource = 16u << 20;

std::vector<std::string> read_lines(const std::string& file) {
  std::vector<std::string> lines;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) ||
      std::filesystem::file_size(file, error) > kLargestSource)
    return lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::string text;
    for (const char c : printable(line)) {
      if (c == '\t')
        text.append(2 - text.size() % 2, ' ');
      else
        text += c;
    }
    lines.push_back(std::move(text));
  }
  return lines;
}

}  // namespace

struct SourceText::Cache {
  std::map<std::string, std::vector<std::string>> files;
};

SourceText::SourceText() : cache_(std::make_unique<Cache>()) {}
SourceText::~SourceText() = default;

std::string SourceText::line(const std::string& file, unsigned number) {
  if (file.empty() || number == 0) return "";
  auto [place, is_new] = cache_->files.try_emplace(file);
  if (is_new) place->second = read_lines(file);
  return number <= place->second.size() ? place->second[number - 1] : "";
}

}  // namespace roofline::grader
