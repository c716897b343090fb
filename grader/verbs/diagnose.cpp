// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/base/units.h"
#include "grader/base/utc_now.h"
#include "grader/build/sealed.h"
#include "grader/formats/json.h"
#include "grader/judge/workbench.h"
#include "grader/lab/generate.h"
#include "grader/lab/selection.h"
#include "grader/learner/diagnosis.h"
#include "grader/result/result_text.h"
#include "grader/text/terminal.h"
#include "grader/verbs/run.h"
#include "grader/verbs/sealed.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kDraws = 999'999;  // short enough to be read aloud

/// The lab that was named, or the first that has sealed programs.
Chosen diagnosed_lab(const std::vector<Lab>& labs, const std::string& word, const Paths& paths) {
  std::string having;
  for (const Lab& lab : labs) {
    const Chosen first = select(labs, {lab.number()}).front();
    if (!has_sealed(first, paths)) continue;
    if (word.empty()) return first;
    having += (having.empty() ? "" : ", ") + lab.number();
  }
  const Chosen named = word.empty() ? Chosen{} : select(labs, {word}).front();
  if (word.empty() || !has_sealed(named, paths))
    throw UsageError((word.empty() ? std::string("no lab here") : "lab " + named.lab->number()) +
                     " has no programs without source" + (having.empty() ? "" : "; these have: " + having));
  return named;
}

/// The number that all of a learner's programs are drawn from: the one that was given, else the one that was
/// drawn here, else that of the file (which came with a clone), else a new one. 0 in `written`: no file.
std::uint64_t draw_of(const DiagnoseRequest& request, const fs::path& kept, std::uint64_t written) {
  if (request.draw != 0) return request.draw;
  std::error_code ignored;
  if (request.file.empty() && fs::is_regular_file(kept, ignored))
    if (const auto draw = std::strtoull(read_file(kept).c_str(), nullptr, 10); draw != 0) return draw;
  return written != 0 ? written : 1 + entropy() % kDraws;
}

/// Which program is the first, which the second ... of a draw. Not std::shuffle: it differs between
/// libraries.
std::vector<size_t> order_of(std::uint64_t draw, size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[derive(draw, Purpose::kDraw, i) % i]);
  return order;
}

/// Times one program on changed devices, each once.
class Experiment {
 public:
  Experiment(const Paths& paths, fs::path program) : paths_(paths), program_(std::move(program)) {}

  double seconds(std::string_view change, unsigned times) {
    const std::string device =
        std::string("sim:") + kDiagnosisDevice + (change.empty() ? "" : "," + std::string(change));
    const auto [known, is_new] = seconds_.try_emplace({device, times});
    if (is_new) known->second = run(device, times);
    return known->second;
  }

 private:
  double run(const std::string& device, unsigned times) const {
    RunOptions options;
    options.device = device;
    options.host_time = "free";  // the same in each run
    options.simulator = paths_.simulator();
    options.shown = "lab diagnose";
    options.program = program_.string();
    options.arguments = {std::to_string(times)};
    options.json = fs::path(program_).concat(".json");
    if (const int status = run_program(options); status != 0)
      throw InfrastructureError(program_.string() + " ended with " + std::to_string(status) + " on " +
                                device);
    const nlohmann::json seen = nlohmann::json::parse(read_file(options.json));
    fs::remove(options.json);
    return seen.at("simulated_seconds").get<double>();
  }

  const Paths& paths_;
  fs::path program_;
  std::map<std::pair<std::string, unsigned>, double> seconds_;
};

/// One word for all says nothing about any.
bool one_answer_for_all(const DiagnosisFile& file) {
  const std::string& first = file.programs.front().regime;
  return !first.empty() &&
         std::ranges::all_of(file.programs, [&](const Diagnosis& said) { return said.regime == first; });
}

/// What is judged, and of which programs.
struct Handed {
  std::string text, shown;  ///< of the file
  DiagnosisFile file;
  std::uint64_t draw = 0;
};

/// Reads the answers; a learner who has none yet gets a file for them, and a draw that stays.
Handed handed(const DiagnoseRequest& request, const fs::path& answers, unsigned count, const Paths& paths) {
  const fs::path kept = paths.state / "draw";
  std::error_code ignored;
  Handed given;
  given.shown = paths.shown(answers);
  const bool there = fs::exists(answers, ignored);
  if (there) {
    given.text = read_given(answers);
    given.file = read_diagnosis(given.text, given.shown, count);
  }
  given.draw = draw_of(request, kept, given.file.draw);
  if (!there) {
    given.text = unanswered_diagnosis(given.draw, count);
    given.file = read_diagnosis(given.text, given.shown, count);
    write_file(answers, given.text);
  }
  if (request.file.empty()) write_file(kept, std::to_string(given.draw) + "\n");
  return given;
}

/// Whose programs the file is about, where that are not these.
std::string of_another_draw(const Handed& given) {
  if (given.file.draw == given.draw) return {};
  return "not judged: the file is about the programs of draw " + std::to_string(given.file.draw) +
         ", these are those of draw " + std::to_string(given.draw);
}

std::string line_of(const Check& check, const Terminal& terminal) {
  constexpr int kWidth = 9;
  const Colour colour = check.verdict == Verdict::kPass   ? Colour::kGreen
                        : check.verdict == Verdict::kFail ? Colour::kRed
                                                          : Colour::kDim;
  return terminal.paint(colour, pad_right(std::string(name_of(check.verdict)), kWidth)) + check.message;
}

/// Writes every program of the draw into `folder`, judges what was said of it, and prints that.
std::vector<Check> judge_all(const std::vector<SealedProgram>& sealed, const Handed& given,
                             const fs::path& folder, const Paths& paths) {
  const std::vector<size_t> order = order_of(given.draw, sealed.size());
  const std::string other = of_another_draw(given);
  std::vector<Check> checks;
  for (size_t i = 0; i < sealed.size(); ++i) {
    const fs::path program = folder / program_number(i);
    write_executable(sealed[order[i]], given.draw, paths.cache(), program);
    Experiment experiment(paths, program);
    Check& check = checks.emplace_back(judge_diagnosis(
        i, other.empty() ? given.file.programs[i] : Diagnosis{},
        [&](std::string_view change, unsigned times) { return experiment.seconds(change, times); }));
    check.file = given.shown;
    check.line = given.file.programs[i].line;
    if (!other.empty())
      check.verdict = Verdict::kFail, check.reason = Class::kWrongPrediction, check.message = other;
    if (other.empty())
      std::printf("  %s  %s\n", program_number(i).c_str(),
                  line_of(check, Terminal::of(STDOUT_FILENO)).c_str());
    std::fflush(stdout);
  }
  return checks;
}

Result result_of(const Chosen& lab, const Paths& paths, const Handed& given, std::vector<Check> checks) {
  Result result;
  result.lab = lab.lab->folder;
  result.part = lab.lab->number() + "-diagnosis";
  result.title = lab.lab->name() + ": programs without source";
  result.lab_sha256 = lab_sha256(lab, paths);
  result.source_path = given.shown;
  result.source_sha256 = sha256_hex(given.text);
  result.device = Workbench(paths, std::string("sim:") + kDiagnosisDevice).device_record();
  result.seed = given.draw;
  result.started = utc_now();
  result.checks = std::move(checks);
  const auto right = std::ranges::count(result.checks, Verdict::kPass, &Check::verdict);
  result.points = static_cast<double>(right);
  result.max_points = static_cast<double>(result.checks.size());
  result.lines = {{"prediction", "programs diagnosed", result.points, result.max_points}};
  result.verdict = right >= kDiagnosed ? Verdict::kPass : Verdict::kFail;
  if (result.verdict == Verdict::kPass) return result;
  const auto first =
      std::ranges::find_if(result.checks, [](const Check& check) { return check.verdict != Verdict::kPass; });
  if (first != result.checks.end()) result.reason = first->reason;
  return result;
}

/// What it came to, and what to do next.
void print_ending(const Result& result, const Handed& given, const std::string& next) {
  if (const std::string other = of_another_draw(given); !other.empty())
    std::printf("  %s; without the file you get one for these\n", other.c_str());
  std::printf("  %.0f of %.0f diagnosed, %u pass; draw %llu\n", result.points, result.max_points, kDiagnosed,
              static_cast<unsigned long long>(given.draw));
  if (one_answer_for_all(given.file))
    std::printf("  note    one answer for all is a diagnosis of none: look at each program\n");
  if (result.verdict != Verdict::kPass) std::printf("%s", next.c_str());
}

}  // namespace

int diagnose_verb(const Paths& paths, const DiagnoseRequest& request) {
  if (!request.file.empty()) require_file(request.file);
  if (!request.json.empty()) require_place(request.json);
  const std::vector<Lab> labs = all_labs();
  const Chosen lab = diagnosed_lab(labs, request.lab, paths);
  const std::vector<SealedProgram> sealed = sealed_of(lab, paths);
  const auto count = static_cast<unsigned>(sealed.size());
  const bool own = request.file.empty();
  const fs::path answers = own ? lab.folder(paths) / lab.lab->diagnosis : fs::absolute(request.file);
  const fs::path programs =  // several answers of others may be judged at a time
      own ? paths.results() / kSealedFolder
          : paths.cache() / kSealedFolder / ("theirs-" + std::to_string(getpid()));
  const Handed given = handed(request, answers, count, paths);
  std::printf("  %u programs without source%s, simulated %s\n", count,
              own ? (", " + paths.shown(programs / "01") + " to " + program_number(count - 1)).c_str() : "",
              kDiagnosisDevice);
  const auto begin = std::chrono::steady_clock::now();
  Result result = result_of(lab, paths, given, judge_all(sealed, given, programs, paths));
  if (!own) fs::remove_all(programs);
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print_ending(result, given,
               own ? "  next    ./lab run --host-time free --counters " + paths.shown(programs / "01") +
                         "; answers go into " + given.shown + "\n"
                   : "");
  if (!request.json.empty()) write_file(request.json, to_json({result}));
  return exit_status(result);
}

}  // namespace roofline::grader
