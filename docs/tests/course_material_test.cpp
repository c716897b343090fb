// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "docs/tests/text_files.h"

// What a semester needs beside the labs: slides made of the labs' pages, questions for discussion whose
// answers students do not get, PyTorch programs that are Python at least.
namespace roofline::docs {
namespace {

namespace fs = std::filesystem;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

std::vector<fs::path> labs() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "labs"))
    if (entry.is_directory()) found.push_back(entry.path());
  return found;
}

class Slides : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::path(testing::TempDir()) / ("slides-" + std::to_string(getpid()));
    const std::string command = "'" + (kRoot / "docs/site/slides").string() + "' '" + folder_.string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }
  static std::string of(const fs::path& lab) {
    return text_of(folder_ / ("slides-" + lab.filename().string() + ".html"));
  }
  static inline fs::path folder_;
};

// Breaks when a section of a lab's page has no slide, a picture is missing or has no description, Markdown or
// TeX is left in the HTML, or a slide has a heading alone.
TEST_F(Slides, EverySectionIsThere) {
  for (const fs::path& lab : labs()) {
    const std::string html = of(lab), page = text_of(lab / "README.md");
    EXPECT_GE(count(html, "<section>"), 8U) << lab;
    EXPECT_EQ(count(html, "<section>"), count(html, "</section>")) << lab;
    for (const std::string& line : lines_of(page)) {
      if (!line.starts_with("## ") || line == "## Further reading") continue;
      EXPECT_NE(html.find("<h2>" + line.substr(3)), std::string::npos) << lab << ": " << line;
    }
    EXPECT_EQ(count(html, "<img "), count(page, "\n![")) << lab;
    EXPECT_EQ(count(html, "alt=\"\""), 0U) << lab;
    for (std::size_t at = html.find("<img src=\""); at != std::string::npos;
         at = html.find("<img src=\"", at + 1)) {
      const std::size_t from = at + 10;
      const std::string picture = html.substr(from, html.find('"', from) - from);
      EXPECT_TRUE(fs::exists(folder_ / picture)) << lab << ": " << picture;
    }
    for (const char* mark : {"**", "](", "\n| ", "$$", "\\frac", "</h2>\n<p class"})
      EXPECT_EQ(html.find(mark), std::string::npos) << lab << ": " << mark;
  }
}

// Breaks when slides load something from elsewhere or print two on a page.
TEST_F(Slides, StandAloneAndPrint) {
  for (const fs::path& lab : labs()) {
    const std::string html = of(lab);
    for (const char* load : {"src=\"http", "href=", "url(", "<script"})
      EXPECT_EQ(html.find(load), std::string::npos) << lab << ": " << load;
    EXPECT_NE(html.find("break-after:page"), std::string::npos) << lab;
    EXPECT_NE(html.find("color-scheme:light dark"), std::string::npos) << lab;
  }
}

// Breaks when a model answer would be in the students' copy, a question has none, or a lab has no questions.
TEST(Discussion, AnswersAreForInstructors) {
  bool instructors = false;
  std::size_t questions = 0, answers = 0, headings = 0;
  for (const std::string& line : lines_of(text_of(kRoot / "docs/discussion.md"))) {
    if (line == "<!-- instructors: -->") instructors = true;
    if (line == "<!-- :instructors -->") instructors = false;
    headings += line.starts_with("## Lab ") ? 1 : 0;
    if (line.size() > 6 && line.starts_with("**") && line[2] >= '1' && line.substr(3, 3) == ".**") {
      EXPECT_EQ(questions, answers) << "no answer before: " << line;
      ++questions;
    }
    if (line.find("A good answer") != std::string::npos) {
      ++answers;
      EXPECT_TRUE(instructors) << line;
    }
  }
  EXPECT_FALSE(instructors);
  EXPECT_EQ(headings, labs().size());
  EXPECT_EQ(questions, answers);
  EXPECT_GE(questions, 2 * labs().size());
}

/// The Python programs of a page.
std::vector<std::string> programs(const fs::path& page) {
  std::vector<std::string> found;
  bool inside = false;
  for (const std::string& line : lines_of(text_of(page))) {
    if (line == "```python") {
      inside = true;
      found.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      found.back() += line + "\n";
    }
  }
  return found;
}

// Breaks when a lab has no program, one is longer than ten lines, or the page no longer says that none was
// run.
TEST(Bridges, EveryLabHasTenLines) {
  const fs::path page = kRoot / "docs/bridges.md";
  std::set<std::string> with_program;
  std::string heading;
  for (const std::string& line : lines_of(text_of(page))) {
    if (line.starts_with("## ")) heading = line;
    if (line == "```python" && heading.starts_with("## Lab ")) with_program.insert(heading);
  }
  EXPECT_EQ(with_program.size(), labs().size());
  for (const std::string& program : programs(page)) {
    std::size_t lines = 0;
    for (const std::string& line : lines_of(program)) lines += trimmed(line).empty() ? 0 : 1;
    EXPECT_LE(lines, 10U) << program;
  }
  EXPECT_NE(text_of(page).find("only checked for syntax"), std::string::npos);
  for (const char* library : {"cuBLAS", "CUTLASS", "Triton", "cuTile"})
    EXPECT_NE(text_of(page).find(std::string("| **") + library), std::string::npos) << library;
}

// Breaks when a program is not Python. Nothing is run.
TEST(Bridges, ProgramsAreSyntacticallyRight) {
  if (std::system("python3 -c 'import ast' 2>/dev/null") != 0) GTEST_SKIP() << "needs python3";
  const fs::path file = fs::path(testing::TempDir()) / "bridge.py";
  const std::string check =
      "python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' '" + file.string() + "' 2>/dev/null";
  for (const std::string& program : programs(kRoot / "docs/bridges.md")) {
    write_text(file, program);
    EXPECT_EQ(std::system(check.c_str()), 0) << program;
  }
  write_text(file, "for x in : pass\n");
  EXPECT_NE(std::system(check.c_str()), 0) << "the check itself finds nothing";
}

}  // namespace
}  // namespace roofline::docs
