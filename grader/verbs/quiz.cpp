// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/quiz.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/lab/selection.h"
#include "grader/learner/current.h"
#include "grader/text/keys.h"
#include "grader/text/table.h"
#include "grader/text/terminal.h"
#include "grader/verbs/drawn_gpus.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace {

std::string quiz_json(const std::string& lab, std::uint64_t seed, const std::vector<QuizQuestion>& questions,
                      const std::vector<QuizAnswer>& answers) {
  nlohmann::ordered_json json = {{"schema", "lab/quiz/v1"}, {"lab", lab}, {"seed", seed}};
  json["right"] = std::ranges::count_if(answers, &QuizAnswer::right);
  json["of"] = questions.size();
  json["questions"] = nlohmann::json::array();
  for (size_t i = 0; i < questions.size(); ++i)
    json["questions"].push_back({{"text", questions[i].text},
                                 {"given", answers[i].given},
                                 {"answer", questions[i].answer_text()},
                                 {"right", answers[i].right}});
  return json.dump(2) + "\n";
}

}  // namespace

int quiz_verb(const Paths& paths, const QuizRequest& request) {
  if (!request.json.empty()) require_place(request.json);
  const std::vector<Lab>& labs = all_labs();
  const Chosen part = request.lab.empty() ? current_part(labs, ProgressFile(paths.state / "progress.json"))
                                          : select(labs, {request.lab}).front();
  const std::string number = part.id().substr(0, 2);
  const std::filesystem::path file = part.folder(paths) / "quiz.toml";
  require_file(file, "; this lab has no quiz");
  std::uint64_t seed = request.seed;
  while (seed == 0) seed = std::random_device{}();
  const std::vector<QuizQuestion> questions = quiz_of(file, seed, drawn_gpus(paths));
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  const auto say = [&](const std::string& text) {
    for (const std::string& line : wrap(text, terminal.width - 2)) std::printf("  %s\n", line.c_str());
    std::printf("\n");
    std::fflush(stdout);
  };
  say("Quiz of lab " + number + ", " + std::to_string(questions.size()) +
      " questions, not graded. Two digits are enough, a unit may follow; Enter skips a question.");
  const std::vector<QuizAnswer> answers = ask_quiz(questions, say, [&] {
    if (isatty(STDIN_FILENO) == 1) std::printf("  > ");
    std::fflush(stdout);
    return read_line(STDIN_FILENO);
  });
  const auto right = static_cast<size_t>(std::ranges::count_if(answers, &QuizAnswer::right));
  say(std::to_string(right) + " of " + std::to_string(questions.size()) + " right, seed " +
      std::to_string(seed) + ". Other numbers: ./lab quiz " + number);
  if (!request.json.empty()) write_file(request.json, quiz_json(part.lab->folder, seed, questions, answers));
  return right == questions.size() ? 0 : 1;
}

}  // namespace roofline::grader
