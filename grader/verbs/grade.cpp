// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/formats/json.h"
#include "grader/formats/wishes.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/workbench.h"
#include "grader/lab/hidden.h"
#include "grader/lab/submission_file.h"
#include "grader/learner/ask_predictions.h"
#include "grader/learner/attempts.h"
#include "grader/learner/current.h"
#include "grader/learner/opened.h"
#include "grader/learner/progress_file.h"
#include "grader/learner/steps.h"
#include "grader/result/result_text.h"
#include "grader/result/sweep_figure.h"
#include "grader/text/keys.h"
#include "grader/verbs/verbs.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr int kDeepest = 4;  // folders that a submission's files may lie in

/// The prediction that goes with a file: the one beside it, else the learner's.
fs::path prediction_for(const Chosen& chosen, const fs::path& source, const Paths& paths) {
  const fs::path beside = fs::absolute(source).parent_path() / chosen.lab->prediction;
  std::error_code ignored;
  return fs::exists(beside, ignored) ? beside : chosen.folder(paths) / chosen.lab->prediction;
}

/// The regular file of this name in a submission, the one nearest to its root; links are not followed.
fs::path find_submitted(const fs::path& folder, const std::string& name) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    if (it.depth() >= kDeepest) it.disable_recursion_pending();
    if (it->path().filename() == name && fs::is_regular_file(it->symlink_status(error)))
      found.push_back(it->path());
  }
  const auto depth = [](const fs::path& path) { return std::distance(path.begin(), path.end()); };
  const auto nearest = std::ranges::min_element(found, [&](const fs::path& a, const fs::path& b) {
    return std::pair(depth(a), a) < std::pair(depth(b), b);
  });
  if (found.size() > 1)
    std::fprintf(stderr, "  note    %zu files are called %s; this one counts: %s\n", found.size(),
                 name.c_str(), printable(nearest->string()).c_str());
  return nearest == found.end() ? fs::path() : *nearest;
}

Submission submission_for(const Chosen& chosen, const GradeRequest& request, const Paths& paths) {
  Submission submission;
  if (!request.submission.empty()) {
    submission.source = find_submitted(request.submission, chosen.part->program.source);
    const fs::path beside = submission.source.parent_path() / chosen.lab->prediction;
    std::error_code ignored;
    submission.prediction =
        !submission.source.empty() && fs::is_regular_file(fs::symlink_status(beside, ignored))
            ? beside
            : find_submitted(request.submission, chosen.lab->prediction);
    return submission;
  }
  if (!request.file.empty()) {
    require_file(request.file);
    submission.source = submission_source(request.file, paths);
  } else if (request.solution) {
    submission.source = chosen.solution(paths);
    require_file(submission.source, "; a course repository for students comes without solutions");
  } else {
    submission.source = chosen.file(paths);
    require_file(submission.source, "; ./lab reset " + chosen.id() + " brings it back");
  }
  submission.prediction =
      prediction_for(chosen, request.file.empty() ? submission.source : fs::path(request.file), paths);
  return submission;
}

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

/// How long it may take: what it took the last time on such a device.
std::string expected_time(const std::vector<Chosen>& chosen, Workbenches& workbenches, const Paths& paths) {
  double seconds = 0;
  std::string unknown;
  for (const Chosen& part : chosen) {
    const std::vector<Attempt> attempts = attempts_of(paths.state, part.id());
    const Attempt* last = last_of(attempts, workbenches.of(part).device_record(), true);
    if (last == nullptr)
      unknown += (unknown.empty() ? "" : ", ") + part.id();
    else
      seconds += last->result.wall_s;
  }
  std::string text = seconds > 0
                         ? "about " + format_number("%.0f", std::ceil(seconds)) + " s, as the last time"
                         : std::string();
  if (!unknown.empty())
    text += (text.empty() ? "" : "; ") + unknown +
            " is timed here for the first time, and so are its roofs: that takes longer than the next grade";
  return "  time    " + text + "\n";
}

/// The steps of the part: of all the learner's attempts, or of this file alone.
std::string steps_so_far(const Result& result, std::vector<Attempt> attempts, const Terminal& terminal) {
  if (attempts.empty()) attempts.push_back({result, {}});
  return steps_text(step_states(result.steps, attempts, result.device), terminal);
}

/// What the learner does next.
std::string advice(const Result& result, const Chosen& chosen, const GradeRequest& request,
                   const Paths& paths) {
  if (request.solution || !request.file.empty() || !request.submission.empty() || request.quick) return {};
  if (result.reason == Class::kNotImplemented)
    return "  next    edit " + paths.shown(chosen.file(paths)) + "; ./lab hint " + chosen.id() + " helps\n";
  if (result.verdict == Verdict::kFail) return "  next    ./lab hint " + chosen.id() + "\n";
  if (result.verdict == Verdict::kPass && result.medal != kBestMedal && !result.measurements.empty())
    return "  next    ./lab next, or a better medal: ./lab hint " + chosen.id() + "\n";
  if (result.verdict == Verdict::kPass) return "  next    ./lab next\n";
  return {};
}

/// The predictions of a part that is graded for the first time, where a person can answer.
void ask_before_the_first(const Chosen& part, const Paths& paths) {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) return;
  if (!attempts_of(paths.state, part.id()).empty()) return;
  ask_predictions(
      part.part->predictions, part.folder(paths) / part.lab->prediction,
      [](const std::string& text) { std::fputs(text.c_str(), stdout), std::fflush(stdout); },
      [] { return read_line(STDIN_FILENO); });
}

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
  std::vector<Lab> labs = all_labs();
  const std::uint64_t seed =
      request.hidden.empty() ? request.seed : add_hidden(labs, request.hidden, request.seed);
  ProgressFile progress(paths.state / "progress.json");
  std::vector<Chosen> chosen = select(labs, request.labs);
  if (chosen.empty()) chosen = {current_part(labs, progress)};
  if (!request.file.empty() && chosen.size() != 1)
    throw UsageError("--file needs the one lab that the file is for, for example: ./lab grade 01 --file " +
                     request.file.string());
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
    std::fputs(expected_time(chosen, workbenches, paths).c_str(), out);
  for (size_t i = 0; i < chosen.size(); ++i) {
    const bool own = !request.solution && request.file.empty() && request.submission.empty();
    if (own && !json_to_stdout) ask_before_the_first(chosen[i], paths);
    const std::string source = own ? read_file(submissions[i].source) : std::string();
    const Result& result = results.emplace_back(grade(chosen[i], submissions[i]));
    std::string text = (i ? "\n" : "") + result_text(result, terminal);
    if (own && !request.quick) text += remember(paths.state, progress, result, source, terminal);
    text +=
        steps_so_far(result, own ? attempts_of(paths.state, result.part) : std::vector<Attempt>(), terminal);
    if (!request.quick) text += write_figures(result, request, paths);
    if (own && !result.device.changed()) text += opened_by(result.medal, chosen[i], paths);
    text += advice(result, chosen[i], request, paths);
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
