// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/diagnosis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "grader/base/error.h"
#include "grader/base/file.h"
#include "grader/base/toml.h"

namespace roofline::grader {
namespace {

std::string refusal(const std::string& text) {
  try {
    (void)read_diagnosis(text, "diagnosis.toml", 12);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "read";
}

TEST(Diagnosis, ReadsWhatItWrites) {
  const DiagnosisFile file = read_diagnosis(unanswered_diagnosis(4711, 12), "diagnosis.toml", 12);
  EXPECT_EQ(file.draw, 4711U);
  ASSERT_EQ(file.programs.size(), 12U);
  for (const Diagnosis& said : file.programs) {
    EXPECT_TRUE(said.regime.empty());
    for (const auto& figure : said.figures) EXPECT_FALSE(figure);
  }
}

TEST(Diagnosis, ReadsAnswersInAnyForm) {
  const DiagnosisFile file = read_diagnosis(
      "draw = 1\n02 = { regime = \"l2\", n = 2, clock = \"1.5\", dram = 1.25 }\n[12]\nregime = \"sync\"\n",
      "d", 12);
  EXPECT_EQ(file.programs[1].regime, "l2");
  EXPECT_EQ(file.programs[1].figures[0], 2);
  EXPECT_EQ(file.programs[1].figures[1], 1.5);
  EXPECT_EQ(file.programs[1].figures[2], 1.25);
  EXPECT_FALSE(file.programs[1].figures[3]);
  EXPECT_EQ(file.programs[11].regime, "sync");
  EXPECT_TRUE(file.programs[0].regime.empty());
}

// Breaks when a slip is taken for an answer, or its sentence does not say where it is.
TEST(Diagnosis, SlipsNameTheirLine) {
  EXPECT_EQ(refusal("draw = 1\n01 = { regime = \"gpu\" }\n"),
            "diagnosis.toml line 2: 01.regime is none of fp32, tensor, dram, l2, latency, conflicts, "
            "atomics, launch, "
            "sync, link, faults, starved");
  EXPECT_EQ(refusal("draw = 1\n\n[03]\nregime = \"l2\"\nclock = \"fast\"\n"),
            "diagnosis.toml line 5: 03.clock is a number above 0, such as 1.6, or \"\" for no answer yet");
  for (const char* number : {"0", "-1", "nan", "inf", "true", "[1]", "\"-2\""})
    EXPECT_NE(refusal(std::string("draw = 1\n01 = { n = ") + number + " }\n")
                  .find("line 2: 01.n is a number above 0"),
              std::string::npos)
        << number;
  EXPECT_NE(refusal("draw = 1\n13 = { regime = \"l2\" }\n").find("line 2: 13 is not known"),
            std::string::npos);
  EXPECT_NE(
      refusal("draw = 1\n01 = { speed = 2 }\n").find("line 2: 01.speed is not known; known are regime, n"),
      std::string::npos);
  EXPECT_NE(refusal("draw = 1\n01 = 3\n").find("line 2: 01"), std::string::npos);
  EXPECT_NE(refusal("01 = { regime = \"l2\" }\n").find("draw is the number"), std::string::npos);
  for (const char* draw : {"1.5", "1e12"})
    EXPECT_NE(refusal(std::string("draw = ") + draw + "\n").find("line 1: draw is the number"),
              std::string::npos)
        << draw;
  EXPECT_NE(refusal("draw = -1\n"), "read");
  EXPECT_NE(refusal(std::string(20'000, '#')).find("larger than 16 KiB"), std::string::npos);
  EXPECT_NE(refusal("draw = 1\n01 = {\n").find("diagnosis.toml line "), std::string::npos);
}

/// A program that takes 100 simulated us, of which `share` goes to what `limit` makes faster.
TimeProgram program(std::string limit, double share) {
  return [limit, share](std::string_view change, unsigned times) {
    const bool helps = !limit.empty() && change.find(limit) != std::string_view::npos;
    return 1e-4 * times * (helps ? 1 - share / 2 : 1);
  };
}

Diagnosis said(const std::string& regime, double n, double clock, double dram, double link) {
  return {.regime = regime, .figures = {n, clock, dram, link}, .line = 2};
}

TEST(Diagnosis, ExperimentsDecide) {
  const TimeProgram memory = program("dram_gbps", 0.75);  // 1 / (1 - 0.375) = 1.6 times as fast
  EXPECT_EQ(judge_diagnosis(0, said("dram", 2, 1, 1.6, 1), memory).verdict, Verdict::kPass);
  const Check other = judge_diagnosis(2, said("l2", 2, 1, 1.6, 1), memory);
  EXPECT_EQ(other.id, "program-03");
  EXPECT_EQ(other.verdict, Verdict::kFail);
  EXPECT_EQ(other.reason, Class::kWrongPrediction);
  EXPECT_NE(other.message.find("l2 is not it"), std::string::npos) << other.message;
  EXPECT_NE(other.message.find("1.00 times as fast, simulated"), std::string::npos) << other.message;
  const Check figures = judge_diagnosis(0, said("dram", 1, 1, 2, 1), memory);
  EXPECT_EQ(figures.verdict, Verdict::kFail);
  EXPECT_NE(figures.message.find("But n 1 is too small, dram 2 is too large"), std::string::npos)
      << figures.message;
  EXPECT_EQ(judge_diagnosis(0, said("starved", 2, 1, 1.6, 1), memory).verdict, Verdict::kFail);
  EXPECT_EQ(judge_diagnosis(0, said("starved", 2, 1, 1, 1), program("", 0)).verdict, Verdict::kPass);
  EXPECT_EQ(judge_diagnosis(0, said("link", 2, 1, 1, 1), program("", 0)).verdict, Verdict::kFail);
}

TEST(Diagnosis, WhatIsNotAnsweredIsNotRight) {
  const TimeProgram never = [](std::string_view, unsigned) -> double { throw std::logic_error("was run"); };
  const Check none = judge_diagnosis(0, {}, never);
  EXPECT_EQ(none.verdict, Verdict::kSkipped);
  EXPECT_EQ(none.reason, Class::kNotAnswered);
  Diagnosis half = said("dram", 2, 1, 1.6, 1);
  half.figures[3].reset();
  const Check incomplete = judge_diagnosis(0, half, program("dram_gbps", 0.75));
  EXPECT_EQ(incomplete.verdict, Verdict::kFail);
  EXPECT_NE(incomplete.message.find("link has no answer"), std::string::npos) << incomplete.message;
}

/// The value of a key in the device's file: `key = [value, "source"]`.
double value_of(const std::string& key) {
  static const toml::table device = toml::parse_file(
      std::string(ROOFLINE_SOURCE) + "/common/simulator/devices/" + kDiagnosisDevice + ".toml");
  return device[key][0].value<double>().value_or(0);
}

// Breaks when a device file changes and "twice as much" is no longer that; and when the page says other
// changes.
TEST(Diagnosis, EachChangeIsAFactorOfTwoAndOnThePage) {
  const std::string page = read_file(std::string(ROOFLINE_SOURCE) + "/labs/14-detective/README.md");
  std::vector<std::pair<std::string, std::string>> changes;
  for (const Regime& regime : regimes()) changes.emplace_back(regime.word, regime.change);
  for (const Figure& figure : kFigures) changes.emplace_back(figure.key, figure.change);
  for (const auto& [word, change] : changes) {
    if (word == "starved") continue;
    EXPECT_TRUE(change.empty() || page.find("`" + change + "`") != std::string::npos)
        << word << ": " << change;
    std::istringstream list(change);
    for (std::string one; std::getline(list, one, ',');) {
      const size_t equals = one.find('=');
      const double ratio = std::stod(one.substr(equals + 1)) / value_of(one.substr(0, equals));
      EXPECT_TRUE(std::abs(ratio - 2) < 1e-9 || std::abs(ratio - 0.5) < 1e-9)
          << word << ": " << one << " " << ratio;
    }
  }
}

}  // namespace
}  // namespace roofline::grader
