// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/advisor.h"

#include <algorithm>

namespace roofline::grader {

void Advice::line(const KernelProfile& kernel, const LineProfile& line, double share_left,
                  std::string message) {
  Finding finding;
  finding.kernel = kernel.name;
  finding.message = std::move(message);
  finding.gain_seconds = kernel.seconds * std::clamp(1 - share_left, 0.0, 1.0);
  if (line.file.empty()) {
    finding.where = "PTX line " + std::to_string(line.line) + ": " + line.instructions.front()->ptx;
  } else {
    finding.file = line.file;
    finding.line = line.line;
  }
  for (const auto& [file, number] : line.callers) finding.related.push_back({"inlined here", file, number});
  found.push_back(std::move(finding));
}

void Advice::kernel(const KernelProfile& kernel, double share_left, std::string message) {
  if (const LineProfile* head = kernel.head(); head != nullptr && kernel.has_lines) {
    line(kernel, *head, share_left, std::move(message));
    found.back().related.clear();
    return;
  }
  Finding finding;
  finding.kernel = kernel.name;
  finding.message = std::move(message);
  finding.gain_seconds = kernel.seconds * std::clamp(1 - share_left, 0.0, 1.0);
  found.push_back(std::move(finding));
}

void Advice::program(double seconds_saved, std::string message) {
  Finding finding;
  finding.message = std::move(message);
  finding.gain_seconds = seconds_saved;
  found.push_back(std::move(finding));
}

std::vector<AdviceRule> all_advice_rules() {
  std::vector<AdviceRule> rules;
  for (const auto& chapter : {memory_rules(), kernel_rules(), program_rules()})
    rules.insert(rules.end(), chapter.begin(), chapter.end());
  return rules;
}

std::vector<Finding> advise(const ProgramProfile& program) {
  std::vector<Finding> all;
  for (const AdviceRule& rule : all_advice_rules()) {
    Advice advice;
    rule.apply(program, advice);
    for (Finding& finding : advice.found) {
      finding.rule = rule.id;
      finding.title = rule.title;
      finding.check = "advice";
      finding.level = Finding::Level::kWarning;
      all.push_back(std::move(finding));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Finding& a, const Finding& b) { return a.gain_seconds > b.gain_seconds; });
  return all;
}

}  // namespace roofline::grader
