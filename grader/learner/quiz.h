// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/lab/drawn.h"

/// The questions of labs/NN-name/quiz.toml (docs/add-a-lab.md): their numbers are drawn, and the answers are
/// computed from the same numbers.
namespace roofline::grader {

struct QuizQuestion {
  std::string text, explanation;  ///< with the numbers
  double answer = 0;
  std::string unit;                ///< of the answer; empty: a plain number
  std::vector<std::string> words;  ///< the answer is the one at index `answer`; empty: it is a number
  double within = 0;               ///< relative

  /// Empty where `line` can be an answer; else what is asked for.
  std::string complaint(const std::string& line) const;
  bool accepts(const std::string& line) const;
  std::string answer_text() const;
};

/// Throws UsageError, with the file and the line, for a file that says something else.
/// `known`: numbers that its formulas and texts may name.
std::vector<QuizQuestion> quiz_of(const std::filesystem::path& file, std::uint64_t seed,
                                  const std::vector<DrawnGpu>& gpus,
                                  const std::map<std::string, double>& known = {});

/// What became of one question.
struct QuizAnswer {
  std::string given;  ///< empty: skipped
  bool right = false;
};

/// Asks one after the other and explains each. `say` prints; `read_line` gives the next line, nothing at its
/// end. An empty line skips a question.
std::vector<QuizAnswer> ask_quiz(const std::vector<QuizQuestion>& questions,
                                 const std::function<void(const std::string&)>& say,
                                 const std::function<std::optional<std::string>()>& read_line);

}  // namespace roofline::grader
