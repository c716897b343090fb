// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The pages as students get them: what is cut out of them leaves nothing that makes no sense without it.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "docs/tests/text_files.h"
#include "grader/handout/course.h"

namespace roofline::docs {
namespace {

namespace fs = std::filesystem;

/// The students' pages by name, made once.
const std::map<std::string, std::string>& students_pages() {
  static const auto kPages = [] {
    grader::Paths paths;
    paths.root = kRoot;
    paths.build = ROOFLINE_BUILD;
    paths.state = fs::path(testing::TempDir()) / "no-state";
    const std::vector<grader::Lab> labs = grader::all_labs();
    std::map<std::string, std::string> pages;
    for (const grader::CourseFile& file : grader::student_files(paths, grader::all_parts(labs)))
      if (file.name.extension() == ".md") pages[file.name.generic_string()] = file.bytes;
    return pages;
  }();
  return kPages;
}

/// The anchors of a page's headings.
std::set<std::string> anchors_of(const std::string& text) {
  std::set<std::string> anchors;
  bool fenced = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("```")) fenced = !fenced;
    const std::size_t marks = line.find_first_not_of('#');
    if (fenced || marks == 0 || marks == std::string::npos || line[marks] != ' ') continue;
    std::string anchor;
    for (const char c : line.substr(marks + 1)) {
      if (c == ' ') anchor += '-';
      if (c == '-' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0)
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    anchors.insert(anchor);
  }
  return anchors;
}

// Breaks when a section is cut out that another page leads to.
TEST(StudentsPages, LinksLeadToSectionsThatAreThere) {
  const std::regex link(R"(\]\(([^)#\s]*)#([^)\s]+)\))");
  std::size_t checked = 0;
  for (const auto& [name, text] : students_pages()) {
    for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found) {
      const std::string target = (*found)[1], anchor = (*found)[2];
      if (target.find("://") != std::string::npos) continue;
      const std::string page =
          target.empty() ? name : (fs::path(name).parent_path() / target).lexically_normal().generic_string();
      if (!page.ends_with(".md")) continue;
      ASSERT_TRUE(students_pages().contains(page)) << name << " links to " << target;
      EXPECT_TRUE(anchors_of(students_pages().at(page)).contains(anchor))
          << name << " links to " << page << "#" << anchor;
      ++checked;
    }
  }
  EXPECT_GT(checked, 100U);
}

// Breaks when a model answer, or what only instructors do, is left on a page for students.
TEST(StudentsPages, HaveNoAnswers) {
  for (const auto& [name, text] : students_pages())
    for (const char* words :
         {"A good answer", "a good answer", "./lab batch", "./lab exam", "./lab grade 01 --solution"})
      EXPECT_EQ(text.find(words), std::string::npos) << name << ": " << words;
}

// Breaks when code is changed on the way to the students: `f[a](b)` is code there and no link.
TEST(StudentsPages, CodeIsAsItWas) {
  std::size_t lines = 0;
  for (const auto& [name, text] : students_pages()) {
    const std::string all = text_of(kRoot / name);
    bool fenced = false;
    for (const std::string& line : lines_of(text)) {
      if (line.starts_with("```")) fenced = !fenced;
      if (!fenced && !line.starts_with("    ")) continue;
      EXPECT_NE(all.find(line), std::string::npos) << name << ": " << line;
      ++lines;
    }
  }
  EXPECT_GT(lines, 500U);
}

// Breaks when a link is taken away and leaves a pair of brackets around a word that leads nowhere.
TEST(StudentsPages, NothingLeadsToWhatIsGone) {
  const std::regex remains(R"(\((where|see|how|why|below|above)\))");
  for (const auto& [name, text] : students_pages()) {
    std::smatch found;
    EXPECT_FALSE(std::regex_search(text, found, remains)) << name << ": " << found.str();
  }
}

// Breaks when the paragraph below a ladder says in one what a student's copy has not (where the files are)
// and what it has (the unit of the figures, and that they are simulated): all of it would be cut out. Marks
// around the first part keep the second.
TEST(StudentsPages, LaddersSayWhatTheirFiguresAre) {
  const std::regex cut("<!-- instructors: -->[^]*?<!-- :instructors -->");
  for (const auto& [name, students] : students_pages()) {
    if (!name.starts_with("labs/") || !name.ends_with("README.md")) continue;
    const std::string text = std::regex_replace(text_of(kRoot / name), cut, "");
    for (std::size_t from = 0; from != std::string::npos;) {
      const std::size_t end = text.find("\n\n", from);
      const std::string paragraph = text.substr(from, end == std::string::npos ? end : end - from);
      from = end == std::string::npos ? end : end + 2;
      if (paragraph.starts_with('|') || paragraph.find("solutions/") == std::string::npos) continue;
      EXPECT_EQ(paragraph.find("*simulated*"), std::string::npos) << name << ": " << paragraph;
    }
  }
}

}  // namespace
}  // namespace roofline::docs
