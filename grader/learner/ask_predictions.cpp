// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/ask_predictions.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "grader/base/file.h"
#include "grader/base/units.h"
#include "grader/base/words.h"
#include "grader/judge/answer.h"
#include "grader/judge/prediction.h"

namespace roofline::grader {
namespace {

/// As TOML has it: "5", "0.25" and "1e9", not ".25", "5." or "+5".
std::string as_number(const std::string& text) {
  return format_number("%.12g", std::strtod(text.c_str(), nullptr));
}

/// Where the value of `key = value` stands: begin and end; npos where the line is another one.
std::pair<size_t, size_t> value_in(const std::string& line, const std::string& key) {
  constexpr size_t kNone = std::string::npos;
  size_t at = line.find_first_not_of(" \t");
  if (at == kNone || line.compare(at, key.size(), key) != 0) return {kNone, kNone};
  at = line.find_first_not_of(" \t", at + key.size());
  if (at == kNone || line[at] != '=') return {kNone, kNone};
  const size_t begin = std::min(line.find_first_not_of(" \t", at + 1), line.size());
  const bool quoted = begin < line.size() && line[begin] == '"';
  const size_t end = quoted ? std::min(line.find('"', begin + 1), line.size() - 1) + 1
                            : std::min(line.find_first_of(" \t#", begin), line.size());
  return {begin, end};
}

}  // namespace

std::string with_answer(const std::string& text, const std::string& key, const std::string& answer) {
  const std::string value = plain_number(answer) ? as_number(answer) : "\"" + answer + "\"";
  std::string out;
  bool done = false;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (const auto [from, to] = value_in(line, key); !done && from != std::string::npos) {
      // A comment stays in its column where there is room.
      const size_t comment = line.find('#', to);
      std::string rest = line.substr(to);
      if (comment != std::string::npos) {
        const size_t width = from + value.size();
        rest = std::string(comment > width ? comment - width : 1, ' ') + line.substr(comment);
      }
      line = line.substr(0, from) + value + rest;
      done = true;
    }
    out += line + (end < text.size() ? "\n" : "");
    begin = end + 1;
  }
  if (done) return out;
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  return out + key + " = " + value + "\n";
}

std::string complaint_about(const Prediction& asked, const std::string& line) {
  if (asked.word.empty())
    return number_in(line, asked.unit) && line.find_first_of("\"\\") == std::string::npos
               ? ""
               : "a number is asked for" + (asked.unit.empty() ? "" : ", in " + asked.unit) +
                     "; Enter skips the question";
  for (const char c : line)
    if (std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '-' && c != ' ')
      return "one word is asked for; Enter skips the question";
  return {};
}

unsigned ask_predictions(const std::vector<Prediction>& asked, const std::filesystem::path& file,
                         const std::function<void(const std::string&)>& say,
                         const std::function<std::optional<std::string>()>& read_line) {
  const std::vector<Prediction> open = unanswered(asked, file);
  if (open.empty()) return 0;
  say("Before the first run: what do you expect? Enter skips a question; answers go to " +
      file.filename().string() + ".\n");
  unsigned answers = 0;
  for (size_t i = 0; i < open.size();) {
    const Prediction& question = open[i];
    say("  " + std::to_string(i + 1) + "/" + std::to_string(open.size()) + "  " + question.question +
        (question.unit.empty() ? "" : " [" + question.unit + "]") + "\n       > ");
    const auto line = read_line();
    if (!line) break;
    const std::string answer = trimmed(*line);
    if (answer.empty()) {
      ++i;
      continue;
    }
    if (const std::string complaint = complaint_about(question, answer); !complaint.empty()) {
      say("       " + complaint + "\n");
      continue;
    }
    std::error_code ignored;
    write_file(file, with_answer(std::filesystem::exists(file, ignored) ? read_file(file) : "", question.key,
                                 answer));
    ++answers;
    ++i;
  }
  say("\n");
  return answers;
}

}  // namespace roofline::grader
