// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/quiz.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "grader/base/error.h"
#include "grader/base/formula.h"
#include "grader/base/given_file.h"
#include "grader/base/toml_table.h"
#include "grader/base/units.h"
#include "grader/base/words.h"
#include "grader/judge/answer.h"

namespace roofline::grader {
namespace {

constexpr double kWithin = 0.03;  ///< answers that were rounded to two digits are right

/// Sectors of 32 bytes that a warp touches when lane i takes element distance * i + offset.
double sectors(const std::vector<double>& of) {
  if (of.size() != 3) throw std::invalid_argument("sectors(distance, offset, bytes) takes three numbers");
  std::set<double> touched;
  for (int lane = 0; lane < 32; ++lane) touched.insert(std::floor((of[0] * lane + of[1]) * of[2] / 32));
  return static_cast<double>(touched.size());
}

/// Passes over shared memory when lane i takes the word distance * i.
double passes(const std::vector<double>& of) {
  if (of.size() != 1) throw std::invalid_argument("passes(distance) takes one number");
  std::vector<std::set<double>> banks(32);
  for (int lane = 0; lane < 32; ++lane)
    banks[static_cast<size_t>(std::fmod(of[0] * lane, 32))].insert(of[0] * lane);
  return static_cast<double>(std::ranges::max_element(banks, {}, &std::set<double>::size)->size());
}

/// One question on its way from the file to its numbers.
class Writer {
 public:
  Writer(const TomlTable& table, Draw draw, const std::map<std::string, double>& known)
      : table_(table), draw_(draw) {
    names_.values = known;
    names_.functions = {{"sectors", sectors}, {"passes", passes}};
  }

  QuizQuestion question() {
    table_.allow_only({"ask", "draw", "gpu", "let", "answer", "unit", "words", "within", "explain"});
    draw_gpu();
    draw_numbers();
    for (const std::string& line : table_.texts("let")) {
      const size_t equals = line.find(" = ");
      if (equals == std::string::npos) table_.refuse("let", "is a list of \"name = formula\"");
      names_.values[line.substr(0, equals)] = value_of("let", line.substr(equals + 3));
    }
    QuizQuestion made;
    made.answer = value_of("answer", needed("answer"));
    made.unit = table_.text("unit").value_or("");
    made.words = table_.texts("words");
    made.within = table_.number("within").value_or(kWithin);
    if (!made.words.empty() && !(made.answer >= 0 && made.answer < static_cast<double>(made.words.size())))
      table_.refuse("answer", "is the index of none of the words");
    names_.values["answer"] = made.answer;
    texts_["answer"] = made.answer_text();
    made.text = filled("ask");
    made.explanation = filled("explain");
    return made;
  }

 private:
  std::string needed(const std::string& key) const {
    const auto text = table_.text(key);
    if (!text || text->empty()) table_.refuse(key, "is missing");
    return *text;
  }

  double value_of(const std::string& key, const std::string& formula) const {
    double value = 0;
    try {
      value = evaluate(formula, names_);
    } catch (const std::invalid_argument& error) {
      table_.refuse(key, error.what());
    }
    if (!std::isfinite(value)) table_.refuse(key, "is no number: " + formula);
    return value;
  }

  void draw_gpu() {
    if (!table_.flag("gpu").value_or(false)) return;
    const DrawnGpu& gpu = draw_.gpu();
    texts_["gpu"] = gpu.name;
    names_.values["gbps"] = gpu.dram_gbps;
    names_.values["tflops"] = gpu.fp32_tflops;
    names_.values["tensor"] = gpu.tensor_tflops;
    names_.values["link"] = gpu.link_gbps;
    names_.values["sms"] = gpu.sms;
  }

  /// `n = [20, 21]` is one of them, `n = { from = 1, to = 9 }` a whole number between.
  void draw_numbers() {
    const auto drawn = table_.table("draw");
    if (!drawn) return;
    for (const std::string& name : drawn->keys()) {
      if (const toml::array* choices = drawn->node(name)->as_array(); choices != nullptr) {
        std::vector<double> values;
        for (const toml::node& each : *choices)
          if (const auto value = each.value<double>()) values.push_back(*value);
        if (values.empty() || values.size() != choices->size()) drawn->refuse(name, "is a list of numbers");
        names_.values[name] = draw_.one_of(values);
      } else {
        const auto range = drawn->table(name);
        const double from = range->number("from").value_or(0), to = range->number("to").value_or(-1);
        if (!(to >= from)) drawn->refuse(name, "is a list of numbers, or { from = 1, to = 9 }");
        names_.values[name] = draw_.between(static_cast<int>(from), static_cast<int>(to));
      }
    }
  }

  /// The text of a key with {name} replaced.
  std::string filled(const std::string& key) const {
    const std::string text = needed(key);
    std::string out;
    for (size_t at = 0; at < text.size();) {
      const size_t open = text.find('{', at), close = text.find('}', at);
      out += text.substr(at, std::min(open, text.size()) - at);
      if (open == std::string::npos) break;
      if (close == std::string::npos || close < open) table_.refuse(key, "has a { without a }");
      const std::string name = text.substr(open + 1, close - open - 1);
      const auto words = texts_.find(name);
      const auto value = names_.values.find(name);
      if (words == texts_.end() && value == names_.values.end()) table_.refuse(key, "names {" + name + "}");
      out += words != texts_.end() ? words->second : compact(value->second, 4);
      at = close + 1;
    }
    return out;
  }

  const TomlTable& table_;
  Draw draw_;
  FormulaNames names_;
  std::map<std::string, std::string> texts_;
};

}  // namespace

std::string QuizQuestion::complaint(const std::string& line) const {
  if (words.empty())
    return number_in(line, unit) ? "" : "a number is asked for" + (unit.empty() ? "" : ", in " + unit);
  if (std::ranges::any_of(words, [&](const std::string& word) { return is_word(line, word); })) return {};
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return "one of these words is asked for: " + list;
}

bool QuizQuestion::accepts(const std::string& line) const {
  if (!words.empty()) return is_word(line, words[static_cast<size_t>(answer)]);
  const auto said = number_in(line, unit);
  return said && std::abs(*said - answer) <= within * std::abs(answer) + 1e-12;
}

std::string QuizQuestion::answer_text() const {
  if (!words.empty()) return words[static_cast<size_t>(answer)];
  return compact(answer, 4) + (unit.empty() ? "" : " " + unit);
}

std::vector<QuizQuestion> quiz_of(const std::filesystem::path& file, std::uint64_t seed,
                                  const std::vector<DrawnGpu>& gpus,
                                  const std::map<std::string, double>& known) {
  const std::string name = file.parent_path().filename().string() + "/" + file.filename().string();
  const toml::table all = parse_toml(read_given(file), name);
  const toml::array* list = all["question"].as_array();
  if (list == nullptr) throw UsageError(name + " has no [[question]]");
  std::vector<QuizQuestion> questions;
  for (size_t i = 0; i < list->size(); ++i) {
    const toml::table* each = list->get(i)->as_table();
    if (each == nullptr) throw UsageError(name + ": a question is a table, [[question]]");
    const TomlTable table(*each, name, "question " + std::to_string(i + 1));
    questions.push_back(Writer(table, Draw(seed, name + std::to_string(i), gpus), known).question());
  }
  return questions;
}

std::vector<QuizAnswer> ask_quiz(const std::vector<QuizQuestion>& questions,
                                 const std::function<void(const std::string&)>& say,
                                 const std::function<std::optional<std::string>()>& read_line) {
  std::vector<QuizAnswer> answers(questions.size());
  for (size_t i = 0; i < questions.size(); ++i) {
    const QuizQuestion& question = questions[i];
    say(std::to_string(i + 1) + "/" + std::to_string(questions.size()) + "  " + question.text +
        (question.unit.empty() ? "" : " [" + question.unit + "]"));
    for (;;) {
      const std::optional<std::string> line = read_line();
      if (!line) {  // the end of the input: the others were not asked
        say("Skipped. " + question.explanation);
        return answers;
      }
      answers[i].given = trimmed(*line);
      if (answers[i].given.empty()) break;
      const std::string complaint = question.complaint(answers[i].given);
      if (complaint.empty()) break;
      say(complaint + "; Enter skips the question");
    }
    answers[i].right = !answers[i].given.empty() && question.accepts(answers[i].given);
    say((answers[i].right           ? "Right. "
         : answers[i].given.empty() ? "Skipped. "
                                    : "No. ") +
        question.explanation);
  }
  return answers;
}

}  // namespace roofline::grader
