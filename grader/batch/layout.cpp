// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/layout.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace roofline::grader {
namespace {

constexpr std::size_t kLongestName = 300;  ///< std::regex recurses over the text

const std::regex kMoodle("^([^_]*)_([0-9]+)_assignsubmission_(file|onlinetext)_?.*$");
const std::regex kCanvas("^(.+?)(_LATE)?_([0-9]+)_([0-9]+)_(.+)$");
const std::regex kCopy("^(.*?)(-[0-9]+| ?\\([0-9]+\\))(\\.[A-Za-z]+)$");

std::string without_ending(const std::string& name) {
  std::size_t end = name.find('.', 1);
  return name.substr(0, end);
}

std::string trimmed(std::string text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  if (first == std::string::npos) return {};
  text = text.substr(first, last - first + 1);
  if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0])
    text = text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

Layout layout_of(const std::string& entry) {
  std::smatch match;
  if (entry.size() <= kLongestName) {
    if (std::regex_match(entry, match, kMoodle))
      return {.id = match[1].str() + "_" + match[2].str(), .name = match[1], .platform_id = match[2]};
    if (std::regex_match(entry, match, kCanvas))
      return {.id = match[1].str() + "_" + match[3].str(), .name = match[1], .platform_id = match[3]};
  }
  return {.id = without_ending(entry), .name = without_ending(entry)};
}

std::map<std::string, GradescopeEntry> parse_gradescope(const std::string& yml) {
  std::map<std::string, GradescopeEntry> entries;
  GradescopeEntry* entry = nullptr;
  bool who = false;  // among the submitters: later sections use the same names for other things
  std::istringstream lines(yml);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != ' ' && line[0] != '-') {
      const std::string key = trimmed(line.substr(0, line.find(':')));
      entry = key.empty() ? nullptr : &entries[key];
      who = false;
      continue;
    }
    if (entry == nullptr) continue;
    std::string text = trimmed(line);
    const bool item = text.starts_with("- ");
    if (item) text = trimmed(text.substr(2));
    const std::size_t colon = text.find(':', 1);
    if (!text.starts_with(":") || colon == std::string::npos) continue;
    const std::string key = text.substr(1, colon - 1), value = trimmed(text.substr(colon + 1));
    if (line.starts_with("  :")) who = key == "submitters";
    if (key == "created_at" && !entry->time) entry->time = parse_time(value);
    if (!who) continue;
    if (item) entry->submitters.emplace_back();
    if (entry->submitters.empty()) continue;
    GradescopeEntry::Person& person = entry->submitters.back();
    if (key == "name") person.name = value;
    if (key == "email") person.email = value;
    if (key == "sid") person.student_id = value;
  }
  for (auto& [folder, known] : entries) {
    std::erase_if(known.submitters,
                  [](const auto& person) { return person.email.empty() && person.name.empty(); });
    for (auto& person : known.submitters)
      if (person.email.empty()) person.email = person.name;
  }
  std::erase_if(entries, [](const auto& pair) { return pair.second.submitters.empty(); });
  return entries;
}

std::string declared_name(const std::string& file, const std::vector<std::string>& names) {
  if (std::ranges::find(names, file) != names.end()) return file;
  if (file.size() > kLongestName) return {};
  std::smatch match;
  if (std::regex_match(file, match, kCanvas)) return declared_name(match[5], names);
  if (std::regex_match(file, match, kCopy)) return declared_name(match[1].str() + match[3].str(), names);
  return {};
}

}  // namespace roofline::grader
