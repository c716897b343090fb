// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What is remembered between runs, and how labs, hints and skeletons are found.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "grader/base/file.h"
#include "grader/box/process.h"
#include "grader/build/toolkit.h"
#include "grader/lab/hints.h"
#include "grader/lab/selection.h"
#include "grader/lab/skeleton.h"
#include "grader/learner/current.h"
#include "grader/learner/progress_file.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("roofline-state-test-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};
using Progress = Folder;
using Skeletons = Folder;

Result result(Verdict verdict, Medal medal, double points) {
  Result r;
  r.part = "01";
  r.verdict = verdict;
  r.reason = verdict == Verdict::kPass ? Class::kNone : Class::kWrongAnswer;
  r.medal = medal;
  r.points = points;
  return r;
}

// Breaks when a speed-up of several times, or a line that nobody grades, hides the roof that decides the
// medal.
TEST_F(Progress, ShowsTheFractionThatDecidesTheMedal) {
  const auto line = [](double fraction, double pass, Medal medal) {
    Measurement m;
    m.roof.value = 1;
    m.fraction = fraction;
    m.thresholds = {.pass = pass, .good = 0, .excellent = pass == 0 ? 0 : 1.5 * pass};
    m.medal = medal;
    return m;
  };
  Result r = result(Verdict::kPass, Medal::kPass, 80);
  r.measurements = {line(3.07, 0.85, Medal::kExcellent), line(0.7, 0.6, Medal::kPass),
                    line(9, 0, Medal::kNone)};
  ProgressFile progress(folder_ / "progress.json");
  progress.record(r);
  EXPECT_DOUBLE_EQ(progress.at("01").fraction, 0.7);
}

// Breaks when a later, worse attempt takes a medal away, or an attempt is not counted.
TEST_F(Progress, KeepsTheBestAndCountsAttempts) {
  const fs::path path = folder_ / "progress.json";
  {
    ProgressFile progress(path);
    progress.record(result(Verdict::kFail, Medal::kNone, 30));
    EXPECT_FALSE(progress.at("01").passed);
    progress.record(result(Verdict::kPass, Medal::kGood, 90));
    progress.record(result(Verdict::kFail, Medal::kNone, 10));
    progress.set_hints("01", 2);
  }
  const LabProgress lab = ProgressFile(path).at("01");
  EXPECT_EQ(lab.attempts, 3U);
  EXPECT_TRUE(lab.passed);
  EXPECT_EQ(lab.medal, Medal::kGood);
  EXPECT_EQ(lab.points, 90);
  EXPECT_EQ(lab.last, "wrong-answer");
  EXPECT_EQ(lab.hints, 2U);
  EXPECT_EQ(state_of(lab), "passed: good");
  EXPECT_EQ(ProgressFile(path).at("02").attempts, 0U);
}

// Breaks when a damaged file stops the learner or is lost.
TEST_F(Progress, ADamagedFileIsPutAside) {
  const fs::path path = folder_ / "progress.json";
  write_file(path, "{\"schema\": \"lab/pro");
  ProgressFile progress(path);
  EXPECT_EQ(progress.at("01").attempts, 0U);
  EXPECT_EQ(read_file(path.string() + ".bad"), "{\"schema\": \"lab/pro");
}

std::vector<Lab> labs() {
  Lab one, two;
  one.folder = "01-pointwise";
  one.parts.resize(1);
  one.parts[0].program.source = "pointwise.cu";
  two.folder = "03-fusion";
  two.parts.resize(2);
  two.parts[0].letter = "a";
  two.parts[1].letter = "b";
  two.parts[0].program.source = "cosine.cu";
  two.parts[1].program.source = "residual.cu";
  return {one, two};
}

std::string ids(const std::vector<Lab>& known, const std::vector<std::string>& words) {
  std::string text;
  for (const Chosen& chosen : select(known, words)) text += chosen.id() + " ";
  return text;
}

// Breaks when one of the ways to name a lab is no longer understood.
TEST(Selection, EveryWayToNameALab) {
  const auto known = labs();
  for (const char* word : {"1", "01", "001", "pointwise", "Pointwise", "01-pointwise", "labs/01-pointwise/"})
    EXPECT_EQ(ids(known, {word}), "01 ") << word;
  EXPECT_EQ(ids(known, {"3"}), "03a 03b ");
  EXPECT_EQ(ids(known, {"3b"}), "03b ");
  EXPECT_EQ(ids(known, {"03B"}), "03b ");
  for (const char* word : {"residual", "residual.cu", "labs/03-fusion/residual.cu"})
    EXPECT_EQ(ids(known, {word}), "03b ") << word;
  EXPECT_EQ(ids(known, {"all"}), "01 03a 03b ");
  EXPECT_EQ(ids(known, {"fusion", "3a", "1"}), "03a 03b 01 ");
}

TEST(Selection, UnknownLabNamesTheClosest) {
  const auto known = labs();
  const auto message = [&](const std::string& word) {
    try {
      select(known, {word});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("pointwsie").find("did you mean pointwise?"), std::string::npos);
  EXPECT_EQ(message("9").find("did you mean"), std::string::npos);
  EXPECT_NE(message("9").find("03  fusion"), std::string::npos);
  EXPECT_NE(message("0").find("no lab"), std::string::npos);
  EXPECT_NE(message("").find("no lab"), std::string::npos);
}

TEST(Toolkit, VersionIsRead) {
  EXPECT_EQ(parse_nvcc_version("Cuda compilation tools, release 13.0, V13.0.88\nBuild x\n"), "13.0.88");
  EXPECT_EQ(parse_nvcc_version("something else"), "");
}

// Breaks when the learner of the last part has to leaf through the hints of the others again.
TEST(Hints, OfAPart) {
  const auto all = parse_hints(
      "## Hint 1: before all\na\n## Hint 2: part A, x\nb\n## Hint 3: part B, y\nc\n## Hint 4: part B, "
      "z\nd\n");
  EXPECT_EQ(hints_of_part(all, "").size(), 4U);
  const auto second = hints_of_part(all, "b");
  ASSERT_EQ(second.size(), 3U);
  EXPECT_EQ(second[0].text, "a");
  EXPECT_EQ(second[1].text, "c");
  EXPECT_EQ(second[2].text, "d");
  const auto several =
      parse_hints("## Hint 1: parts A to C, x\na\n## Hint 2: parts D to E, y\nb\n## Hint 3: parts\nc\n");
  EXPECT_EQ(hints_of_part(several, "c").size(), 2U);
  EXPECT_EQ(hints_of_part(several, "d").front().text, "b");
  EXPECT_EQ(hints_of_part(several, "f").front().text, "c");
}

// Breaks when other sections, or a heading within code, count as hints.
TEST(Hints, SectionsInOrder) {
  const auto hints = parse_hints(
      "# Hints\n\nread slowly\n\n## Hint 1\n\nWhat?\n\n## Hint 2: the guard\n```\n## not a "
      "heading\n```\nShape.\n\n## Notes\nno hint\n");
  ASSERT_EQ(hints.size(), 2U);
  EXPECT_EQ(hints[0].title, "");
  EXPECT_EQ(hints[0].text, "What?");
  EXPECT_EQ(hints[1].title, "the guard");
  EXPECT_EQ(hints[1].text, "```\n## not a heading\n```\nShape.");
  EXPECT_TRUE(parse_hints("no sections").empty());
}

// Breaks when a heading is misspelt, so that its hint is none, or a number is left out or used twice.
TEST(Hints, OfEveryLabAreNumbered) {
  for (const Lab& lab : all_labs()) {
    const fs::path file = fs::path(ROOFLINE_SOURCE) / "labs" / lab.folder / lab.hints;
    std::istringstream lines(read_file(file));
    size_t number = 0;
    bool code = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("```")) code = !code;
      if (code || !line.starts_with("## ")) continue;
      const std::string next = "## Hint " + std::to_string(++number);
      EXPECT_TRUE(line == next || line.starts_with(next + ":"))
          << file << ": " << line << ", expected " << next;
    }
    EXPECT_EQ(parse_hints(read_file(file)).size(), number) << file;
  }
}

// Breaks when a narrow terminal cuts words, or code is filled like text.
TEST(Hints, FitTheTerminal) {
  const std::string hint =
      "one two three four\nfive six\n\n- seven eight nine\n  ten\n```\na long line of code\n```\nend";
  EXPECT_EQ(fitted(hint, 80), hint);
  EXPECT_EQ(
      fitted(hint, 12),
      "one two\nthree four\nfive six\n\n- seven\n  eight nine\n  ten\n```\na long line of code\n```\nend");
}

void git(const fs::path& root, std::vector<std::string> words) {
  words.insert(words.begin(), {"git", "-C", root.string(), "-c", "user.name=t", "-c", "user.email=t@t"});
  ASSERT_TRUE(run_command(words).ok()) << words[7];
}

// Breaks when a learner who commits an answer can no longer get the skeleton back.
TEST_F(Skeletons, TheNewestCommittedVersionWithATask) {
  const fs::path file = folder_ / "labs" / "01-x" / "x.cu";
  git(folder_, {"init", "-q"});
  for (const char* text : {"// TODO first\n", "// TODO better\n", "answer\n"}) {
    write_file(file, text);
    git(folder_, {"add", "."});
    git(folder_, {"commit", "-q", "-m", "m"});
  }
  const auto skeleton = find_skeleton(folder_, folder_ / ".lab", file);
  ASSERT_TRUE(skeleton);
  EXPECT_EQ(skeleton->text, "// TODO better\n");
}

// Breaks when a course folder without git cannot be reset.
TEST_F(Skeletons, WithoutGitTheFirstSightIsKept) {
  const fs::path file = folder_ / "labs" / "01-x" / "x.cu";
  EXPECT_FALSE(find_skeleton(folder_, folder_ / ".lab", file));
  write_file(file, "// TODO\n");
  keep_skeleton(folder_, folder_ / ".lab", file);
  write_file(file, "// answer, TODO: tidy\n");
  keep_skeleton(folder_, folder_ / ".lab", file);
  const auto skeleton = find_skeleton(folder_, folder_ / ".lab", file);
  ASSERT_TRUE(skeleton);
  EXPECT_EQ(skeleton->text, "// TODO\n");
}

}  // namespace
}  // namespace roofline::grader
