// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/edition.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "grader/base/error.h"
#include "grader/base/file.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSchema = "lab/edition/v1";

bool may_be_given(const std::string& name) {
  constexpr std::array<std::string_view, 4> kNobodys = {".git", ".lab", "build", "results"};
  const fs::path path(name);
  if (name.empty() || path.is_absolute() || path.lexically_normal() != path || name == Edition::kFile)
    return false;
  if (std::ranges::find(path, fs::path("..")) != path.end() || !path.has_filename()) return false;
  return std::ranges::find(kNobodys, path.begin()->string()) == kNobodys.end();
}

}  // namespace

std::string edition_text(const Edition& edition) {
  nlohmann::ordered_json json = {{"schema", kSchema},     {"version", edition.version},
                                 {"made", edition.made},  {"labs", edition.labs},
                                 {"own", edition.own},    {"executable", edition.executable},
                                 {"files", edition.files}};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Edition parse_edition(const std::string& text, const std::string& from) {
  Edition edition;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    if (json.at("schema") != kSchema) throw UsageError(from + " is of another version of Roofline Labs");
    edition.version = json.at("version");
    edition.made = json.at("made");
    edition.labs = json.at("labs").get<std::vector<std::string>>();
    edition.own = json.at("own").get<std::map<std::string, std::string>>();
    edition.executable = json.at("executable").get<std::set<std::string>>();
    edition.files = json.at("files").get<std::map<std::string, std::string>>();
  } catch (const nlohmann::json::exception&) {
    throw UsageError(from + " cannot be read: it is not as ./lab export writes it");
  }
  for (const auto& [name, sha256] : edition.files)
    if (!may_be_given(name)) throw UsageError(from + " names \"" + name + "\", which is no file of a course");
  return edition;
}

std::optional<Edition> read_edition(const fs::path& root) {
  const fs::path file = root / Edition::kFile;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  return parse_edition(read_file(file), file.string());
}

}  // namespace roofline::grader
