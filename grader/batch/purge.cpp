// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/purge.h"

#include <nlohmann/json.hpp>

#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/words.h"
#include "grader/batch/class_files.h"
#include "grader/batch/journal.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

bool is_there(const fs::path& file) { return fs::exists(fs::symlink_status(file)); }

/// Keys of tasks that grade this student's files and nobody else's.
std::set<std::string> own_keys(const Owners& owners, const std::string& id) {
  std::set<std::string> keys;
  if (const auto own = owners.find(id); own != owners.end()) keys = own->second;
  for (const auto& [other, theirs] : owners)
    if (other != id)
      for (const std::string& key : theirs) keys.erase(key);
  return keys;
}

/// Files that the tasks graded.
std::set<std::string> sources_of(const BatchFolder& folder, const std::set<std::string>& keys) {
  std::set<std::string> sources;
  for (const std::string& key : keys) {
    if (!is_there(folder.task(key))) continue;
    const Task task = read_task(folder, key);
    sources.insert(task.source_sha256);
    if (!task.prediction_sha256.empty()) sources.insert(task.prediction_sha256);
  }
  return sources;
}

/// Every task of the class but these.
std::set<std::string> other_tasks(const BatchFolder& folder, const std::set<std::string>& keys) {
  std::set<std::string> others;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.work() / "tasks", ignored))
    if (entry.path().extension() == ".json" && !keys.contains(entry.path().stem().string()))
      others.insert(entry.path().stem().string());
  return others;
}

}  // namespace

Purge purge_of_student(const BatchFolder& folder, const std::string& id) {
  const Owners owners = read_owners(folder);
  Purge purge{.files = student_files_of(folder, id), .left = {}};
  if (purge.files.empty() && !owners.contains(id))
    throw UsageError("nothing in " + folder.root.string() + " is about " + id +
                     "; an id is what results/ID.json is called");
  const std::set<std::string> keys = own_keys(owners, id);
  const std::set<std::string> kept = sources_of(folder, other_tasks(folder, keys));
  for (const std::string& key : keys)
    for (const fs::path& file :
         {folder.task(key), folder.outcome(key), folder.work() / "logs" / (key + ".txt")})
      if (is_there(file)) purge.files.push_back(file);
  for (const std::string& source : sources_of(folder, keys))
    if (!kept.contains(source) && is_there(folder.source(source)))
      purge.files.push_back(folder.source(source));
  for (const fs::path& table : class_tables(folder)) purge.files.push_back(table);
  if (is_there(folder.overrides()) &&
      lower(read_file(folder.overrides())).find("\"" + lower(id) + "\"") != std::string::npos)
    purge.left.push_back(folder.overrides().string() + " names " + id + ": take that entry out");
  purge.left.push_back(
      "take " + id +
      " out of the submissions, the roster and the course file, and write the class's tables "
      "anew with --rescore");
  return purge;
}

Purge purge_of_class(const BatchFolder& folder) {
  Purge purge{.files = class_files(folder), .left = {}};
  if (is_there(folder.overrides())) purge.files.push_back(folder.overrides());
  if (purge.files.empty()) throw UsageError("there is no class in " + folder.root.string());
  purge.left.push_back("what the platform handed over, rosters and exports elsewhere are yours to delete");
  return purge;
}

void carry_out(const Purge& purge, const BatchFolder& folder, const std::string& id) {
  const Owners before = read_owners(folder);
  if (is_there(folder.journal())) {
    const Journal alone(folder.journal());  // no other process is grading this class
    if (!id.empty()) {
      const std::set<std::string> keys = own_keys(before, id);
      std::string text;
      for (const nlohmann::json& event : read_journal(read_file(folder.journal())).events) {
        // What somebody said yes to may quote names of files.
        if (event.at("event") == "agreed" || keys.contains(event.value("key", ""))) continue;
        text += event.dump() + "\n";
      }
      write_file(folder.journal(), text);
    }
  }
  for (const fs::path& file : purge.files) {
    std::error_code error;
    fs::remove_all(file, error);
    if (error) throw InfrastructureError("cannot delete " + file.string() + ": " + error.message());
  }
  if (id.empty() || before.empty()) return;
  Owners owners = before;
  owners.erase(id);
  write_owners(folder, owners);
}

}  // namespace roofline::grader
