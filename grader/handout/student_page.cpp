// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/student_page.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string_view>
#include <vector>

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// A paragraph, an item of a list, or a row of a table that says one of these is about what students do not
/// have.
const std::vector<std::string> kNotTheirs = {"solutions/",       "author-check",   "./lab batch",
                                             "./lab export",     "./lab syllabus", "./lab statistics",
                                             "./lab similarity", "./lab new",      "./lab exam"};

/// Between blank lines, but code between ``` stays in one piece.
std::vector<std::string> paragraphs_of(const std::string& text) {
  std::vector<std::string> paragraphs(1);
  std::istringstream lines(text);
  bool in_code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) in_code = !in_code;
    if (line.empty() && !in_code) {
      paragraphs.emplace_back();
    } else {
      paragraphs.back() += line + "\n";
    }
  }
  return paragraphs;
}

bool says_what_they_lack(const std::string& text) {
  return std::ranges::any_of(kNotTheirs,
                             [&](const std::string& words) { return text.find(words) != std::string::npos; });
}

using Kept = std::function<bool(const fs::path&)>;

const std::regex& link_in_text() {
  static const std::regex kLink(R"(\[([^\]\n]*)\]\(([^)#\s]+)(#[^)\s]*)?\))");
  return kLink;
}

bool leads_somewhere(const std::string& target, const fs::path& page, const Kept& kept) {
  const bool elsewhere = target.find("://") != std::string::npos || target.starts_with("mailto:");
  return elsewhere || kept((page.parent_path() / target).lexically_normal());
}

/// A row that only leads to pages which are not there.
bool leads_nowhere(const std::string& row, const fs::path& page, const Kept& kept) {
  bool any = false;
  for (std::sregex_iterator it(row.begin(), row.end(), link_in_text()), end; it != end; ++it) {
    if (leads_somewhere((*it)[2], page, kept)) return false;
    any = true;
  }
  return any;
}

/// A table without those rows, nothing when only its head is left.
std::string rows_for_students(const std::string& table, const fs::path& page, const Kept& kept) {
  std::istringstream lines(table);
  std::string out;
  unsigned rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (says_what_they_lack(line) || leads_nowhere(line, page, kept)) continue;
    out += line + "\n";
    ++rows;
  }
  return rows > 2 ? out : "";
}

/// A list without those items.
std::string items_for_students(const std::string& list) {
  std::istringstream lines(list);
  std::string out, item;
  const auto end_item = [&] {
    if (!says_what_they_lack(item)) out += item;
    item.clear();
  };
  for (std::string line; std::getline(lines, line); item += line + "\n")
    if (line.starts_with("- ")) end_item();
  end_item();
  return out;
}

int level_of_heading(const std::string& paragraph) {
  const size_t marks = paragraph.find_first_not_of('#');
  const bool one_line = paragraph.find('\n') + 1 == paragraph.size();
  return one_line && marks != 0 && marks != std::string::npos && paragraph[marks] == ' '
             ? static_cast<int>(marks)
             : 0;
}

/// A heading with nothing under it goes too.
void drop_empty_sections(std::vector<std::string>& paragraphs) {
  for (size_t i = paragraphs.size(); i-- > 0;) {
    const int level = level_of_heading(paragraphs[i]);
    if (level < 2) continue;
    size_t next = i + 1;
    while (next < paragraphs.size() && paragraphs[next].empty()) ++next;
    const bool is_last = next == paragraphs.size();
    if (is_last || (level_of_heading(paragraphs[next]) != 0 && level_of_heading(paragraphs[next]) <= level))
      paragraphs[i].clear();
  }
}

/// Cut at the end of a line, the blank before goes too.
std::string without_marked(const std::string& text) {
  constexpr std::string_view kBegin = "<!-- instructors: -->", kEnd = "<!-- :instructors -->";
  std::string out;
  size_t at = 0;
  for (size_t begin = text.find(kBegin); begin != std::string::npos; begin = text.find(kBegin, at)) {
    out += text.substr(at, begin - at);
    const size_t end = text.find(kEnd, begin);
    if (end == std::string::npos) return out;  // rather too little than what is not theirs
    at = end + kEnd.size();
    if (out.ends_with(' ') && at < text.size() && text[at] == '\n') out.pop_back();
  }
  return out + text.substr(at);
}

std::string marked_for_students(const std::string& text) {
  static const std::regex kShow(R"(<!-- students: ([\s\S]*?) -->)");
  return std::regex_replace(without_marked(text), kShow, "$1");
}

/// In a block of code, fenced or indented: `f[a](b)` is no link there.
bool is_in_code(std::string_view text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
  if (text.substr(line).starts_with("    ")) return true;
  bool fenced = text.starts_with("```");
  for (std::size_t fence = text.find("\n```"); fence < at; fence = text.find("\n```", fence + 1))
    fenced = !fenced;
  return fenced;
}

std::string links_for_students(const std::string& text, const fs::path& page, const Kept& kept) {
  std::string out;
  auto begin = text.cbegin();
  for (std::sregex_iterator it(text.begin(), text.end(), link_in_text()), end; it != end; ++it) {
    const std::smatch& link = *it;
    out.append(begin, link[0].first);
    const bool stays =
        is_in_code(text, static_cast<std::size_t>(link.position())) || leads_somewhere(link[2], page, kept);
    out += stays ? link[0].str() : link[1].str();
    begin = link[0].second;
  }
  out.append(begin, text.cend());
  return out;
}

}  // namespace

std::string page_for_students(const std::string& text, const fs::path& page,
                              const std::function<bool(const fs::path&)>& kept) {
  std::vector<std::string> paragraphs = paragraphs_of(marked_for_students(text));
  for (std::string& paragraph : paragraphs) {
    if (paragraph.starts_with('|')) {
      paragraph = rows_for_students(paragraph, page, kept);
    } else if (paragraph.starts_with("- ")) {
      paragraph = items_for_students(paragraph);
    } else if (says_what_they_lack(paragraph)) {
      paragraph = "";
    }
  }
  drop_empty_sections(paragraphs);
  std::string out;
  bool first = true;
  for (const std::string& paragraph : paragraphs) {
    if (paragraph.empty()) continue;
    out += (first ? "" : "\n") + paragraph;
    first = false;
  }
  return links_for_students(out, page, kept);
}

}  // namespace roofline::grader
