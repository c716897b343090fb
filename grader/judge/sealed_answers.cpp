// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/sealed_answers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "grader/base/error.h"
#include "grader/base/file.h"
#include "grader/base/utc_now.h"
#include "grader/judge/remembered.h"
#include "grader/judge/workbench.h"
#include "grader/lab/generate.h"
#include "grader/run/run.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// Which program is the first, which the second ... of a draw. Not std::shuffle: it differs between
/// libraries.
std::vector<std::size_t> order_of(std::uint64_t draw, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[derive(draw, Purpose::kDraw, i) % i]);
  return order;
}

/// Times one program on changed devices, each once: also when the same answers, or better ones, are judged
/// again.
class Experiment {
 public:
  Experiment(const Paths& paths, fs::path program)
      : paths_(paths),
        program_(std::move(program)),
        identity_(sha256_hex(read_file(program_)) + "\n" + simulator_identity(paths.simulator())) {}

  double seconds(std::string_view change, unsigned times) {
    const std::string device =
        std::string("sim:") + kDiagnosisDevice + (change.empty() ? "" : "," + std::string(change));
    const std::string key = identity_ + device + "\n" + std::to_string(times);
    const fs::path file = paths_.cache() / "experiments" / sha256_hex(key).substr(0, 32);
    double seconds = remembered_seconds(file);
    if (!(seconds > 0)) {
      seconds = run(device, times);
      remember_seconds(file, seconds);
    }
    return seconds;
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
  std::string identity_;
};

/// Points for each program that is right, a pass for kDiagnosed of them.
void score_answers(Result& result, const Part& part) {
  const auto is_program = [](const Check& check) { return check.kind == CheckKind::kCorrectness; };
  const auto all = std::ranges::count_if(result.checks, is_program);
  const auto right = std::ranges::count_if(result.checks, [&](const Check& check) {
    return is_program(check) && check.verdict == Verdict::kPass;
  });
  result.max_points = part.points.total();
  const double share = all == 0 ? 0 : static_cast<double>(right) / static_cast<double>(all);
  result.points = std::round(share * result.max_points * 100) / 100;
  result.lines = {{"correctness", "programs diagnosed", result.points, result.max_points}};
  result.verdict = right >= kDiagnosed ? Verdict::kPass : Verdict::kFail;
  if (result.verdict == Verdict::kPass) return;
  const auto first =
      std::ranges::find_if(result.checks, [](const Check& check) { return check.verdict != Verdict::kPass; });
  if (first != result.checks.end()) result.reason = first->reason;
}

}  // namespace

std::vector<SealedProgram> sealed_of(const Chosen& part, const Paths& paths) {
  std::vector<SealedProgram> sealed = sealed_programs(part.solutions(paths) / kSealedFolder,
                                                      part.folder(paths) / kSealedFolder, paths.cache());
  if (sealed.empty())
    throw UsageError("the programs of " + part.id() + " are not in this copy: there is no " +
                     paths.shown(part.folder(paths) / kSealedFolder));
  return sealed;
}

Check answered(const std::string& text, const std::string& name, unsigned count) {
  Check check{.id = "answers", .title = "each program has an answer of its own", .kind = CheckKind::kBuild};
  const auto refuse = [&](Class reason, std::string why) {
    check.verdict = Verdict::kFail;
    check.reason = reason;
    check.message = std::move(why);
    return check;
  };
  DiagnosisFile file;
  try {
    file = read_diagnosis(text, name, count);
  } catch (const UsageError& error) {
    return refuse(Class::kDoesNotCompile, error.what());
  }
  const auto open = [](const Diagnosis& said) { return said.regime.empty(); };
  if (file.draw == 0)
    return refuse(Class::kNotImplemented,
                  "these are answers about no programs yet: ./lab diagnose gives them out");
  if (std::ranges::all_of(file.programs, open))
    return refuse(Class::kNotImplemented, "nothing is answered yet");
  const std::string& first = file.programs.front().regime;
  if (std::ranges::all_of(file.programs, [&](const Diagnosis& said) { return said.regime == first; }))
    return refuse(Class::kWrongPrediction, "one answer for all is a diagnosis of none: look at each program");
  check.verdict = Verdict::kPass;
  return check;
}

Result judge_answers(const Chosen& part, const Answers& answers, const std::vector<SealedProgram>& sealed,
                     const Paths& paths, const DeviceRecord& device) {
  const auto begin = std::chrono::steady_clock::now();
  const auto count = static_cast<unsigned>(sealed.size());
  Result result;
  result.lab = part.lab->folder;
  result.part = part.id();
  result.title = part.title();
  result.lab_sha256 = lab_sha256(part, paths);
  result.source_path = answers.name;
  result.source_sha256 = sha256_hex(answers.text);
  result.device = device;
  result.started = utc_now();
  result.checks = {answered(answers.text, answers.name, count)};
  DiagnosisFile file;
  if (result.checks[0].reason != Class::kDoesNotCompile)
    file = read_diagnosis(answers.text, answers.name, count);
  result.seed = answers.draw != 0 ? answers.draw : file.draw;
  const std::vector<std::size_t> order = order_of(result.seed, count);
  for (unsigned i = 0; i < count && result.seed != 0 && !file.programs.empty(); ++i) {
    const fs::path program = answers.folder / program_number(i);
    write_executable(sealed[order[i]], result.seed, paths.cache(), program);
    Experiment experiment(paths, program);
    const bool ours = file.draw == result.seed;
    Check& check = result.checks.emplace_back(judge_diagnosis(
        i, ours ? file.programs[i] : Diagnosis{},
        [&](std::string_view change, unsigned times) { return experiment.seconds(change, times); }));
    check.file = answers.name;
    check.line = file.programs[i].line;
    if (!ours) {
      check.verdict = Verdict::kFail;
      check.reason = Class::kWrongPrediction;
      check.message = "not judged: the file is about the programs of draw " + std::to_string(file.draw) +
                      ", these are those of draw " + std::to_string(result.seed);
    }
    if (answers.on_check) answers.on_check(check);
  }
  score_answers(result, *part.part);
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace roofline::grader
