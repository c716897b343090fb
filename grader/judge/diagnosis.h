// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/result/result.h"

/// What a learner says about programs without source, and whether it is true. Nobody wrote the answers down:
/// the judge runs each program again on a simulated GPU one number of which was changed.
namespace roofline::grader {

/// What a program may wait for.
struct Regime {
  std::string word;
  std::string change;  ///< of the GPU, as behind the comma of --device: that twice as good
};

/// The last one, starved, waits for nothing of the GPU: its change is all others'.
const std::vector<Regime>& regimes();
const Regime* find_regime(std::string_view word);

/// Where these experiments are made.
constexpr const char* kDiagnosisDevice = "a100-sxm4-40gb";

/// A program waits for what makes it so many times as fast when it is twice as good. Half of the
/// time is 1.33; the programs are made so that their own regime gives at least 1.4 and every other one less
/// than 1.2.
constexpr double kBound = 1.3;

/// An answer within this factor is right: that reads a share of the time to a sixth, and still keeps "no
/// change", 1, from a half of the time, 1.33, and that from 1.77, as good as twice.
constexpr double kNear = 1.15;

/// So many of the twelve programs pass.
constexpr unsigned kDiagnosed = 9;

/// What is asked of every program, in numbers.
struct Figure {
  std::string_view key, question;
  std::string_view change;  ///< of the GPU; empty: twice the data
};
constexpr std::array<Figure, 4> kFigures = {
    {{"n", "how many times as long it takes with twice the data", ""},
     {"clock", "how many times as fast it is at twice the clock", "clock_mhz=2820"},
     {"dram", "how many times as fast it is with twice the memory bandwidth", "dram_gbps=3110"},
     {"link", "how many times as fast it is with a link of twice the bandwidth",
      "pinned_gbps=50,pageable_gbps=20"}}};

/// Of one program.
struct Diagnosis {
  std::string regime;  ///< empty: no answer yet
  std::array<std::optional<double>, kFigures.size()> figures{};
  unsigned line = 0;  ///< in the file
};

struct DiagnosisFile {
  std::uint64_t draw = 0;  ///< which programs; 0: none were given out yet
  std::vector<Diagnosis> programs;
};

/// A file of answers about `count` programs. Throws UsageError, with `name` and the line, for one that says
/// something else; an answer that is missing, or "", is none yet.
DiagnosisFile read_diagnosis(const std::string& text, const std::string& name, unsigned count);

/// The same file before anybody answered; with a draw of 0 it is what a learner is handed.
std::string unanswered_diagnosis(std::uint64_t draw, unsigned count);

/// "01" is the first program.
std::string program_number(size_t index);

/// Simulated seconds of a program on the device with this change, with `times` as much data.
using TimeProgram = std::function<double(std::string_view change, unsigned times)>;

/// Runs the experiments that decide about the answers, each of them once.
Check judge_diagnosis(size_t index, const Diagnosis& said, const TimeProgram& time);

}  // namespace roofline::grader
