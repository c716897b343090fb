// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/tests/results_data.h"

// The table in docs/checks.md of what `./lab run --check` finds in public suites is made of the data file:
// run with ROOFLINE_UPDATE_PAGES=1 where it changed.
namespace roofline::grader::checks_on_suites {
namespace {

using namespace results;

const fs::path kPage = fs::path(ROOFLINE_SOURCE) / "docs" / "checks.md";
constexpr const char* kHead = "| check | bug | suite | found | told | missed |\n";

/// Programs by verdict. `told`: the program itself prints the error that a call returned.
struct Row {
  int found = 0, told = 0, missed = 0;
};

std::string cell(int count) { return count == 0 ? " |" : " " + std::to_string(count) + " |"; }

/// In the order of the checks, and of the suites in the file.
std::string table(const Json& suites) {
  std::string text = std::string(kHead) + "|---|---|---|---|---|---|\n";
  for (const std::string check : {"memory", "init", "race", "sync"})
    for (const Json& suite : suites) {
      std::vector<std::string> kinds;
      std::map<std::string, Row> rows;
      for (const Json& program : suite["programs"]) {
        if (program["expected"] != check) continue;
        const std::string kind = program["kind"], verdict = program["verdict"];
        if (!rows.contains(kind)) kinds.push_back(kind);
        Row& row = rows[kind];
        ++(verdict == "found" ? row.found : verdict == "told" ? row.told : row.missed);
      }
      for (const std::string& kind : kinds) {
        const Row& row = rows[kind];
        text += "| `" + check + "` | " + kind + " | " + suite["name"].get<std::string>() + " |" +
                cell(row.found) + cell(row.told) + cell(row.missed) + "\n";
      }
    }
  return text;
}

TEST(ChecksOnSuites, TheTableIsCurrent) {
  const Json suites = (*data("checks-on-suites.json"))["suites"];
  const std::string now = table(suites), page = text_of(kPage);
  const size_t begin = page.find(kHead);
  ASSERT_NE(begin, std::string::npos);
  const size_t end = page.find("\n\n", begin) + 1;
  if (std::getenv("ROOFLINE_UPDATE_PAGES") != nullptr)
    write_file(kPage, page.substr(0, begin) + now + page.substr(end));
  EXPECT_EQ(text_of(kPage).substr(begin, now.size()), now)
      << "run ROOFLINE_UPDATE_PAGES=1 ./lab test -R ChecksOnSuites";
}

// What the page says in words. Breaks when a suite is run again and a clean program has a finding, or one did
// not run.
TEST(ChecksOnSuites, CleanProgramsHaveNoFindingAndAllRan) {
  const Json suites = (*data("checks-on-suites.json"))["suites"];
  EXPECT_EQ(suites.size(), 5U);
  int clean = 0;
  for (const Json& suite : suites) {
    for (const char* key : {"source", "commit", "licence"}) EXPECT_FALSE(suite.value(key, "").empty()) << key;
    for (const Json& program : suite["programs"]) {
      EXPECT_NE(program["verdict"], "did not run") << program;
      EXPECT_NE(program["verdict"], "false") << program;
      clean += program["verdict"] == "clean" ? 1 : 0;
    }
  }
  EXPECT_NE(text_of(kPage).find("None of the " + std::to_string(clean) + " runs of clean programs"),
            std::string::npos)
      << clean;
}

}  // namespace
}  // namespace roofline::grader::checks_on_suites
