// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/hidden.h"

#include <algorithm>
#include <set>

#include "grader/base/given_file.h"
#include "grader/base/paths.h"
#include "grader/base/toml.h"

namespace roofline::grader {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const toml::node& node, const std::string& what) {
  throw UsageError(file.string() + ":" + std::to_string(node.source().begin.line) + ": " + what);
}

Part* part_named(std::vector<Lab>& labs, const std::string& id) {
  for (Lab& lab : labs)
    for (Part& part : lab.parts)
      if (lab.id_of(part) == id) return &part;
  return nullptr;
}

/// The settings that the part's cases have: a hidden case has the same ones.
std::set<std::string> settings_of(const Part& part) {
  std::set<std::string> names;
  for (const Case& one : part.cases)
    for (const auto& [name, value] : one.settings) names.insert(name);
  return names;
}

Case case_of(const toml::table& table, const Part& part, size_t number, const std::filesystem::path& file) {
  Case hidden;
  hidden.id = "hidden-" + std::to_string(number);
  hidden.hidden = true;
  hidden.title = "hidden case " + std::to_string(number);
  std::set<std::string> missing = settings_of(part);
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (name == "part") continue;
    const auto value = node.value<double>();
    if (!value || *value < 0) refuse(file, node, name + " is no number from 0 on");
    if (name == "misaligned") {
      hidden.misaligned_elements = static_cast<unsigned>(*value);
    } else if (missing.erase(name)) {
      hidden.settings.emplace_back(name, *value);
    } else {
      refuse(file, node, "the cases of this part have no " + name);
    }
  }
  if (!missing.empty()) refuse(file, table, "the case has no " + *missing.begin());
  return hidden;
}

}  // namespace

std::uint64_t add_hidden(std::vector<Lab>& labs, const std::filesystem::path& file, std::uint64_t otherwise) {
  toml::table table;
  try {
    table = toml::parse(read_given(file), file.string());
  } catch (const toml::parse_error& error) {
    throw UsageError(file.string() + ":" + std::to_string(error.source().begin.line) + ": " +
                     std::string(error.description()));
  }
  if (table.empty()) throw UsageError(file.string() + " holds neither a seed nor a [[case]]");
  size_t number = 0;
  for (const auto& [key, node] : table) {
    if (key.str() == "seed") continue;
    if (key.str() != "case" || !node.is_array_of_tables())
      refuse(file, node, std::string(key.str()) + " is not known; there are seed and [[case]]");
    for (const toml::node& entry : *node.as_array()) {
      const toml::table& one = *entry.as_table();
      Part* const part = part_named(labs, one["part"].value_or(std::string()));
      if (part == nullptr) refuse(file, one, "the case names no part there is: part = \"01\"");
      part->cases.push_back(case_of(one, *part, ++number, file));
    }
  }
  const auto seed = table["seed"].value<std::int64_t>();
  if (table.contains("seed") && (!seed || *seed <= 0))
    refuse(file, *table.get("seed"), "seed is no number from 1 on");
  return seed && otherwise == 0 ? static_cast<std::uint64_t>(*seed) : otherwise;
}

}  // namespace roofline::grader
