// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/run/run_report.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "grader/base/paths.h"
#include "grader/formats/counters_json.h"
#include "grader/formats/sarif.h"
#include "grader/profile/advisor.h"
#include "grader/profile/check_report.h"
#include "grader/profile/explain.h"
#include "grader/profile/kernel_table.h"
#include "grader/profile/listing.h"

namespace roofline::grader {
namespace {

void write_file(const std::filesystem::path& file, const std::string& text) {
  if (file == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return;
  }
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw UsageError(file.string() + " cannot be written: " + std::strerror(errno));
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void print_counters(const ProgramProfile& program, const std::vector<Finding>& advice, const std::string& who,
                    const std::string& device, bool with_advice) {
  const Terminal terminal = Terminal::of(STDERR_FILENO);
  print("\n" + who + device + ", simulated\n" + kernel_table(program.region, terminal));
  print(headline(program, terminal));
  print(listing(program, terminal));
  if (program.kernels.empty() || !with_advice) return;
  print(advice.empty() ? "\n  Advice: none; no line wastes much.\n"
                       : "\n" + terminal.paint(Colour::kBold, "Advice") +
                             ", the largest estimated gain first (simulated)\n" +
                             findings_text(advice, program, terminal));
}

}  // namespace

void report_run(const RunOptions& options, const std::string& device, std::vector<ProcessRun>& runs,
                int exit_status) {
  std::fflush(stdout);
  if (!options.explain.empty())
    print(explanation(best_of(runs, &ProcessRun::followed), Terminal::of(STDERR_FILENO),
                      options.explain_limit));
  if (!options.counters && options.json.empty() && options.sarif.empty()) return;
  const auto description = sim::load_device(options.simulator / "devices", device);
  std::vector<RunDocument> documents;
  std::vector<Finding> all;
  for (ProcessRun& run : runs) {
    RunDocument& document = documents.emplace_back();
    document.program = profile_of(std::move(run.region), std::move(run.lines), description);
    document.process = run.id;
    document.command = run.command;
    document.findings = as_findings(run.findings);
    const std::vector<Finding> advice = advise(document.program);
    if (options.counters) print_counters(document.program, advice, run.prefix(), device, options.advice);
    document.findings.insert(document.findings.end(), advice.begin(), advice.end());
    all.insert(all.end(), document.findings.begin(), document.findings.end());
  }
  if (!options.json.empty()) write_file(options.json, run_json(documents, options.program, exit_status));
  if (options.sarif.empty()) return;
  std::vector<std::pair<std::string, std::string>> rules;
  for (const AdviceRule& rule : all_advice_rules()) rules.emplace_back(rule.id, rule.title);
  write_file(options.sarif, sarif(all, rules, std::filesystem::current_path()));
}

}  // namespace roofline::grader
