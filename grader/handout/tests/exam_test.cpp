// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/exam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <stdexcept>

namespace roofline::grader {
namespace {

const std::vector<ExamGpu> kGpus = {
    {.name = "G1", .dram_gbps = 1555, .fp32_tflops = 19.5, .tensor_tflops = 312, .link_gbps = 25, .sms = 108},
    {.name = "G2", .dram_gbps = 320, .fp32_tflops = 8.1, .tensor_tflops = 65, .link_gbps = 12.5, .sms = 40}};

const ExamQuestion& find(const std::vector<ExamQuestion>& questions, const std::string& id) {
  for (const ExamQuestion& question : questions)
    if (question.id == id) return question;
  throw std::runtime_error("no question " + id);
}

/// The numbers of a text in their order, spaces in between and letters left out.
std::vector<double> numbers(const std::string& text) {
  static const std::regex kNumber("[0-9]+(\\.[0-9]+)?");
  std::vector<double> found;
  for (std::sregex_iterator it(text.begin(), text.end(), kNumber), end; it != end; ++it)
    found.push_back(std::stod(it->str()));
  return found;
}

/// What is in bold in an answer.
std::vector<std::string> results(const ExamQuestion& question) {
  static const std::regex kBold("\\*\\*([^*]+)\\*\\*");
  std::vector<std::string> found;
  for (std::sregex_iterator it(question.answer.begin(), question.answer.end(), kBold), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

// Breaks when a paper that was printed no longer fits the key of the same seed.
TEST(Exam, TheSameSeedGivesTheSamePaper) {
  EXPECT_EQ(exam_paper(exam_questions(7, kGpus), 7, true), exam_paper(exam_questions(7, kGpus), 7, true));
  EXPECT_NE(exam_paper(exam_questions(7, kGpus), 7, false), exam_paper(exam_questions(8, kGpus), 8, false));
  EXPECT_EQ(find(exam_questions(7, kGpus), "04-banks").text, find(exam_questions(7, kGpus), "04-banks").text);
}

// Breaks when a paper gives an answer or the seed away.
TEST(Exam, OnlyTheKeyHasAnswers) {
  const std::vector<ExamQuestion> questions = exam_questions(987654321, kGpus);
  const std::string paper = exam_paper(questions, 987654321, false),
                    key = exam_paper(questions, 987654321, true);
  EXPECT_EQ(paper.find("987654321"), std::string::npos);
  EXPECT_NE(key.find("987654321"), std::string::npos);
  for (const ExamQuestion& question : questions) {
    EXPECT_NE(paper.find(question.text), std::string::npos) << question.id;
    EXPECT_EQ(paper.find(question.answer), std::string::npos) << question.id;
    EXPECT_NE(key.find(question.answer), std::string::npos) << question.id;
  }
}

// Breaks when a lab has no question, or when some numbers make a question meaningless.
TEST(Exam, EveryLabIsAskedAboutAndEveryAnswerIsANumber) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::set<std::string> labs, ids;
    for (const ExamQuestion& question : exam_questions(seed, kGpus)) {
      labs.insert(question.id.substr(0, 2));
      EXPECT_TRUE(ids.insert(question.id).second) << question.id;
      EXPECT_FALSE(results(question).empty()) << question.id;
      for (const char* odd : {"nan", "inf", "-1", "e+"})
        EXPECT_EQ(question.answer.find(odd), std::string::npos) << question.id << ": " << question.answer;
    }
    EXPECT_EQ(labs, (std::set<std::string>{"01", "02", "03", "04", "05", "06"}));
  }
}

// Derived again from nothing but the words of the question, as a student does.
TEST(Exam, AnswersFollowFromTheQuestions) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<ExamQuestion> questions = exam_questions(seed, kGpus);
    const auto asked = [&](const char* id) {
      return numbers(std::regex_replace(find(questions, id).text, std::regex("G[12]|FP32"), ""));
    };
    const auto told = [&](const char* id, std::size_t i) {
      return numbers(results(find(questions, id)).at(i)).at(0);
    };

    const auto time = asked("01-least-time");  // GB/s, arrays read, 2, power, bytes
    const double us = (time.at(1) + 1) * std::exp2(time.at(3)) * time.at(4) / time.at(0) * 1e-3;
    EXPECT_NEAR(told("01-least-time", 0), us, 1e-3 * us);

    const auto load = asked("01-sectors");  // distance, offset, 128, width, 32
    std::set<double> sectors;
    for (int lane = 0; lane < 32; ++lane)
      sectors.insert(std::floor((load.at(0) * lane + load.at(1)) * load.at(3) / 32));
    EXPECT_EQ(told("01-sectors", 0), static_cast<double>(sectors.size()));
    EXPECT_NEAR(told("01-sectors", 1), 100.0 * load.at(3) / static_cast<double>(sectors.size()), 0.1);

    const auto ridge = asked("02-ridge");  // GB/s, TFLOP/s, bytes
    EXPECT_EQ(told("02-ridge", 1), std::floor(ridge.at(1) * 1e3 / ridge.at(0) * ridge.at(2) / 2));

    const auto once = asked("05-graph");  // kernels, stream, node, C
    const double replays = told("05-graph", 0), gain = once.at(0) * (once.at(1) - once.at(2));
    EXPECT_GT(replays * gain, once.at(3) - 1e-6);
    EXPECT_LE((replays - 1) * gain, once.at(3) + 1e-6);

    const auto step = asked("05-doubling");
    EXPECT_NEAR(told("05-doubling", 0), 100 * (2 * step.at(0) - step.at(1)) / step.at(0), 1e-6);

    const auto layers = asked("06-recompute");
    EXPECT_EQ(told("06-recompute", 0), 2 * std::sqrt(layers.at(0)) + 1);
  }
}

}  // namespace
}  // namespace roofline::grader
