// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/exam.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include "grader/base/error.h"
#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/lab/selection.h"
#include "grader/verbs/drawn_gpus.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {

int exam_verb(const Paths& paths, const ExamRequest& request) {
  if (!request.out.empty()) require_place(request.out);
  std::uint64_t seed = request.seed;
  while (seed == 0) seed = std::random_device{}();
  std::vector<ExamQuestion> questions = exam_questions(seed, drawn_gpus(paths));
  if (!request.labs.empty()) {
    std::vector<std::string> wanted;
    const std::vector<Lab>& labs = all_labs();  // a part points into them
    for (const Chosen& part : select(labs, request.labs)) wanted.push_back(part.id().substr(0, 2));
    std::erase_if(questions, [&](const ExamQuestion& question) {
      return std::ranges::find(wanted, question.id.substr(0, 2)) == wanted.end();
    });
  }
  if (questions.empty()) throw UsageError("the bank has no question about these labs");
  const std::string paper = exam_paper(questions, seed, request.key);
  if (request.out.empty())
    std::fputs(paper.c_str(), stdout);
  else
    write_file(request.out, paper);
  if (request.seed == 0)
    std::fprintf(stderr, "The answers: the same command with --seed %llu --key\n",
                 static_cast<unsigned long long>(seed));
  return 0;
}

}  // namespace roofline::grader
