// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// lab/graded/v1 read back: a submission of a class.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "grader/base/file.h"
#include "grader/formats/json.h"
#include "grader/formats/read_json.h"

namespace roofline::grader {

Graded from_json(const std::string& text) {
  Graded graded;
  graded.results = results_from_json(text);
  try {
    const auto json = nlohmann::json::parse(text);
    graded.id = json.value("id", "");
    graded.name = json.value("name", "");
    graded.email = json.value("email", "");
    graded.section = json.value("section", "");
    graded.factor = json.value("factor", 1.0);
    graded.comment = json.value("comment", "");
    if (json.contains("set") && json["set"].is_number()) graded.set = json["set"].get<double>();
    graded.remark = json.value("remark", "");
    graded.held = json.value("held", "");
    graded.in_roster = json.value("in_roster", true);
    graded.handed_in = json.value("handed_in", "");
    graded.days_late = json.value("days_late", 0.0);
    graded.submissions = json.value("submissions", std::size_t{1});
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(std::string("not a lab/graded/v1: ") + error.what());
  }
  return graded;
}

Graded read_graded(const std::filesystem::path& file) {
  try {
    Graded graded = from_json(read_file(file));
    for (const Result& result : graded.results)
      if (result.device.changed())
        throw std::runtime_error("an experiment on " + result.device.id +
                                 ", a GPU whose numbers were changed; it is no grade");
    if (graded.id.empty()) graded.id = file.stem().string();
    return graded;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

std::vector<Graded> read_graded_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Graded> all;
  for (const std::filesystem::path& file : files) all.push_back(read_graded(file));
  return all;
}

}  // namespace roofline::grader
