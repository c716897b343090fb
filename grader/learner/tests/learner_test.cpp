// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What helps a learner: words for the Tab key, predictions that are asked for, explanations.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <tuple>

#include "grader/base/file.h"
#include "grader/box/process.h"
#include "grader/judge/explanations.h"
#include "grader/judge/prediction.h"
#include "grader/lab/selection.h"
#include "grader/learner/ask_predictions.h"
#include "grader/text/completion.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

class Learner : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("roofline-learner-test-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};
using Completion = Learner;
using Ask = Learner;
using ExplainVerb = Learner;

const char* program() {
  static const std::string path = std::string(ROOFLINE_BUILD) + "/bin/lab";
  return path.c_str();
}

/// What bash offers for this line.
std::string offered(const fs::path& script, const std::string& line) {
  const CommandResult result = run_command({"bash", "-c",
                                            "source " + script.string() + "; COMP_LINE='" + line +
                                                "'; COMP_POINT=${#COMP_LINE}; _lab; "
                                                "echo \"${COMPREPLY[*]}\""});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  return result.output;
}

// Breaks when bash cannot read the script, or the parser's verbs, options, labs and devices are not in it.
TEST_F(Completion, BashOffersWhatTheParserKnows) {
  const CommandResult written = run_command({program(), "completion", "bash"});
  ASSERT_EQ(written.exit_code, 0) << written.output;
  const fs::path script = folder_ / "lab.bash";
  write_file(script, written.output);
  EXPECT_EQ(run_command({"bash", "-n", script.string()}).exit_code, 0);
  EXPECT_EQ(offered(script, "./lab gra"), "grade\n");
  EXPECT_EQ(offered(script, "./lab set"), "setup\n");
  const std::vector<Lab>& labs = all_labs();
  std::string parts;
  for (const Chosen& part : all_parts(labs))
    if (part.id().starts_with("0")) parts += (parts.empty() ? "" : " ") + part.id();
  ASSERT_TRUE(parts.starts_with("01 02 03a ")) << parts;
  EXPECT_EQ(offered(script, "./lab grade 0"), parts + "\n");
  EXPECT_EQ(offered(script, "./lab watch point"), "pointwise\n");
  EXPECT_EQ(offered(script, "./lab grade --sol"), "--solution\n");
  std::set<std::string> devices;
  for (const auto& file : fs::directory_iterator(ROOFLINE_SOURCE "/common/simulator/devices"))
    if (file.path().stem().string().starts_with("h")) devices.insert(file.path().stem());
  ASSERT_TRUE(devices.contains("h200"));
  std::string those;
  for (const std::string& id : devices) those += (those.empty() ? "" : " ") + id;
  EXPECT_EQ(offered(script, "./lab grade 01 --device sim:h"), those + "\n") << "after the colon";
  EXPECT_EQ(offered(script, "./lab completion z"), "zsh\n");
  EXPECT_NE(offered(script, "./lab grade --file " + folder_.string() + "/").find("lab.bash"),
            std::string::npos);
}

TEST_F(Completion, ZshReadsItsScript) {
  const CommandResult written = run_command({program(), "completion", "zsh"});
  ASSERT_EQ(written.exit_code, 0) << written.output;
  EXPECT_NE(written.output.find("    grade) options=(--help --solution"), std::string::npos)
      << written.output;
  EXPECT_NE(written.output.find("'watch:check your file whenever you save it"), std::string::npos);
  write_file(folder_ / "_lab", written.output);
  if (run_command({"sh", "-c", "command -v zsh"}).exit_code != 0) GTEST_SKIP() << "no zsh on this machine";
  EXPECT_EQ(run_command({"zsh", "-n", (folder_ / "_lab").string()}).exit_code, 0);
}

TEST(WithAnswer, ChangesOneValueAndKeepsTheRest) {
  const std::string text =
      "# one = 1\n\nbytes = \"\"         # of an element\nregime = \"\"  # a word\n other=7#x\nlast = \"\"";
  const std::string bytes = with_answer(text, "bytes", "8");
  EXPECT_NE(bytes.find("bytes = 8          # of an element\n"), std::string::npos) << bytes;
  EXPECT_EQ(with_answer(bytes, "bytes", "8"), bytes);
  EXPECT_NE(with_answer(text, "regime", "memory").find("regime = \"memory\" # a word"), std::string::npos);
  EXPECT_NE(with_answer(text, "other", "+1.50").find(" other=1.5 #x"), std::string::npos);
  EXPECT_TRUE(with_answer(text, "last", "1e9").ends_with("last = 1000000000"));
  EXPECT_TRUE(with_answer(text, "one", ".5").ends_with("last = \"\"\none = 0.5\n"));
}

// Breaks when a question is asked twice, an empty line is an answer, or what cannot be one is written.
TEST_F(Ask, OneByOneAndSkippable) {
  const fs::path file = folder_ / "prediction.toml";
  write_file(file, "bytes = \"\"\nregime = \"\"\nknown = 3\n");
  const std::vector<Prediction> asked = {
      {.key = "bytes", .question = "How many?", .expected = 8, .unit = "B"},
      {.key = "regime", .question = "Which?", .word = "memory"},
      {.key = "known", .question = "Known?", .expected = 3}};
  std::vector<std::string> lines = {"0x8", "eight", " 8 ", ""};
  std::string said;
  const auto next = [&]() -> std::optional<std::string> {
    if (lines.empty()) return std::nullopt;
    std::string line = lines.front();
    lines.erase(lines.begin());
    return line;
  };
  EXPECT_EQ(ask_predictions(
                asked, file, [&](const std::string& text) { said += text; }, next),
            1U);
  EXPECT_EQ(read_file(file), "bytes = 8\nregime = \"\"\nknown = 3\n");
  EXPECT_NE(said.find("1/2  How many? [B]"), std::string::npos) << said;
  EXPECT_EQ(said.find("Known?"), std::string::npos);
  EXPECT_EQ(unanswered(asked, file).size(), 1U);
  lines = {"mem\" x", "Memory"};
  EXPECT_EQ(ask_predictions(
                asked, file, [](const std::string&) {}, next),
            1U);
  EXPECT_EQ(ask_predictions(
                asked, file, [](const std::string&) { FAIL(); }, next),
            0U);
  EXPECT_EQ(read_file(file), "bytes = 8\nregime = \"Memory\"\nknown = 3\n");
  write_file(file, "bytes = = 1");
  EXPECT_TRUE(unanswered(asked, file).empty()) << "the grade says what is wrong with the file";
}

TEST(ExplainedErrors, OneLineEachAndWhatItMeansOnce) {
  const std::vector<Diagnostic> errors = {{"a.cu", 3, "expected a \";\"", true},
                                          {"a.cu", 9, "expected a \";\"", true},
                                          {"a.cu", 5, "unused", false},
                                          {"a.cu", 7, "identifier \"half\" is undefined", true},
                                          {"a.cu", 8, "something rare", true}};
  EXPECT_EQ(explained_errors(errors, {{"identifier \"half\"", "look into edges.h"}}, 3),
            "\na.cu:3: expected a \";\"\n  that is: the statement before this place has no semicolon"
            "\na.cu:9: expected a \";\""
            "\na.cu:7: identifier \"half\" is undefined\n  that is: look into edges.h"
            "\nand 1 more errors");
}

// Breaks when the launch's places are told as types that differ.
TEST(ExplainedErrors, AStreamInThePlaceOfTheSharedBytes) {
  const std::string said =
      "argument of type \"cudaStream_t\" (aka \"CUstream_st *\") is incompatible with parameter of type ";
  EXPECT_NE(
      meaning_of(said + "\"size_t\" (aka \"unsigned long\")", {}).find("<<<blocks, threads, 0, stream>>>"),
      std::string::npos);
  EXPECT_NE(meaning_of(said + "\"int\"", {}).find("the types"), std::string::npos);
}

TEST(Filled, SentencesThatCannotBeFilledAreLeftOut) {
  Result result;
  Measurement m;
  m.id = "bandwidth";
  m.achieved = 1298;
  m.fraction = 0.952;
  m.roof.unit = "GB/s";
  m.time.median_us = 12.5;
  result.measurements = {m};
  EXPECT_EQ(filled("Always. It took {bandwidth.time}, {bandwidth.achieved}.", result),
            "Always. It took 12.5 us, 1298 GB/s.");
  EXPECT_EQ(filled("At 0.25 of {other.time}. Always.", result), "Always.");
  EXPECT_EQ(filled("A { stays", result), "A { stays");
  EXPECT_EQ(filled("Always. It took {bandwidth.time}.", result, Sentences::kOfDevice), "It took 12.5 us.");
  result.profile.points = {{.id = "bandwidth", .flops = 5e7, .dram_bytes = 2e8, .us = 1}};
  EXPECT_EQ(filled("{bandwidth.flops} over {bandwidth.bytes}: {bandwidth.intensity}.", result),
            "50 MFLOP over 200 MB: 0.25 FLOP/B.");
}

TEST_F(ExplainVerb, OnlyWhatMissed) {
  Result result;
  for (const auto& [key, verdict] :
       {std::pair{"right", Verdict::kPass}, {"wrong", Verdict::kFail}, {"open", Verdict::kSkipped}}) {
    Check check;
    check.id = std::string("prediction-") + key;
    check.kind = CheckKind::kPrediction;
    check.verdict = verdict;
    check.message = "said";
    result.checks.push_back(check);
  }
  const fs::path file = folder_ / "explanations.toml";
  write_file(file,
             "[prediction]\nright = \"r. {bandwidth.time}\"\nwrong = \"Because.\"\nopen = "
             "\"o\"\n[[error]]\nsays = 'x'\nmeans "
             "= 'y'\n");
  explain_predictions(result, read_explanations(file));
  EXPECT_EQ(result.checks[0].message, "said");
  EXPECT_EQ(result.checks[1].message, "said\nBecause.");
  EXPECT_EQ(result.checks[2].message, "said");
  EXPECT_TRUE(read_explanations(folder_ / "none.toml").errors.empty());
  for (const char* bad :
       {"[[error]]\nsays = 'x'\n", "[predictions]\na = 'b'\n", "[prediction]\na = 1\n", "a = = 1"}) {
    write_file(file, bad);
    EXPECT_THROW(read_explanations(file), std::runtime_error) << bad;
  }
}

// Breaks when a fault is left unexplained, or the same words stand behind each of twenty cases.
TEST_F(ExplainVerb, WhatFailsOnce) {
  Result result;
  for (const auto& [kind, verdict, message] :
       {std::tuple{CheckKind::kCorrectness, Verdict::kFail, "cudaErrorX from your function"},
        {CheckKind::kCorrectness, Verdict::kFail, "cudaErrorX from your function"},
        {CheckKind::kPerformance, Verdict::kFail, "half of the roof"},
        {CheckKind::kCorrectness, Verdict::kFail, "a race\nAnd the answer is wrong: cudaErrorY"},
        {CheckKind::kPrediction, Verdict::kFail, "half of the roof"}}) {
    Check check;
    check.kind = kind;
    check.verdict = verdict;
    check.message = message;
    result.checks.push_back(check);
  }
  const fs::path file = folder_ / "explanations.toml";
  write_file(file,
             "[[fault]]\nsays = 'cudaErrorX'\nmeans = 'X.'\n[[fault]]\nsays = 'of the roof'\nmeans = "
             "'Slow.'\n[[fault]]\nsays = 'cudaErrorY'\nmeans = 'Y.'\n");
  explain_faults(result, read_explanations(file));
  EXPECT_EQ(result.checks[0].message, "cudaErrorX from your function\nX.");
  EXPECT_EQ(result.checks[1].message, "cudaErrorX from your function");
  EXPECT_EQ(result.checks[2].message, "half of the roof\nSlow.");
  EXPECT_EQ(result.checks[3].message, "a race\nAnd the answer is wrong: cudaErrorY");
  EXPECT_EQ(result.checks[4].message, "half of the roof");
}

// Breaks when one list of causes is said of every pattern, or a cause that concerns some cases where all
// fail.
TEST_F(ExplainVerb, WhatIsKnownSelectsTheWords) {
  const fs::path file = folder_ / "explanations.toml";
  write_file(file,
             "[[fault]]\nsays = ['of y', 'are 2 times']\nmeans = 'Twice.'\n"
             "[[fault]]\nsays = ['of y', 'past an aligned']\nmeans = 'Shifted alone.'\nonly = true\n"
             "[[fault]]\nsays = 'of y'\nmeans = 'Any.'\n");
  const auto explained = [&](const std::vector<std::pair<std::string, std::string>>& cases) {
    Result result;
    for (const auto& [title, message] : cases) {
      Check& check = result.checks.emplace_back();
      check.kind = CheckKind::kCorrectness;
      check.verdict = Verdict::kFail;
      check.title = title;
      check.message = message;
    }
    explain_faults(result, read_explanations(file));
    std::string all;
    for (const Check& check : result.checks) all += check.message + ";";
    return all;
  };
  EXPECT_EQ(explained({{"n = 1", "1 of y: are 2 times"}}), "1 of y: are 2 times\nTwice.;");
  EXPECT_EQ(explained({{"n = 1", "1 of y"}, {"past an aligned", "2 of y"}}), "1 of y\nAny.;2 of y;");
  EXPECT_EQ(explained({{"past an aligned", "2 of y"}}), "2 of y\nShifted alone.;");
  write_file(file, "[[fault]]\nsays = ['of y', 3]\nmeans = 'A number.'\n");
  EXPECT_THROW(read_explanations(file), std::runtime_error);
}

// Breaks when words about one part stand behind another part's faults.
TEST_F(ExplainVerb, OnlyThePartThatIsMeant) {
  const fs::path file = folder_ / "explanations.toml";
  write_file(file,
             "[[fault]]\nsays = 'wrong'\nmeans = 'Of b.'\npart = 'b'\n[[fault]]\nsays = 'wrong'\nmeans = "
             "'Of others.'\n");
  for (const auto& [part, words] : {std::pair{"07b", "wrong\nOf b."}, {"07c", "wrong\nOf others."}}) {
    Result result;
    result.part = part;
    result.checks.emplace_back();
    result.checks[0].kind = CheckKind::kCorrectness;
    result.checks[0].verdict = Verdict::kFail;
    result.checks[0].message = "wrong";
    explain_faults(result, read_explanations(file));
    EXPECT_EQ(result.checks[0].message, words);
  }
}

// Breaks when a lab's file is broken, or a prediction has no explanation, or one is explained that is not
// asked.
TEST(Explanations, OfEveryLab) {
  const std::vector<Lab>& labs = all_labs();
  for (const Lab& lab : labs) {
    const auto all = read_explanations(fs::path(ROOFLINE_SOURCE) / "labs" / lab.folder / "explanations.toml");
    size_t asked = 0;
    for (const Part& part : lab.parts)
      for (const Prediction& prediction : part.predictions) {
        ++asked;
        EXPECT_TRUE(all.predictions.contains(prediction.key)) << lab.folder << " " << prediction.key;
      }
    EXPECT_EQ(all.predictions.size(), asked) << lab.folder;
    EXPECT_FALSE(all.errors.empty()) << lab.folder;
  }
}

// Breaks when the best medal of a lab opens no answer to its open question, or instructors are not told what
// a good one contains.
TEST(Answers, OfEveryLab) {
  const std::string course = read_file(fs::path(ROOFLINE_SOURCE) / "docs/course.md");
  const size_t begin = course.find("| lab | a good answer |");
  ASSERT_NE(begin, std::string::npos);
  const std::string good = course.substr(begin, course.find("\n\n", begin) - begin);
  for (const Lab& lab : all_labs()) {
    const fs::path file = fs::path(ROOFLINE_SOURCE) / "solutions" / lab.folder / "answer.md";
    ASSERT_TRUE(fs::exists(file)) << file << " is missing";
    EXPECT_TRUE(read_file(file).starts_with("# An answer to the open question of lab " + lab.number() + "\n"))
        << file;
    EXPECT_NE(good.find("\n| " + lab.number() + " | "), std::string::npos) << lab.number() << " has no row";
  }
}

}  // namespace
}  // namespace roofline::grader
