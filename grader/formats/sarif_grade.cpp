// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// SARIF of a grade: what the compiler said, and every check that did not pass.
#include <algorithm>

#include "grader/build/diagnostics.h"
#include "grader/formats/format.h"
#include "grader/formats/sarif.h"

namespace roofline::grader {
namespace {

void add_compiler_errors(std::vector<Finding>& findings, const Check& check) {
  for (const Diagnostic& diagnostic : parse_diagnostics(check.message)) {
    Finding finding;
    finding.rule = name_of(check.reason);
    finding.title = "the compiler refuses it";
    finding.level = diagnostic.error ? Finding::Level::kError : Finding::Level::kWarning;
    finding.message = diagnostic.message;
    finding.check = "build";
    finding.file = diagnostic.file;
    finding.line = diagnostic.line;
    findings.push_back(std::move(finding));
  }
}

Finding of_check(const Result& result, const Check& check) {
  Finding finding;
  finding.rule = outcome(check);
  finding.title = "a check of " + std::string(name_of(check.kind)) + " did not pass: " + outcome(check);
  const bool decides = check.verdict == Verdict::kFail && check.kind != CheckKind::kPrediction;
  finding.level = decides ? Finding::Level::kError : Finding::Level::kWarning;
  finding.message = result.part + " " + check.label() +
                    (check.message.empty() ? "" : ": " + shortened(check.message, 4000));
  finding.check = name_of(check.kind);
  // A check that names no line is about the file that was graded.
  finding.file = check.line ? check.file : result.source_path;
  finding.line = check.line ? check.line : (result.source_path.empty() ? 0 : 1);
  return finding;
}

std::string sarif_of_grades(const std::vector<Graded>& all, const FormatOptions& options) {
  std::vector<Finding> findings;
  bool simulated = true;
  for (const Graded& graded : all) {
    for (const Result& result : graded.results) {
      simulated = simulated && result.device.simulated;
      for (const Check& check : result.checks) {
        if (check.verdict == Verdict::kPass || check.verdict == Verdict::kSkipped) continue;
        const size_t before = findings.size();
        if (check.kind == CheckKind::kBuild) add_compiler_errors(findings, check);
        if (findings.size() == before) findings.push_back(of_check(result, check));
      }
    }
  }
  return sarif(findings, {}, options.root, {.tool = "Roofline Labs grader", .simulated = simulated});
}

}  // namespace

Format sarif_format() {
  return {.name = "sarif",
          .what = "SARIF 2.1.0: compiler errors and failed checks, for editors and code hosts",
          .file = "results.sarif",
          .text = sarif_of_grades};
}

}  // namespace roofline::grader
