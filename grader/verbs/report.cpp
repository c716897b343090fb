// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/report/report.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/box/process.h"
#include "grader/formats/read_json.h"
#include "grader/report/report_data.h"
#include "grader/text/terminal.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

ReportData from_file(const std::vector<Lab>& labs, const fs::path& file) {
  require_file(file);
  try {
    return report_of_results(labs, results_from_json(read_file(file)),
                             "Results in " + file.filename().string());
  } catch (const std::runtime_error& error) {
    throw UsageError(file.string() + ": " + error.what());
  }
}

/// Only where there is a person with a screen, unless it was asked for.
void open_in_browser(const fs::path& file, const std::string& how) {
  if (how == "no") return;
  const bool screen = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (how == "auto" && (!screen || isatty(STDOUT_FILENO) == 0)) return;
  bool opened = false;
  try {
    opened = run_command({"xdg-open", fs::absolute(file).string()}, {.limit = std::chrono::seconds(10)}).ok();
  } catch (const std::runtime_error&) {  // there is no xdg-open
  }
  if (!opened && how == "yes") throw InfrastructureError("xdg-open could not open " + file.string());
}

}  // namespace

int report_verb(const Paths& paths, const ReportRequest& request) {
  if (request.open != "auto" && request.open != "yes" && request.open != "no")
    throw UsageError("--open is auto, yes or no, not \"" + request.open + "\"");
  if (!request.of.empty() && !request.labs.empty())
    throw UsageError("--of takes the labs that are in the file; leave LAB out");
  const std::vector<Lab>& labs = all_labs();
  const std::vector<Chosen> chosen = request.labs.empty() ? all_parts(labs) : select(labs, request.labs);
  ReportData data = request.of.empty() ? report_of_attempts(paths, chosen) : from_file(labs, request.of);
  data.of_some = !request.labs.empty();
  const fs::path file = request.html.empty() ? paths.results() / "report.html" : request.html;
  require_place(file);
  write_file(file, report_page(data));
  size_t attempts = 0;
  for (const ReportPart& part : data.parts) attempts += part.attempts.size();
  std::printf("  report  %s  (%zu attempt%s)\n", paths.shown(file).c_str(), attempts,
              attempts == 1 ? "" : "s");
  const NextStep next = next_step(data);
  if (!next.command.empty()) std::printf("  next    %s\n", next.command.c_str());
  open_in_browser(file, request.open);
  return 0;
}

}  // namespace roofline::grader
