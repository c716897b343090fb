// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/new_lab.h"

#include <algorithm>
#include <regex>
#include <utility>

#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/words.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr const char* kTemplates = "grader/handout/new_lab";

/// Where each template goes; @NAME@ stands in names, too.
const std::vector<std::pair<const char*, const char*>> kPlaces = {
    {"README.md", "labs/@FOLDER@/README.md"},
    {"name.h", "labs/@FOLDER@/@NAME@.h"},
    {"name.cu", "labs/@FOLDER@/@NAME@.cu"},
    {"spec.cpp", "labs/@FOLDER@/spec.cpp"},
    {"hints.md", "labs/@FOLDER@/hints.md"},
    {"prediction.toml", "labs/@FOLDER@/prediction.toml"},
    {"explanations.toml", "labs/@FOLDER@/explanations.toml"},
    {"quiz.toml", "labs/@FOLDER@/quiz.toml"},
    {"solution.cu", "solutions/@FOLDER@/@NAME@.cu"},
    {"solution-prediction.toml", "solutions/@FOLDER@/prediction.toml"},
    {"answer.md", "solutions/@FOLDER@/answer.md"},
    {"zeros.cu", "solutions/@FOLDER@/wrong/zeros.cu"},
};

void refuse_taken(const fs::path& root, const std::string& folder) {
  std::error_code ignored;
  for (const char* tree : {"labs", "solutions"})
    for (const auto& entry : fs::directory_iterator(root / tree, ignored)) {
      const std::string other = entry.path().filename().string();
      if (other.starts_with(folder.substr(0, 3)))
        throw UsageError("there is " + std::string(tree) + "/" + other + " already: take another number");
      if (other.size() > 3 && other.substr(3) == folder.substr(3))
        throw UsageError("there is " + std::string(tree) + "/" + other + " already: take another name");
    }
}

}  // namespace

std::vector<fs::path> make_lab(const fs::path& root, const std::string& folder) {
  static const std::regex kForm("[0-9]{2}-[a-z][a-z0-9]*(-[a-z0-9]+)*");
  if (!std::regex_match(folder, kForm))
    throw UsageError("\"" + folder + "\" is no folder of a lab: two digits and a name, such as 16-scale");
  if (!fs::exists(root / kTemplates))
    throw UsageError("this checkout is for students: labs are made in the course's own");
  refuse_taken(root, folder);
  const std::string name = folder.substr(3);
  std::string function = name;
  std::ranges::replace(function, '-', '_');
  const auto filled = [&](std::string text) {
    for (const auto& [what, with] : {std::pair<std::string, std::string>{"@FOLDER@", folder},
                                     {"@NUMBER@", folder.substr(0, 2)},
                                     {"@NAME@", name},
                                     {"@FUNCTION@", function}})
      text = replaced(text, what, with);
    return text;
  };
  std::vector<std::pair<fs::path, std::string>> files;  // all are read before any is written
  for (const auto& [from, to] : kPlaces)
    files.emplace_back(filled(to), filled(read_file(root / kTemplates / (std::string(from) + ".in"))));
  std::vector<fs::path> written;
  for (const auto& [file, text] : files) {
    write_file(root / file, text);
    written.push_back(file);
  }
  return written;
}

}  // namespace roofline::grader
