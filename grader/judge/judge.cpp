// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/judge.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "grader/base/utc_now.h"
#include "grader/call/environment.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/grading.h"
#include "grader/judge/prediction.h"
#include "grader/judge/score.h"
#include "grader/judge/steps.h"
#include "grader/judge/traced_call.h"
#include "grader/lab/generate.h"

namespace roofline::grader {

std::uint64_t Grading::next_seed() { return derive(options.seed, Purpose::kCalls, ++calls); }

bool Grading::tries_again(const Fault& fault) {
  if (!fault.amid_others || budget->exhausted()) return false;
  return !std::exchange(tried_again, true);
}

void Grading::progress(const std::string& step, const std::string& detail, double fraction) const {
  if (options.on_progress) options.on_progress({step, detail, fraction});
}

RigOptions Grading::rig_options(const DeviceChoice& where, double deadline_seconds) const {
  RigOptions rig = grader::rig_options(where, options, deadline_seconds);
  rig.budget = budget;
  return rig;
}

Check& Grading::add(Check check) {
  Check& added = result.checks.emplace_back(std::move(check));
  if (added.verdict == Verdict::kFail && options.enough) ended = ended || options.enough(result.checks);
  return added;
}

ExamineOptions Grading::examine_options() const {
  ExamineOptions examine_options;
  examine_options.host_to_device_limit = part.host_to_device_limit;
  return examine_options;
}

namespace {

void describe_device(Result& result, const DeviceFacts& facts) {
  result.device.simulated = facts.simulated;
  result.device.name = facts.name;
  result.device.id = facts.id;
  result.device.capability =
      std::to_string(facts.capability / 10) + "." + std::to_string(facts.capability % 10);
  result.device.driver = facts.driver;
  if (result.device.toolkit.empty()) result.device.toolkit = facts.toolkit;
  result.device.sheet = {facts.pin_gbps, facts.fp32_tflops, facts.tensor_tflops};
  result.device.model = facts.model;
}

Check whole_part(Verdict verdict, Class reason, const std::string& id, const std::string& message) {
  return {.id = id,
          .title = "this part on this device",
          .kind = CheckKind::kCorrectness,
          .verdict = verdict,
          .reason = reason,
          .message = message};
}

void grade_all(Grading& grading) {
  grade_correctness(grading, grading.device, "");
  const bool right_so_far = std::ranges::none_of(
      grading.result.checks, [](const Check& check) { return check.verdict == Verdict::kFail; });
  // A race, or a read past the end that hits a neighbour, shows on the simulated device every time.
  if (!grading.facts.simulated && right_so_far && !grading.options.simulator_directory.empty()) {
    grade_correctness(grading, simulated_stand_in(grading.facts, grading.options), "simulated-");
  }
  if (!grading.ended) grade_performance(grading);
}

/// The line that wastes most, by the sectors or the passes that it could do without; 0: none wastes much.
unsigned most_wasteful_line(const std::vector<LineCounts>& lines) {
  constexpr double kWasteful = 1.5;  // as in the report
  unsigned line = 0;
  double most = 0;
  for (const LineCounts& each : lines) {
    const bool bad =
        each.sectors > kWasteful * each.ideal_sectors || each.wavefronts > kWasteful * each.ideal_wavefronts;
    const double waste = each.sectors - each.ideal_sectors + each.wavefronts - each.ideal_wavefronts;
    if (bad && waste > most) line = each.line, most = waste;
  }
  return line;
}

/// One more call, watched: how the lanes of a warp lie in that line. Nothing of the verdict depends on it.
void draw_waste(Grading& grading) {
  constexpr double kDeadlineSeconds = 10;
  GradeProfile& profile = grading.result.profile;
  const unsigned line = grading.facts.simulated ? most_wasteful_line(profile.lines) : 0;
  if (line == 0) return;
  sim::PictureRequest request;
  request.file = std::filesystem::path(grading.submission.source).filename().string();
  request.line = line;
  try {
    const LanePictures pictures =
        traced_call(grading.part, grading.facts, grading.submission.worker,
                    grading.rig_options(grading.device, kDeadlineSeconds), grading.next_seed(), request);
    const size_t most = most_wasteful(pictures.requests);
    if (most < pictures.requests.size() && pictures.requests[most].wasteful())
      profile.lanes.push_back(pictures.requests[most]);
  } catch (const std::exception&) {
    // The report goes without a picture.
  }
}

/// What stops the judge twice, while trusted programs run well before, between and afterwards, is the file.
void grade_again(Grading& grading) {
  const Result before = grading.result;
  try {
    grade_all(grading);
  } catch (const std::exception& error) {
    grading.result = before;
    run_sentinel(grading.device, grading.facts, grading.options, grading.next_seed());
    grading.add(whole_part(Verdict::kFail, Class::kCrashed, "run",
                           "the program broke off its own grading, twice: " + std::string(error.what())));
  }
}

bool compiles(const BuiltSubmission& submission) {
  return !submission.build || submission.build->verdict == Verdict::kPass;
}

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

/// Empty when the part can be done on GPUs of that capability.
std::string capability_problem(const Part& part, int capability) {
  if (capability < part.minimum_capability)
    return "needs compute capability " + capability_text(part.minimum_capability);
  if (std::ranges::find(part.capabilities_without, capability) != part.capabilities_without.end())
    return "compute capability " + capability_text(capability) + " is without what this part is about";
  return {};
}

/// All stages.
void run_stages(Grading& grading) try {
  const Part& part = grading.part;
  grading.facts = device_facts(grading.device, grading.options);
  describe_device(grading.result, grading.facts);
  if (!grading.facts.simulated) grading.result.device.environment = gpu_environment(grading.device.ordinal);
  if (const std::string why = capability_problem(part, grading.facts.capability); !why.empty()) {
    grading.add(whole_part(Verdict::kSkipped, Class::kUnsupportedDevice, "device",
                           why + "; --device " +
                               simulated_with(part.minimum_capability, grading.options.simulator_directory) +
                               " simulates a device that has it"));
    return;
  }
  if (const std::string why = too_few_gpus(part.program.gpus, grading.device, grading.facts, grading.options);
      !why.empty()) {
    grading.add(whole_part(Verdict::kSkipped, Class::kUnsupportedDevice, "device", why));
    return;
  }
  if (grading.submission.build) grading.add(*grading.submission.build);
  if (!compiles(grading.submission)) return;
  grading.progress("device", grading.facts.name, 0);
  if (grading.options.quick_seconds > 0) {
    grade_correctness(grading, grading.device, "");
    grade_performance(grading);
    return;
  }
  run_sentinel(grading.device, grading.facts, grading.options, grading.next_seed());
  const Result before = grading.result;
  try {
    grade_all(grading);
  } catch (const std::exception&) {
    // Ours or the submission's? The sentinel says whether ours still works; then the file gets another try.
    run_sentinel(grading.device, grading.facts, grading.options, grading.next_seed());
    grading.result = before;
    grade_again(grading);
  }
  if (!grading.ended) draw_waste(grading);
  run_sentinel(grading.device, grading.facts, grading.options, grading.next_seed());
} catch (const std::exception& error) {
  // Nothing that goes wrong on our side may cost the learner anything.
  grading.add(whole_part(Verdict::kError, Class::kInfrastructure, "infrastructure", error.what()));
}

/// Fewer and smaller measurements say how it goes, and earn nothing.
void take_medals_off(Result& result) {
  result.brief = true;
  result.medal = Medal::kNone;
  for (Measurement& line : result.measurements) {
    line.medal = Medal::kNone;
    line.thresholds = {};
  }
  result.points = 0;
  result.lines.clear();
  if (result.verdict == Verdict::kPass) result.verdict = Verdict::kSkipped;
}

/// What is known before anything runs.
Result begin_result(const Lab& lab, const Part& part, const BuiltSubmission& submission,
                    const DeviceChoice& device, std::uint64_t seed) {
  Result result;
  result.lab = lab.folder;
  result.part = lab.id_of(part);
  result.title = part.title.empty() ? lab.title : part.title;
  result.lab_sha256 = submission.lab_sha256;
  result.source_path = submission.source;
  result.source_sha256 = submission.source_sha256;
  result.device = submission.device;
  result.device.simulated = device.simulated;
  result.device.id = device.id;
  result.seed = seed;
  result.started = utc_now();
  return result;
}

}  // namespace

Result grade(const Lab& lab, const Part& part, const BuiltSubmission& submission, const DeviceChoice& device,
             const GradeOptions& given) {
  const auto begin = std::chrono::steady_clock::now();
  GradeOptions options = given;
  if (options.seed == 0) options.seed = entropy();
  Part drawn = part;
  if (part.draw) part.draw(drawn, derive(options.seed, Purpose::kDraw, 0));
  Grading grading{
      lab, drawn, submission, device, options, {}, begin_result(lab, part, submission, device, options.seed)};
  Result& result = grading.result;
  // A device below what the part needs may lack instructions, so that nothing compiles for it: no fault of
  // the file.
  if (compiles(submission) || part.minimum_capability > 0)
    run_stages(grading);
  else
    grading.add(*submission.build);
  if (options.quick_seconds <= 0)
    for (Check& check : grade_predictions(part.predictions, submission.prediction, result.source_path))
      grading.add(std::move(check));
  score(result, part);
  result.steps = steps_of(drawn, result);
  if (options.brief) take_medals_off(result);
  explain_faults(result, submission.explanations);
  explain_predictions(result, submission.explanations);
  const std::chrono::duration<double> judging = std::chrono::steady_clock::now() - begin;
  result.wall_s = submission.build_seconds + judging.count();
  return std::move(result);
}

std::vector<RoofValue> roofs(const DeviceChoice& device, const GradeOptions& options,
                             const std::vector<std::string>& ids) {
  const DeviceFacts facts = device_facts(device, options);
  const std::uint64_t seed = options.seed != 0 ? options.seed : entropy();
  std::vector<Roof> wanted = all_roofs();
  std::erase_if(wanted, [&](const Roof& each) {
    if (facts.capability < each.minimum_capability) return true;
    return ids.empty() ? !each.of_hardware : std::ranges::find(ids, each.id) == ids.end();
  });
  std::erase_if(wanted, [&](const Roof& each) {
    return !too_few_gpus(each.program.gpus, device, facts, options).empty();
  });
  std::vector<RoofValue> values;
  for (const Roof& each : wanted) {
    const double done = static_cast<double>(values.size()) / static_cast<double>(wanted.size());
    if (options.on_progress) options.on_progress({"roof " + each.id, each.title, done});
    values.push_back(
        measure_roof(each, device, facts, options, derive(seed, Purpose::kCalls, values.size())));
  }
  return values;
}

}  // namespace roofline::grader
