// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/quiz.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <set>

#include "grader/base/error.h"
#include "grader/base/file.h"
#include "grader/base/formula.h"
#include "grader/lab/spec.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

const std::vector<DrawnGpu> kGpus = {{"NVIDIA A100-SXM4-40GB", 1555, 19.5, 312, 25, 108},
                                     {"NVIDIA T4", 320, 8.1, 65, 12, 40}};

TEST(Formula, FollowsTheRulesOfArithmetic) {
  const FormulaNames names{.values = {{"n", 3}, {"a_1", 2}},
                           .functions = {{"twice", [](const auto& of) { return 2 * of[0]; }}}};
  EXPECT_EQ(evaluate("1 + 2 * n ^ 2 / 3", names), 7);
  EXPECT_EQ(evaluate("2^3^2", names), 512);
  EXPECT_EQ(evaluate("-2 ^ 2 + (1 + n) * a_1", names), 4);
  EXPECT_EQ(evaluate("10 - 4 - 3", names), 3);
  EXPECT_EQ(evaluate("ceil(7 / 2) + floor(3.9) + max(1, n, 2) + log2(8) + twice(n)", names), 19);
  EXPECT_EQ(evaluate("(n > 2) + (n < 2)", names), 1);
  for (const char* wrong : {"", "1 +", "(1", "m", "1 2", "none(1)", "floor(1, 2)", "1 $ 2"})
    EXPECT_THROW(evaluate(wrong, names), std::invalid_argument) << wrong;
}

fs::path quiz_file(const Lab& lab) { return fs::path(ROOFLINE_SOURCE) / "labs" / lab.folder / "quiz.toml"; }

// Breaks when a lab has no quiz, a question no answer for some numbers, or an explanation another answer.
TEST(Quiz, EveryLabHasFiveQuestionsThatHoldForAllNumbers) {
  const std::vector<Lab>& labs = all_labs();
  ASSERT_GE(labs.size(), 8u);
  for (const Lab& lab : labs) {
    ASSERT_TRUE(fs::exists(quiz_file(lab))) << quiz_file(lab) << ": ./lab new makes one";
    std::set<std::string> texts;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const std::vector<QuizQuestion> questions = quiz_of(quiz_file(lab), seed, kGpus);
      ASSERT_EQ(questions.size(), 5u) << lab.folder;
      for (size_t i = 0; i < questions.size(); ++i) {
        const QuizQuestion& question = questions[i];
        const std::string where = lab.folder + ", question " + std::to_string(i + 1) + ": " + question.text;
        EXPECT_TRUE(std::isfinite(question.answer) && question.answer >= 0) << where;
        EXPECT_TRUE(!question.words.empty() || question.answer > 0) << where;
        EXPECT_TRUE(question.accepts(question.answer_text())) << where << " " << question.answer_text();
        EXPECT_TRUE(question.complaint(question.answer_text()).empty()) << where;
        EXPECT_NE(question.explanation.find(question.answer_text()), std::string::npos) << where;
        EXPECT_EQ((question.text + question.explanation).find_first_of("{}"), std::string::npos) << where;
        EXPECT_FALSE(question.accepts("12345678901")) << where;
        texts.insert(question.text);
      }
    }
    EXPECT_GE(texts.size(), 20u) << lab.folder << ": the numbers of a question are always the same";
  }
}

TEST(Quiz, TheSameSeedAsksTheSame) {
  const std::vector<Lab>& labs = all_labs();
  const auto text = [&](std::uint64_t seed) { return quiz_of(quiz_file(labs[0]), seed, kGpus)[0].text; };
  EXPECT_EQ(text(7), text(7));
  std::set<std::string> all;
  for (std::uint64_t seed = 1; seed < 20; ++seed) all.insert(text(seed));
  EXPECT_GT(all.size(), 5u);
}

TEST(Quiz, WordsUnitsAndRounding) {
  QuizQuestion time{
      .text = "", .explanation = "", .answer = 345.3, .unit = "us", .words = {}, .within = 0.03};
  for (const char* right : {"345", "345.3 us", "0.345 ms", "350"}) EXPECT_TRUE(time.accepts(right)) << right;
  for (const char* wrong : {"345 ms", "360", "0"}) EXPECT_FALSE(time.accepts(wrong)) << wrong;
  EXPECT_FALSE(time.complaint("fast").empty());
  QuizQuestion word{.text = "", .explanation = "", .answer = 1, .unit = "", .words = {"memory", "compute"}};
  EXPECT_TRUE(word.accepts("Compute-bound"));
  EXPECT_FALSE(word.accepts("memory"));
  EXPECT_NE(word.complaint("both").find("memory, compute"), std::string::npos);
}

// Breaks when an answer that cannot be read counts as wrong, or the end of the input as an answer.
TEST(Quiz, AsksAgainAndExplains) {
  const QuizQuestion question{
      .text = "How many?", .explanation = "2 * 3 = 6.", .answer = 6, .unit = "", .words = {}, .within = 0};
  std::vector<std::string> lines = {"six", "6", "5", ""};
  size_t next = 0;
  std::string said;
  const auto answers = ask_quiz(
      {question, question, question, question}, [&](const std::string& text) { said += text + "\n"; },
      [&]() -> std::optional<std::string> {
        return next < lines.size() ? std::optional(lines[next++]) : std::nullopt;
      });
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_TRUE(answers[0].right);
  EXPECT_FALSE(answers[1].right);
  EXPECT_EQ(answers[2].given, "");
  for (const char* part : {"a number is asked for", "Right. 2 * 3 = 6.", "No. 2 * 3 = 6.", "Skipped. "})
    EXPECT_NE(said.find(part), std::string::npos) << part;
}

// Breaks when a mistake in a quiz has no sentence with its place.
TEST(Quiz, MistakesNameTheFileAndTheQuestion) {
  const fs::path file = fs::temp_directory_path() / ("quiz-" + std::to_string(getpid())) / "quiz.toml";
  fs::create_directories(file.parent_path());
  const auto complaint = [&](const std::string& question) -> std::string {
    write_file(file, "[[question]]\n" + question);
    try {
      quiz_of(file, 1, kGpus);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const std::string end = "\nexplain = \"so\"\n";
  EXPECT_NE(complaint("ask = \"{m}?\"\nanswer = \"1\"" + end).find("{m}"), std::string::npos);
  EXPECT_NE(complaint("ask = \"?\"\nanswer = \"n + 1\"" + end).find("there is no n"), std::string::npos);
  EXPECT_NE(complaint("ask = \"?\"" + end).find("answer"), std::string::npos);
  EXPECT_NE(complaint("ask = \"?\"\nanswer = \"2\"\nwords = [\"a\"]" + end).find("none of the words"),
            std::string::npos);
  EXPECT_NE(complaint("ask = \"?\"\nanswer = \"1\"\nanswers = 1" + end).find("answers"), std::string::npos);
  fs::remove_all(file.parent_path());
}

}  // namespace
}  // namespace roofline::grader
