// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/class_files.h"

#include <nlohmann/json.hpp>

#include "grader/base/file.h"
#include "grader/batch/staging.h"
#include "grader/formats/format.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

fs::path owners_file(const BatchFolder& folder) { return folder.work() / "owners.json"; }

std::vector<fs::path> existing(std::vector<fs::path> files) {
  std::erase_if(files, [](const fs::path& file) { return !fs::exists(fs::symlink_status(file)); });
  return files;
}

}  // namespace

std::vector<fs::path> class_tables(const BatchFolder& folder) {
  std::vector<fs::path> tables = {folder.root / "index.html"};
  for (const Format& format : formats())
    if (format.of == Format::Of::kClass) tables.push_back(folder.root / format.file);
  return existing(std::move(tables));
}

std::vector<fs::path> student_files_of(const BatchFolder& folder, const std::string& id) {
  std::vector<fs::path> files = {folder.results() / (id + ".json"), folder.root / "reports" / (id + ".html")};
  for (const Format& format : formats())
    if (format.of == Format::Of::kSubmission)
      files.push_back(folder.root / format.name / (id + fs::path(format.file).extension().string()));
  return existing(std::move(files));
}

std::vector<fs::path> class_files(const BatchFolder& folder) {
  std::vector<fs::path> files = class_tables(folder);
  files.insert(files.end(), {folder.journal(), folder.work(), folder.results(), folder.root / "reports"});
  for (const Format& format : formats())
    if (format.of == Format::Of::kSubmission) files.push_back(folder.root / format.name);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.root, ignored))
    if (entry.path().filename().string().starts_with(Staging::kPrefix)) files.push_back(entry.path());
  return existing(std::move(files));
}

Owners read_owners(const BatchFolder& folder) {
  try {
    return nlohmann::json::parse(read_file(owners_file(folder))).get<Owners>();
  } catch (const std::exception&) {  // none yet, or half of one: the next run writes it
    return {};
  }
}

void write_owners(const BatchFolder& folder, const Owners& owners) {
  write_file(owners_file(folder), nlohmann::json(owners).dump(1) + "\n");
}

void keep_owners(const BatchFolder& folder, Owners owners) {
  for (const auto& [id, keys] : read_owners(folder)) owners[id].insert(keys.begin(), keys.end());
  write_owners(folder, owners);
}

}  // namespace roofline::grader
