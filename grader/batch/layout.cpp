// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/layout.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "grader/base/words.h"

namespace roofline::grader {
namespace {

constexpr std::size_t kLongestName = 300;  ///< std::regex recurses over the text

// Canvas (lib/content_zipper.rb): NAME[_LATE]_USER_ATTACHMENT_FILE, with names hidden
// [LATE_]anon_ID_ATTACHMENT_FILE, of text NAME[_LATE]_USER_text.html. Moodle (mod/assign):
// NAME_PARTICIPANT_assignsubmission_file[_]/FILE, without folders
// NAME_PARTICIPANT_assignsubmission_file_FILE. Blackboard: ASSIGNMENT_USER_attempt_TIME[_FILE], one without a
// file for each attempt. Brightspace: NUMBER-NUMBER - [GROUP - ]NAME - Sep 24, 2024 926 PM/FILE.
const std::regex kMoodle("^([^_]*)_([0-9]+)_assignsubmission_(file|onlinetext)(_?)(.*)$");
const std::regex kCanvas("^(.+?)(_LATE)?_([0-9]+)_([0-9]+)_(.+)$");
const std::regex kCanvasNameless("^(LATE_)?(anon_[A-Za-z0-9]+)_([0-9]+)_(.+)$");
const std::regex kCanvasText("^(.+?)(_LATE)?_([0-9]+)_((text|link)\\.html)$");
const std::regex kBlackboard(
    "^(.+)_attempt_([0-9]{4}-[0-9]{2}-[0-9]{2})-([0-9]{2})-([0-9]{2})-([0-9]{2})(_(.+)|\\.txt)?$");
const std::regex kBrightspace(
    "^([0-9]+)-[0-9]+ - (.+) - ([A-Z][a-z]{2})[a-z]*\\.? ([0-9]{1,2}), ([0-9]{4}) ([0-9]{1,2})([0-9]{2})( "
    "?([AP])M)?$");
const std::regex kCopy("^(.*?)(-[0-9]+| ?\\([0-9]+\\))(\\.[A-Za-z]+)$");

std::string without_ending(const std::string& name) {
  std::size_t end = name.find('.', 1);
  return name.substr(0, end);
}

/// A value of YAML, of those that Gradescope writes.
std::string unquoted(const std::string& value) {
  std::string text = trimmed(value);
  if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0])
    text = text.substr(1, text.size() - 2);
  return text;
}

std::optional<Layout> canvas(const std::string& entry) {
  std::smatch match;
  if (std::regex_match(entry, match, kCanvasNameless))
    return Layout{.id = match[2],
                  .name = match[2],
                  .platform = Platform::kCanvas,
                  .late = match[1].matched,
                  .file = match[4],
                  .number = std::strtoull(match[3].str().c_str(), nullptr, 10)};
  if (std::regex_match(entry, match, kCanvas))
    return Layout{.id = match[1].str() + "_" + match[3].str(),
                  .name = match[1],
                  .platform_id = match[3],
                  .platform = Platform::kCanvas,
                  .late = match[2].matched,
                  .file = match[5],
                  .number = std::strtoull(match[4].str().c_str(), nullptr, 10)};
  if (std::regex_match(entry, match, kCanvasText))
    return Layout{.id = match[1].str() + "_" + match[3].str(),
                  .name = match[1],
                  .platform_id = match[3],
                  .platform = Platform::kCanvas,
                  .late = match[2].matched,
                  .file = match[4]};
  return std::nullopt;
}

std::optional<Layout> moodle(const std::string& entry) {
  std::smatch match;
  if (!std::regex_match(entry, match, kMoodle)) return std::nullopt;
  Layout layout{.id = match[1].str() + "_" + match[2].str(),
                .name = match[1],
                .platform_id = "Participant " + match[2].str(),  // as the grading worksheet calls them
                .platform = Platform::kMoodle,
                .file = match[5].str().empty() ? entry : match[5].str()};
  // With groups their name comes first: "Group A-Ada Lovelace".
  for (std::size_t at = layout.name.find('-'); at != std::string::npos; at = layout.name.find('-', at + 1))
    layout.perhaps.push_back(layout.name.substr(at + 1));
  return layout;
}

std::optional<Layout> blackboard(const std::string& entry) {
  std::smatch match;
  if (!std::regex_match(entry, match, kBlackboard)) return std::nullopt;
  const std::string front = match[1];
  const std::size_t last = front.rfind('_');
  if (last == std::string::npos || last + 1 == front.size()) return std::nullopt;
  Layout layout{
      .id = front.substr(last + 1),
      .time = parse_time(match[2].str() + " " + match[3].str() + ":" + match[4].str() + ":" + match[5].str()),
      .platform = Platform::kBlackboard,
      .local_time = true,
      .file = match[7].matched ? match[7].str() : "comment.txt"};
  for (std::size_t at = front.find('_'); at < last; at = front.find('_', at + 1))  // names with underscores
    layout.perhaps.push_back(front.substr(at + 1));
  return layout;
}

std::optional<Layout> brightspace(const std::string& entry) {
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  std::smatch match;
  if (!std::regex_match(entry, match, kBrightspace)) return std::nullopt;
  const std::size_t month = kMonths.find(match[3].str());
  if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
  int hour = std::stoi(match[6]);
  if (match[9].matched) hour = hour % 12 + (match[9] == "P" ? 12 : 0);
  char when[48];
  std::snprintf(when, sizeof when, "%s-%02zu-%02d %02d:%s", match[5].str().c_str(), month / 3 + 1,
                std::stoi(match[4]), hour, match[7].str().c_str());
  Layout layout{.id = match[2].str() + "_" + match[1].str(),
                .name = match[2],
                .time = parse_time(when),
                .platform = Platform::kBrightspace,
                .local_time = true};
  for (std::size_t at = layout.name.find(" - "); at != std::string::npos;
       at = layout.name.find(" - ", at + 1))  // a group's name comes first
    layout.perhaps.push_back(layout.name.substr(at + 3));
  return layout;
}

}  // namespace

Layout layout_of(const std::string& entry) {
  using Reader = std::optional<Layout> (*)(const std::string&);
  static constexpr Reader kReaders[] = {moodle, blackboard, brightspace, canvas};
  if (entry.size() <= kLongestName)
    for (const Reader read : kReaders)
      if (std::optional<Layout> layout = read(entry)) return *layout;
  return {.id = without_ending(entry), .name = without_ending(entry)};
}

bool is_nobodys(const std::string& entry) {
  static const std::vector<std::string> kNames = {"submission_metadata.yml", "__MACOSX", "index.html",
                                                  "Thumbs.db", "desktop.ini"};
  return entry.starts_with('.') || std::ranges::find(kNames, entry) != kNames.end();
}

bool is_an_export(const std::vector<std::string>& entries) {
  std::size_t named = 0, others = 0;
  for (const std::string& entry : entries) {
    if (entry == "submission_metadata.yml") return true;
    if (is_nobodys(entry)) continue;
    ++(layout_of(entry).platform == Platform::kNone ? others : named);
  }
  return named > 0 && others == 0;
}

std::map<std::string, std::vector<std::string>> logins_of(const std::vector<std::string>& repositories) {
  if (repositories.size() < 2) return {};
  std::string common = repositories.front();
  for (const std::string& name : repositories) {
    const auto differs = std::ranges::mismatch(common, name).in1;
    common.erase(differs, common.end());
  }
  std::map<std::string, std::vector<std::string>> logins;
  // Logins have hyphens, too, and may begin alike: what the names share ends at any of its hyphens.
  for (std::size_t hyphen = common.rfind('-'); hyphen != std::string::npos && hyphen > 0;
       hyphen = common.rfind('-', hyphen - 1))
    for (const std::string& name : repositories)
      if (hyphen + 1 < name.size()) logins[name].push_back(name.substr(hyphen + 1));
  return logins;
}

std::map<std::string, GradescopeEntry> parse_gradescope(const std::string& yml) {
  std::map<std::string, GradescopeEntry> entries;
  GradescopeEntry* entry = nullptr;
  bool who = false;  // among the submitters: later sections use the same names for other things
  std::istringstream lines(yml);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != ' ' && line[0] != '-') {
      const std::string key = unquoted(line.substr(0, line.find(':')));
      entry = key.empty() ? nullptr : &entries[key];
      who = false;
      continue;
    }
    if (entry == nullptr) continue;
    std::string text = trimmed(line);
    const bool item = text.starts_with("- ");
    if (item) text = trimmed(text.substr(2));
    const std::size_t colon = text.find(':', 1);
    if (!text.starts_with(':') || colon == std::string::npos) continue;
    const std::string key = text.substr(1, colon - 1), value = unquoted(text.substr(colon + 1));
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
    std::erase_if(known.submitters, [](const auto& person) {
      return person.email.empty() && person.name.empty() && person.student_id.empty();
    });
    for (auto& person : known.submitters)
      if (person.email.empty()) person.email = person.name.empty() ? person.student_id : person.name;
  }
  std::erase_if(entries, [](const auto& pair) { return pair.second.submitters.empty(); });
  return entries;
}

std::string without_copy_number(const std::string& file) {
  std::smatch match;
  if (file.size() > kLongestName || !std::regex_match(file, match, kCopy)) return file;
  return match[1].str() + match[3].str();
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
