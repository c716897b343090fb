// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <future>
#include <map>
#include <string>
#include <utility>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/formats/json.h"
#include "grader/formats/wishes.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/workbench.h"
#include "grader/lab/hidden.h"
#include "grader/learner/current.h"
#include "grader/learner/own_grade.h"
#include "grader/learner/progress_file.h"
#include "grader/result/result_text.h"
#include "grader/result/sweep_figure.h"
#include "grader/verbs/submitted.h"
#include "grader/verbs/verbs.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// Writes the curves of every sweep and says where.
std::string write_figures(const Result& result, const GradeRequest& request, const Paths& paths) {
  std::string text;
  for (const SweepResult& sweep : result.sweeps) {
    const std::string figure = sweep_svg(sweep, result.device);
    if (figure.empty()) continue;
    const std::string device = result.device.simulated ? "sim-" + sim::plain_device(result.device.id) +
                                                             (result.device.changed() ? "-changed" : "")
                                                       : "gpu";
    const std::string which = result.lab.ends_with("-" + sweep.id) ? "" : "-" + sweep.id;
    const fs::path file = paths.results() / (result.lab + which + "-" + device +
                                             (request.solution ? "-solution" : "") + ".svg");
    write_file(file, figure);
    text += "  curves  " + paths.shown(file) + "\n";
  }
  return text;
}

/// One for each device that the parts are graded on.
class Workbenches {
 public:
  Workbenches(const Paths& paths, std::string device, Sandbox sandbox)
      : paths_(paths), device_(std::move(device)), sandbox_(sandbox) {
    at(device_);  // a device that does not exist is refused before anything is graded
  }
  Workbench& of(const Chosen& part) { return at(device_for(*part.part, device_, paths_.simulator())); }

 private:
  Workbench& at(const std::string& device) {
    return benches_.try_emplace(device, paths_, device, sandbox_).first->second;
  }

  Paths paths_;
  std::string device_;
  Sandbox sandbox_;
  std::map<std::string, Workbench> benches_;
};

/// What the request names must be there before anything is graded.
void require_given(const GradeRequest& request) {
  if (request.solution && !request.file.empty())
    throw UsageError("--solution and --file name two different files to grade; give one of them");
  if (request.quick && (!request.json.empty() || !request.formats.empty() || !request.hidden.empty() ||
                        !request.submission.empty()))
    throw UsageError(
        "a quick grade is kept nowhere and exported nowhere: leave --quick out, or --json, --format, "
        "--hidden "
        "and --submission");
  if (request.device.find(',') != request.device.npos &&
      (!request.formats.empty() || !request.submission.empty()))
    throw UsageError("a grade on " + request.device +
                     ", a GPU whose numbers were changed, is an experiment and exported nowhere: leave "
                     "--format and --submission out; --json says what was changed");
  if (request.compile && (request.quick || !request.json.empty() || !request.formats.empty() ||
                          !request.hidden.empty() || !request.submission.empty()))
    throw UsageError(
        "what is only compiled has no result: leave --compile out, or --quick, --json, --format, "
        "--hidden and --submission");
  std::error_code ignored;
  if (!request.submission.empty() && !fs::is_directory(request.submission, ignored))
    throw UsageError(fs::exists(request.submission, ignored)
                         ? request.submission.string() +
                               " is a file; --submission takes a folder, --file a file"
                         : "there is no folder " + request.submission.string());
  if (!request.json.empty() && request.json != "-") require_place(request.json);
}

/// Whether each compiles; what does is in the cache then.
int compile_all(Workbenches& workbenches, const std::vector<Chosen>& chosen,
                const std::vector<Submission>& submissions) {
  bool all = true;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const Check built = workbenches.of(chosen[i]).compile(chosen[i], submissions[i]);
    all = all && built.verdict == Verdict::kPass;
    std::printf("  %s %s\n", chosen[i].id().c_str(),
                built.verdict == Verdict::kPass ? "compiles" : built.message.c_str());
  }
  return all ? 0 : 1;
}

}  // namespace

int grade_verb(const Paths& paths, const GradeRequest& request) {
  require_given(request);
  std::vector<FormatWish> wishes = wishes_of(request.formats);
  std::vector<Lab> labs = all_labs();  // a copy, for hidden cases
  const std::uint64_t seed =
      request.hidden.empty() ? request.seed : add_hidden(labs, request.hidden, request.seed);
  ProgressFile progress(paths.state / "progress.json");
  std::vector<Chosen> chosen = select(labs, request.labs);
  if (chosen.empty()) chosen = {current_part(labs, progress)};
  if (!request.file.empty() && chosen.size() != 1) {
    const bool parts = request.labs.size() == 1 && request.labs[0] != "all";
    throw UsageError("--file needs the one " +
                     (parts ? "part that the file is for; " + request.labs[0] + " has " +
                                  std::to_string(chosen.size()) + " of them"
                            : std::string("lab that the file is for")) +
                     ", for example: ./lab grade " + (parts ? chosen[0].id() : "01") + " --file " +
                     request.file.string());
  }
  std::vector<Submission> submissions;
  for (const Chosen& part : chosen) submissions.push_back(submission_for(part, request, paths));

  const bool json_to_stdout = request.json == "-";
  if (!request.json.empty() && !json_to_stdout)
    wishes.insert(wishes.begin(), {&format_named("json"), request.json});
  std::FILE* const out = json_to_stdout ? stderr : stdout;
  const Terminal terminal = Terminal::of(fileno(out));
  require_sandbox(request.sandbox);
  if (request.sandbox == Sandbox::kContainer) {
    close_course(paths);
    close_to_others({request.hidden});
  }
  Workbenches workbenches(paths, request.device, request.sandbox);
  if (request.compile) return compile_all(workbenches, chosen, submissions);
  std::vector<Result> results;
  const auto grade = [&](const Chosen& part, const Submission& submission) {
    Workbench& workbench = workbenches.of(part);
    return request.quick ? workbench.grade_briefly(part, submission, seed)
                         : workbench.grade(part, submission, seed);
  };
  if (terminal.interactive && !request.quick && request.submission.empty())
    std::fputs(
        expected_time(chosen, paths, [&](const Chosen& part) { return workbenches.of(part).device_record(); })
            .c_str(),
        out);
  const bool own = !request.solution && request.file.empty() && request.submission.empty();
  std::future<void> next;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (own && !json_to_stdout) ask_before_the_first(chosen[i], paths);
    const std::string source = own ? read_file(submissions[i].source) : std::string();
    if (next.valid()) next.wait();
    if (i + 1 < chosen.size())
      next = workbenches.of(chosen[i + 1]).compile_ahead(chosen[i + 1], submissions[i + 1]);
    const Result& result = results.emplace_back(grade(chosen[i], submissions[i]));
    std::string text = (i ? "\n" : "") + result_text(result, terminal);
    if (!request.quick) text += write_figures(result, request, paths);
    text += own ? after_own_grade(chosen[i], result, source, request.quick, progress, paths, terminal)
                : steps_of_one(result, terminal);
    std::fputs(text.c_str(), out);
    std::fflush(out);
  }
  if (results.size() > 1) std::fprintf(out, "\n%s", summary_text(results, terminal).c_str());
  if (json_to_stdout) std::fputs(to_json(results).c_str(), stdout);
  write_wishes(wishes, results, paths, out);
  int status = 0;
  for (const Result& result : results) {
    const int one = exit_status(result);
    // A submission that did not pass outweighs a fault of ours: it is known.
    if (one == 1 || (one != 0 && status == 0)) status = one;
  }
  return status;
}

}  // namespace roofline::grader
