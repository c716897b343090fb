// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/class_sources.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/base/file.h"
#include "grader/batch/anonymous.h"
#include "grader/batch/class_files.h"
#include "grader/batch/journal.h"
#include "grader/formats/json.h"

namespace roofline::grader {
namespace {

std::uint64_t seed_of(const BatchFolder& folder) {
  for (const nlohmann::json& event : read_journal(read_file(folder.journal())).events)
    if (event.at("event") == "class") return event.value("seed", std::uint64_t{0});
  return 0;
}

/// What the tables call somebody; empty: who is not in the class.
std::string shown_as(const std::string& id, std::uint64_t seed,
                     const std::map<std::string, std::string>& people) {
  if (people.contains(id)) return id;
  const std::string anonymous = anonymous_id(id, seed);
  return people.contains(anonymous) ? anonymous : "";
}

}  // namespace

ClassSources read_class_sources(const BatchFolder& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder.results(), ignored) ||
      !std::filesystem::exists(folder.journal(), ignored))
    throw UsageError(folder.root.string() + " is no class that ./lab batch graded");
  ClassSources found;
  for (const Graded& student : read_graded_folder(folder.results())) found.people[student.id] = student.name;
  const Owners owners = read_owners(folder);
  if (owners.empty() && !found.people.empty())
    throw UsageError(
        folder.root.string() +
        " does not say whose the files are: give its ./lab batch command once more with --rescore");
  const std::uint64_t seed = seed_of(folder);
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> by_file;  // part, source
  for (const auto& [id, keys] : owners) {
    const std::string shown = shown_as(id, seed, found.people);
    if (shown.empty()) continue;
    for (const std::string& key : keys) {
      if (!std::filesystem::exists(folder.task(key), ignored)) continue;  // never reached
      const Task task = read_task(folder, key);
      std::vector<std::string>& people = by_file[{task.part, task.source_sha256}];
      if (std::ranges::find(people, shown) == people.end()) people.push_back(shown);
    }
  }
  for (auto& [file, people] : by_file) {
    if (!std::filesystem::exists(folder.source(file.second), ignored)) continue;
    std::ranges::sort(people);
    found.sources.push_back({file.first, read_file(folder.source(file.second)), std::move(people)});
  }
  std::ranges::sort(found.sources, {},
                    [](const ClassSource& one) { return std::tie(one.part, one.people, one.text); });
  return found;
}

}  // namespace roofline::grader
