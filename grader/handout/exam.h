// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "grader/lab/drawn.h"

/// Exam questions about the labs. Their numbers are drawn from a seed, so every class, or every student, can
/// have other ones; the answers are computed from the same numbers.
namespace roofline::grader {

using ExamGpu = DrawnGpu;

struct ExamQuestion {
  std::string id;      ///< "01-sectors": the lab and the subject
  std::string text;    ///< Markdown
  std::string answer;  ///< Markdown: the derivation and, in bold, the result
};

/// Every question of the bank with numbers from `seed`, in the order of the labs. What one question draws
/// does not depend on the others. `gpus`: at least one.
std::vector<ExamQuestion> exam_questions(std::uint64_t seed, const std::vector<ExamGpu>& gpus);

/// The paper as Markdown; `key`: with the answers. The seed is named only in the key: from the seed and this
/// program follow the answers.
std::string exam_paper(const std::vector<ExamQuestion>& questions, std::uint64_t seed, bool key);

}  // namespace roofline::grader
