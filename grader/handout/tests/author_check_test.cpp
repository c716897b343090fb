// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The author check must notice every way in which a lab can break its promises.
#include "grader/handout/author_check.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

#include "grader/base/file.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

TEST(Expectation, IsReadFromTheFirstLines) {
  const auto plain = parse_expectation("// expect: wrong-answer tail only\n// rest\n");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->outcome, "wrong-answer");
  EXPECT_EQ(plain->words, (std::vector<std::string>{"tail", "only"}));
  EXPECT_EQ(plain->needs, "");
  EXPECT_EQ(parse_expectation("// expect: wrong-answer\n// needs: gpu\n")->needs, "gpu");
  EXPECT_EQ(parse_expectation("// expect: too-slow\n// needs: sim:h200\n")->needs, "sim:h200");
  const auto patch = parse_expectation("# expect: too-slow\n# needs: gpu\n#\n# What is wrong.\n--- x.cu\n");
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->outcome + " " + patch->needs, "too-slow gpu");
  EXPECT_FALSE(parse_expectation("int x;\n"));
  EXPECT_FALSE(parse_expectation("// expect:\n"));
  EXPECT_FALSE(parse_expectation("1\n2\n3\n4\n5\n// expect: too-slow\n"));
}

Result failed(Class reason, const std::string& message) {
  Result result;
  result.verdict = Verdict::kFail;
  result.reason = reason;
  Check good, bad;
  good.verdict = Verdict::kPass;
  bad.id = "n-257";
  bad.reason = reason;
  bad.message = message;
  result.checks = {good, bad};
  return result;
}

Result passed(Medal medal, double fraction) {
  Result result;
  result.verdict = Verdict::kPass;
  result.medal = medal;
  result.points = result.max_points;
  Measurement measurement;
  measurement.id = "bandwidth";
  measurement.fraction = fraction;
  measurement.thresholds = {0.6, 0.8, 0.9};
  result.measurements = {measurement};
  return result;
}

// Breaks when a wrong submission may pass, fail for another reason, or be lost to a fault of ours.
TEST(WrongSubmission, MustBeRefusedForItsOwnReason) {
  const Expectation expected{.outcome = "wrong-answer", .words = {"tail"}};
  EXPECT_EQ(wrong_fault(expected, failed(Class::kWrongAnswer, "1 of 257: tail only")), "");
  EXPECT_NE(wrong_fault(expected, failed(Class::kWrongAnswer, "all zero")), "");
  EXPECT_NE(wrong_fault(expected, failed(Class::kOutOfBounds, "tail")), "");
  EXPECT_NE(wrong_fault(expected, passed(Medal::kExcellent, 1)), "");
  Result error = failed(Class::kWrongAnswer, "tail");
  error.verdict = Verdict::kError;
  EXPECT_NE(wrong_fault(expected, error), "");
  EXPECT_EQ(wrong_fault({.outcome = "wrong-answer", .words = {"n-257"}}, failed(Class::kWrongAnswer, "x")),
            "");
}

// Breaks when an earlier failure of another class hides behind the expected one.
TEST(WrongSubmission, TheFirstFailureDecides) {
  Result result = failed(Class::kWrongAnswer, "tail");
  result.reason = Class::kCrashed;
  EXPECT_NE(wrong_fault({.outcome = "wrong-answer", .words = {}}, result), "");
}

// Breaks when the grade of a wrong submission ends before its own reason was seen, or with another's.
TEST(WrongSubmission, EndsWithItsOwnReason) {
  const Expectation tail{.outcome = "wrong-answer", .words = {"tail"}};
  std::vector<Check> checks = failed(Class::kWrongAnswer, "all zero").checks;
  EXPECT_FALSE(is_refused(tail, checks)) << "the words may still come";
  checks.push_back(failed(Class::kWrongAnswer, "1 of 257: tail only").checks.back());
  EXPECT_TRUE(is_refused(tail, checks));
  checks.insert(checks.begin(), failed(Class::kRace, "").checks.back());
  EXPECT_FALSE(is_refused(tail, checks)) << "refused as a race first";
}

TEST(Variant, MustEarnTheMedalItNames) {
  EXPECT_EQ(variant_fault({.outcome = "good", .words = {}}, passed(Medal::kGood, 0.85)), "");
  EXPECT_NE(variant_fault({.outcome = "good", .words = {}}, passed(Medal::kExcellent, 0.95)), "");
  EXPECT_NE(variant_fault({.outcome = "good", .words = {}}, failed(Class::kTooSlow, "")), "");
  EXPECT_NE(variant_fault({.outcome = "none", .words = {}}, failed(Class::kWrongAnswer, "")), "");
  Result slow = failed(Class::kTooSlow, "");
  slow.checks[1].kind = CheckKind::kPerformance;
  EXPECT_EQ(variant_fault({.outcome = "none", .words = {}}, slow), "");
}

// 5 points above excellent; half of the slack where less is left.
TEST(Solution, ClearsExcellentWithMargin) {
  EXPECT_EQ(solution_fault(passed(Medal::kExcellent, 0.951)), "");
  EXPECT_NE(solution_fault(passed(Medal::kExcellent, 0.949)), "");
  Result tight = passed(Medal::kExcellent, 0.99);
  tight.measurements[0].thresholds.excellent = 0.98;
  EXPECT_EQ(solution_fault(tight), "");
  tight.measurements[0].fraction = 0.989;
  EXPECT_NE(solution_fault(tight), "");
  Result points = passed(Medal::kExcellent, 0.99);
  points.points = 90;
  EXPECT_NE(solution_fault(points), "");
  Result nan = passed(Medal::kExcellent, 1);
  nan.measurements[0].fraction = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(solution_fault(nan), "");
}

// Breaks when a program to be repaired is right as it is handed out, does nothing, or earns points.
TEST(SkeletonFile, OfAPartToRepairHasABug) {
  EXPECT_EQ(skeleton_fault(failed(Class::kRace, ""), true), "");
  EXPECT_NE(skeleton_fault(failed(Class::kNotImplemented, ""), true), "");
  EXPECT_NE(skeleton_fault(failed(Class::kDoesNotCompile, ""), true), "");
  Result right;
  right.verdict = Verdict::kPass;
  EXPECT_NE(skeleton_fault(right, true), "");
  Result half = failed(Class::kRace, "");
  half.points = 50;
  EXPECT_NE(skeleton_fault(half, true), "");
}

TEST(SkeletonFile, MustBeNotImplemented) {
  EXPECT_EQ(skeleton_fault(failed(Class::kNotImplemented, "")), "");
  EXPECT_NE(skeleton_fault(failed(Class::kWrongAnswer, "")), "");
  EXPECT_NE(skeleton_fault(passed(Medal::kPass, 0.6)), "");
}

/// A complete lab folder that tests then damage.
class LabFolder : public testing::Test {
 protected:
  void SetUp() override {
    paths_.root = fs::temp_directory_path() / ("roofline-author-test-" + std::to_string(getpid()));
    lab_.folder = "01-x";
    Part part;
    part.program.header = "x.h";
    part.program.source = "x.cu";
    part.predictions.emplace_back();
    lab_.parts = {part};
    chosen_ = {&lab_, &lab_.parts[0]};
    const fs::path lab = chosen_.folder(paths_), solutions = chosen_.solutions(paths_);
    for (const char* name : {"README.md", "spec.cpp", "prediction.toml", "x.h"})
      write_file(lab / name, "text\n");
    write_file(lab / "hints.md", "## Hint 1\na\n## Hint 2\nb\n## Hint 3\nc\n");
    write_file(lab / "x.cu", "// TODO 1 (about 5 lines): the kernel\n");
    write_file(solutions / "x.cu", "answer\n");
    write_file(solutions / "prediction.toml", "a = 1\n");
    write_file(solutions / "answer.md", "42\n");
    write_file(solutions / "wrong" / "zeros.cu", "// expect: wrong-answer\n");
    write_file(solutions / "variants" / "slow.cu", "// expect: pass\n");
  }
  void TearDown() override { fs::remove_all(paths_.root); }
  std::string faults() {
    std::string all;
    for (const std::string& fault : folder_faults(chosen_, paths_)) all += fault + "\n";
    return all;
  }
  Paths paths_;
  Lab lab_;
  Chosen chosen_;
};

TEST_F(LabFolder, CompleteOnesHaveNoFault) { EXPECT_EQ(faults(), ""); }

TEST_F(LabFolder, MissingFiles) {
  for (const char* name :
       {"labs/01-x/README.md", "labs/01-x/hints.md", "labs/01-x/spec.cpp", "labs/01-x/prediction.toml",
        "labs/01-x/x.h", "labs/01-x/x.cu", "solutions/01-x/x.cu", "solutions/01-x/prediction.toml",
        "solutions/01-x/answer.md"}) {
    const std::string text = read_file(paths_.root / name);
    fs::remove(paths_.root / name);
    EXPECT_NE(faults().find(std::string(name) + " is missing"), std::string::npos) << name;
    write_file(paths_.root / name, text);
  }
  fs::remove_all(paths_.root / "solutions/01-x/wrong");
  EXPECT_NE(faults().find("holds no wrong submission"), std::string::npos);
}

TEST_F(LabFolder, StrayFiles) {
  write_file(paths_.root / "labs/01-x/x.cu.orig", "");
  write_file(paths_.root / "solutions/01-x/notes.txt", "");
  write_file(paths_.root / "labs/01-x/figure.svg", "");
  EXPECT_NE(faults().find("labs/01-x/x.cu.orig is a stray file"), std::string::npos);
  EXPECT_NE(faults().find("solutions/01-x/notes.txt is a stray file"), std::string::npos);
  EXPECT_NE(faults().find("figure.svg is a stray file"), std::string::npos);
  write_file(paths_.root / "labs/01-x/README.md", "![curve](figure.svg)\n");
  EXPECT_EQ(faults().find("figure.svg"), std::string::npos);
  fs::create_directories(paths_.root / "labs/01-x/experiments");
  write_file(paths_.root / "labs/01-x/experiments/try.cu", "");
  write_file(paths_.root / "labs/01-x/helper.h", "");
  EXPECT_NE(faults().find("experiments/try.cu is a stray file"), std::string::npos);
  EXPECT_NE(faults().find("helper.h is a stray file"), std::string::npos);
  write_file(paths_.root / "labs/01-x/README.md", "nvcc labs/01-x/experiments/try.cu\n");
  write_file(paths_.root / "labs/01-x/spec.cpp", "#include \"helper.h\"\n");
  EXPECT_EQ(faults().find("try.cu"), std::string::npos);
  EXPECT_EQ(faults().find("helper.h"), std::string::npos);
}

TEST_F(LabFolder, PatchesThatApplyAreWrongSubmissions) {
  const fs::path patch = paths_.root / "solutions/01-x/wrong/a.patch";
  write_file(patch,
             "# expect: wrong-answer\n--- solutions/01-x/x.cu\n+++ wrong\n@@ -1 +1 @@\n-answer\n+41\n");
  EXPECT_EQ(faults(), "");
  write_file(paths_.root / "solutions/01-x/x.cu", "the answer\n");
  EXPECT_NE(faults().find("wrong/a.patch:4: the hunk no longer fits solutions/01-x/x.cu: "),
            std::string::npos);
  write_file(patch, "int x;\n");
  EXPECT_NE(faults().find("wrong/a.patch has no line \"# expect: ...\""), std::string::npos);
  EXPECT_NE(faults().find("wrong/a.patch:1: a patch begins with"), std::string::npos);
  fs::rename(patch, paths_.root / "solutions/01-x/variants/a.patch");
  EXPECT_NE(faults().find("variants/a.patch is a stray file"), std::string::npos);
}

// Answers about sealed programs are a part like others: its file and versions are no sources, and it has no
// header.
TEST_F(LabFolder, AnswersArePartsToo) {
  lab_.parts[0].program = {.source = "x.toml"};
  lab_.parts[0].about_sealed = true;
  fs::remove(paths_.root / "labs/01-x/x.h");
  for (const char* folder : {"labs/01-x", "solutions/01-x"})
    fs::rename(paths_.root / folder / "x.cu", paths_.root / folder / "x.toml");
  fs::remove_all(paths_.root / "solutions/01-x/variants");
  fs::remove(paths_.root / "solutions/01-x/wrong/zeros.cu");
  EXPECT_NE(faults().find("holds no wrong submission"), std::string::npos);
  write_file(paths_.root / "solutions/01-x/wrong/guessed.toml", "x = 1\n");
  EXPECT_NE(faults().find("wrong/guessed.toml has no line \"# expect: ...\""), std::string::npos);
  write_file(paths_.root / "solutions/01-x/wrong/guessed.toml", "# expect: wrong-prediction\nx = 1\n");
  write_file(paths_.root / "solutions/01-x/sealed/one.cu", "");
  EXPECT_EQ(faults(), "");
}

// Each part's versions lie in folders named after its file.
TEST_F(LabFolder, PartsHaveFoldersOfTheirOwn) {
  lab_.parts[0].letter = "a";
  EXPECT_NE(faults().find("solutions/01-x/wrong/x holds no wrong submission"), std::string::npos);
  EXPECT_NE(faults().find("wrong/zeros.cu is a stray file"), std::string::npos);
  for (const char* kind : {"wrong", "variants"}) {
    fs::rename(chosen_.solutions(paths_) / kind, chosen_.solutions(paths_) / "moved");
    fs::create_directories(chosen_.solutions(paths_) / kind);
    fs::rename(chosen_.solutions(paths_) / "moved", chosen_.versions(paths_, kind));
  }
  write_file(chosen_.versions(paths_, "instead") / "library.cu", "");
  EXPECT_EQ(faults(), "");
}

TEST_F(LabFolder, FewHintsTasksWithoutBudgetAndUnfinishedSolutions) {
  write_file(paths_.root / "labs/01-x/hints.md", "## Hint 1\na\n## Hint 2\n\n");
  write_file(paths_.root / "labs/01-x/x.cu", "// TODO: the kernel\n");
  write_file(paths_.root / "solutions/01-x/x.cu", "// TODO 1 (about 5 lines)\n");
  EXPECT_NE(faults().find("has 2 sections"), std::string::npos);
  EXPECT_NE(faults().find("hint 2 is empty"), std::string::npos);
  EXPECT_NE(faults().find("without a line budget"), std::string::npos);
  EXPECT_NE(faults().find("still has a TODO"), std::string::npos);
  write_file(paths_.root / "labs/01-x/x.cu", "// nothing to do\n");
  EXPECT_NE(faults().find("has no TODO"), std::string::npos);
}

TEST_F(LabFolder, SubmissionsWithoutOrWithUnknownExpectation) {
  write_file(paths_.root / "solutions/01-x/wrong/a.cu", "int x;\n");
  write_file(paths_.root / "solutions/01-x/wrong/b.cu", "// expect: bad-luck\n");
  write_file(paths_.root / "solutions/01-x/variants/c.cu", "// expect: wrong-answer\n");
  EXPECT_NE(faults().find("wrong/a.cu has no line"), std::string::npos);
  EXPECT_NE(faults().find("wrong/b.cu expects \"bad-luck\""), std::string::npos);
  EXPECT_NE(faults().find("variants/c.cu expects \"wrong-answer\""), std::string::npos);
}

}  // namespace
}  // namespace roofline::grader
