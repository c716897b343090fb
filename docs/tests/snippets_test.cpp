// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "docs/tests/text_files.h"

// Code that a page shows is the tree's code, and a name that a page links to stands in that file. A block of
// code has a comment above it that says where it is from:
//
//     <!-- from grader/formats/moodle.cpp -->
//
// and then stands in that file line by line, whatever its indentation. A line `...`, `// ...` or `# ...`
// stands for lines that the page leaves out.
namespace roofline::docs {
namespace {

namespace fs = std::filesystem;

struct Snippet {
  std::string page;      ///< relative to the root
  std::size_t line = 0;  ///< of its first line of code, from 1
  std::string language;
  std::string source;  ///< relative to the root; empty: the page does not say
  std::vector<std::string> code;
};

std::vector<Snippet> snippets_in(const std::string& page, const std::string& text) {
  std::vector<Snippet> found;
  const std::vector<std::string> lines = lines_of(text);
  std::string source;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = trimmed(lines[i]);
    if (line.starts_with("<!-- from ") && line.ends_with(" -->")) {
      source = line.substr(10, line.size() - 14);
    } else if (line.starts_with("```")) {
      Snippet snippet{page, i + 2, line.substr(3), source, {}};
      while (++i < lines.size() && !trimmed(lines[i]).starts_with("```")) snippet.code.push_back(lines[i]);
      found.push_back(std::move(snippet));
      source.clear();
    } else if (!line.empty()) {
      source.clear();
    }
  }
  return found;
}

bool is_gap(const std::string& line) { return line == "..." || line == "// ..." || line == "# ..."; }

/// Where the page's lines `from` up to the next gap come nearest to the source, and how many of them agree.
struct Place {
  std::size_t at = 0, agree = 0;
};
Place nearest(const std::vector<std::string>& source, std::size_t begin,
              const std::vector<std::string>& piece) {
  Place best{begin, 0};
  for (std::size_t at = begin; at < source.size(); ++at) {
    std::size_t agree = 0;
    for (std::size_t i = 0; i < piece.size() && at + i < source.size(); ++i)
      agree += source[at + i] == piece[i] ? 1 : 0;
    if (agree > best.agree) best = {at, agree};
  }
  return best;
}

/// Empty when the snippet stands in `source`; else which line does not, and what stands there now.
std::string stale(const Snippet& snippet, const std::string& text) {
  std::vector<std::string> source;
  for (const std::string& line : lines_of(text)) source.push_back(trimmed(line));
  std::size_t begin = 0;
  for (std::size_t i = 0; i < snippet.code.size();) {
    const std::size_t first = i;
    std::vector<std::string> piece;
    for (; i < snippet.code.size() && !is_gap(trimmed(snippet.code[i])); ++i)
      piece.push_back(trimmed(snippet.code[i]));
    const Place place = nearest(source, begin, piece);
    if (place.agree < piece.size()) {
      std::size_t wrong = 0;
      while (place.agree > 0 && place.at + wrong < source.size() && source[place.at + wrong] == piece[wrong])
        ++wrong;
      const std::string here = snippet.page + ":" + std::to_string(snippet.line + first + wrong);
      if (place.agree == 0) return here + ": nothing of this stands in " + snippet.source + ": " + piece[0];
      return here + ": says      " + piece[wrong] + "\n" + snippet.source + ":" +
             std::to_string(place.at + wrong + 1) + ": now says " +
             (place.at + wrong < source.size() ? source[place.at + wrong] : "nothing") +
             "\nUpdate the page, and what it says about this line.";
    }
    begin = place.at + piece.size();
    ++i;  // the gap
  }
  return "";
}

// Breaks when the source changes and the page does not.
TEST(Pages, CodeStandsInTheSources) {
  std::map<std::string, std::size_t> checked;
  for (const fs::path& page : pages()) {
    for (const Snippet& snippet : snippets_in(shown(page), text_of(page))) {
      static const std::set<std::string> kOurs = {"cpp", "cuda", "cmake"};
      const std::string here = snippet.page + ":" + std::to_string(snippet.line);
      EXPECT_FALSE(kOurs.contains(snippet.language) && snippet.source.empty())
          << here << ": code without <!-- from PATH --> above it";
      if (snippet.source.empty()) continue;
      ++checked[snippet.page];
      EXPECT_FALSE(snippet.code.empty()) << here << ": an empty block";
      EXPECT_TRUE(fs::is_regular_file(kRoot / snippet.source)) << here << ": no file " << snippet.source;
      const std::string complaint = stale(snippet, text_of(kRoot / snippet.source));
      EXPECT_TRUE(complaint.empty()) << complaint;
    }
  }
  // The pages that tell how to add something show how it was done.
  EXPECT_GE(checked.size(), 7U);
}

// Breaks when the test above would not see a stale page, or not say where.
TEST(Pages, StaleCodeIsFound) {
  const std::string source = "a();\n  b();\nc();\nd();\ne();\n";
  const auto judged = [&](const std::string& code) {
    const auto found = snippets_in("p.md", "text\n\n<!-- from s.cpp -->\n```cpp\n" + code + "```\n");
    EXPECT_EQ(found.size(), 1U);
    return stale(found[0], source);
  };
  EXPECT_EQ(judged("a();\nb();\n"), "");
  EXPECT_EQ(judged("    b();\n    c();\n"), "");
  EXPECT_EQ(judged("a();\n// ...\nd();\ne();\n"), "");
  EXPECT_TRUE(judged("a();\nb(1);\nc();\n").starts_with("p.md:6: says      b(1);\ns.cpp:2: now says b();"));
  EXPECT_TRUE(judged("d();\n...\na();\n").starts_with("p.md:7: nothing of this stands in s.cpp: a();"));
  EXPECT_NE(judged("a();\nc();\n"), "");
  EXPECT_NE(judged("e();\nf();\n"), "");
  EXPECT_TRUE(snippets_in("p.md", "<!-- from s.cpp -->\nother words\n```cpp\na();\n```\n")[0].source.empty());
}

/// `name`, `name()` and `Type::name` in a link's text: the names that must stand in the file.
std::vector<std::string> names_in(std::string text) {
  if (!text.starts_with('`') || !text.ends_with('`') || text.size() < 3) return {};
  text = text.substr(1, text.size() - 2);
  if (text.ends_with("()")) text.resize(text.size() - 2);
  std::vector<std::string> names;
  for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 2) {
    to = text.find("::", from);
    names.push_back(text.substr(from, to - from));
    for (const char c : names.back())
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return {};  // a path, a command
  }
  return names;
}

// Breaks when a name that a page links to, [`Name`](../grader/x.h), is no longer in that file.
TEST(Pages, NamesStandInTheFilesTheyLinkTo) {
  static const std::set<std::string> kSources = {".h", ".cpp", ".cu", ".list", ".toml"};
  std::size_t checked = 0;
  for (const fs::path& page : pages()) {
    const std::vector<std::string> lines = lines_of(text_of(page));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string& line = lines[i];
      for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 2)) {
        const std::size_t open = line.rfind('[', at), close = line.find(')', at);
        if (open == std::string::npos || close == std::string::npos) continue;
        const fs::path file = page.parent_path() / line.substr(at + 2, close - at - 2);
        if (!kSources.contains(file.extension().string()) || !fs::exists(file)) continue;
        for (const std::string& name : names_in(line.substr(open + 1, at - open - 1))) {
          ++checked;
          EXPECT_TRUE(has_word(text_of(file), name))
              << shown(page) << ":" << i + 1 << ": no " << name << " in " << shown(file);
        }
      }
    }
  }
  EXPECT_GE(checked, 40U);
}

}  // namespace
}  // namespace roofline::docs
