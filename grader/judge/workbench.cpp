// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/workbench.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/base/parallel.h"
#include "grader/base/utc_now.h"
#include "grader/call/gpu_probe.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/score.h"
#include "grader/judge/sealed_answers.h"
#include "grader/lab/generate.h"
#include "grader/lab/roof.h"
#include "grader/lab/spec_files.h"
#include "simulator/closest.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr size_t kShownDiagnostics = 8;
/// Of a call that is watched lane by lane; a learner waits for it.
constexpr double kPictureSeconds = 60;
/// A verdict comes three seconds after a save: what the compiler leaves of that is for the cases, at most a
/// second, and a little on a machine that is busy.
constexpr double kVerdictSeconds = 2.6, kQuickSeconds = 1, kLeastQuickSeconds = 0.4;

/// Resolves `--device`, and says what there is when it cannot.
DeviceChoice resolve(const std::string& text, const Paths& paths) {
  DeviceChoice device;
  try {
    device = parse_device(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  if (!device.simulated) {
    const GpuProbe& probe = probe_gpus();
    if (static_cast<size_t>(device.ordinal) < probe.gpus.size()) return device;
    throw UsageError(std::string("there is no GPU to grade on (") +
                     (probe.library ? probe.problem : "no NVIDIA driver is installed") +
                     "); use --device sim, or see ./lab doctor");
  }
  const fs::path devices = paths.simulator() / "devices";
  const std::vector<std::string> known = sim::known_devices(devices);
  if (known.empty())
    throw InfrastructureError("no simulated devices in " + devices.string() +
                              "; run ./lab setup to build them");
  const std::string plain = sim::plain_device(device.id);
  if (std::find(known.begin(), known.end(), plain) != known.end()) {
    try {
      sim::load_device(devices, device.id);
    } catch (const std::runtime_error& error) {
      throw UsageError(error.what());
    }
    return device;
  }
  const std::string near = sim::closest(plain, known);
  std::string list;
  for (const std::string& id : known) list += "\n  sim:" + id;
  throw UsageError("there is no simulated device \"" + plain + "\"" +
                   (near.empty() ? "." : "; did you mean sim:" + near + "?") + " The devices are" + list);
}

/// What a submission is compiled for: the device, and where that is a GPU which no simulated one is like, the
/// one on which its cases run once more.
std::vector<int> capabilities_for(const DeviceChoice& device, const Paths& paths) {
  if (device.simulated) return {simulated_facts(device, paths.simulator()).capability};
  const Gpu& gpu = probe_gpus().gpus.at(static_cast<size_t>(device.ordinal));
  if (simulated_like(gpu.capability, gpu.name, paths.simulator())) return {gpu.capability};
  return {gpu.capability, simulated_facts(DeviceChoice{}, paths.simulator()).capability};
}

/// What its times are compared with, and what vouches for the device.
std::vector<std::string> roofs_of(const Part& part) {
  std::vector<std::string> ids = {"copy"};
  for (const std::vector<Goal>* goals : {&part.goals, &part.shown})
    for (const Goal& goal : *goals) {
      ids.push_back(goal.roof);
      for (const BudgetLine& line : goal.budget)
        for (const RoofShare& share : line.shares) ids.push_back(share.roof);
    }
  for (const Sweep& sweep : part.sweeps) ids.insert(ids.end(), {sweep.memory_roof, sweep.compute_roof});
  for (const Overlap& overlap : part.overlaps) {
    ids.push_back(overlap.kernels.roof);
    for (const RoofShare& copy : overlap.copies) ids.push_back(copy.roof);
  }
  return ids;
}

/// Whatever goes wrong, it goes wrong once more when somebody waits for it.
template <class Work>
std::future<void> meanwhile(Work work) {
  return std::async(std::launch::async, [work = std::move(work)] {
    try {
      work();
    } catch (const std::exception&) {
    }
  });
}

/// A part for which nothing was handed in.
Result not_submitted(const Chosen& chosen, const DeviceRecord& device) {
  Result result;
  result.lab = chosen.lab->folder;
  result.part = chosen.id();
  result.title = chosen.title();
  result.device = device;
  Check& check = result.checks.emplace_back();
  check.id = "build";
  check.title = "handed in";
  check.kind = CheckKind::kBuild;
  check.verdict = Verdict::kFail;
  check.reason = Class::kNotImplemented;
  check.message = "no file " + chosen.part->program.source + " was submitted";
  score(result, *chosen.part);
  return result;
}

}  // namespace

Workbench::Workbench(const Paths& paths, const std::string& device, Sandbox sandbox)
    : paths_(paths),
      device_(resolve(device, paths)),
      sandbox_(sandbox),
      progress_("compiling"),
      builder_(
          paths, find_toolkit(), [this] { progress_.update(); }, sandbox),
      capabilities_(capabilities_for(device_, paths)) {}

DeviceRecord Workbench::device_record() const {
  DeviceRecord record;
  record.simulated = device_.simulated;
  record.id = device_.id;
  record.capability = std::to_string(capabilities_[0] / 10) + "." + std::to_string(capabilities_[0] % 10);
  record.toolkit = builder_.toolkit().version;
  if (device_.simulated) {
    record.name = sim::load_device(paths_.simulator() / "devices", device_.id).name;
    record.driver = "simulated";
  } else {
    record.name = probe_gpus().gpus.at(static_cast<size_t>(device_.ordinal)).name;
    record.driver = probe_gpus().driver;
  }
  return record;
}

BuildRequest Workbench::request(const Chosen& chosen, const fs::path& source) const {
  const Part& part = *chosen.part;
  return {.source = source,
          .folder = chosen.folder(paths_),
          .header = part.program.header,
          .function = part.program.function,
          .adapter = part.adapter.empty() ? fs::path() : chosen.folder(paths_) / part.adapter,
          .capabilities = capabilities_};
}

BuildRequest Workbench::request(const Roof& roof) const {
  const fs::path folder = paths_.root / "common" / "roofs";
  return {.source = folder / roof.program.source,
          .folder = folder,
          .header = roof.program.header,
          .function = roof.program.function,
          .adapter = {},
          .capabilities = capabilities_};
}

GradeOptions Workbench::options(std::uint64_t seed) {
  GradeOptions options;
  options.seed = seed;
  options.simulator_directory = paths_.simulator();
  options.cuda_library_directory = builder_.toolkit().libraries();
  options.sandbox = sandbox_;
  options.threads = threads_;
  options.limits = limits_;
  options.roof_cache = paths_.cache() / "roofs";
  options.roofs_that_came = paths_.cache_that_came() / "roofs";
  options.release_build = std::string_view(ROOFLINE_BUILD_TYPE) != "Debug";
  options.roof_worker = [this](const Roof& roof) {
    const BuildResult built = builder_.build(request(roof));
    if (!built.ok())
      throw InfrastructureError("the roof " + roof.id + ": " + built.sentence + "\n" + built.output);
    return built.worker;
  };
  options.on_progress = [this](const Progress& progress) {
    progress_.update(progress.fraction,
                     progress.step + (progress.detail.empty() ? "" : ": " + progress.detail));
  };
  return options;
}

BuildResult Workbench::build(const Chosen& chosen, const fs::path& source,
                             const std::vector<std::string>& libraries) {
  BuildRequest asked = request(chosen, source);
  asked.libraries = libraries;
  return Builder(paths_, builder_.toolkit()).build(asked);  // the progress line is of one thread alone
}

Result Workbench::grade(const Chosen& chosen, const Submission& submission, std::uint64_t seed,
                        std::function<bool(const std::vector<Check>&)> enough) {
  if (submission.source.empty()) return not_submitted(chosen, device_record());
  GradeOptions how = options(seed);
  how.enough = std::move(enough);
  return judge(chosen, submission, std::move(how));
}

Check Workbench::compile(const Chosen& chosen, const Submission& submission) {
  progress_.restart();
  progress_.label("compiling " + chosen.id());
  BuildRequest asked = request(chosen, submission.source);
  asked.shown = submission.shown;
  if (chosen.part->about_sealed) {
    progress_.clear();
    const auto count = static_cast<unsigned>(sealed_of(chosen, paths_).size());
    return answered(read_given(submission.source), shown(submission), count);
  }
  const BuildResult built = builder_.build(asked);
  progress_.clear();
  return build_check(built, read_explanations(chosen.folder(paths_) / "explanations.toml").errors);
}

std::future<void> Workbench::compile_ahead(const Chosen& chosen, const Submission& submission) const {
  if (!device_.simulated || chosen.part->about_sealed || submission.source.empty()) return {};
  BuildRequest asked = request(chosen, submission.source);
  asked.shown = submission.shown;
  return meanwhile([this, asked = std::move(asked), part = chosen.part] {
    const std::future<void> roofs = compile_roofs_ahead(*part);
    Builder(paths_, builder_.toolkit(), {}, sandbox_).build(asked);
  });
}

std::future<void> Workbench::compile_roofs_ahead(const Part& part) const {
  if (!device_.simulated) return {};
  return meanwhile([this, ids = roofs_of(part)] { compile_roofs(ids); });
}

Result Workbench::grade_briefly(const Chosen& chosen, const Submission& submission, std::uint64_t seed) {
  GradeOptions brief = options(seed);
  brief.brief = true;
  brief.quick_seconds = kQuickSeconds;
  return judge(chosen, submission, brief);
}

Result Workbench::check(const Chosen& chosen, const Submission& submission) {
  GradeOptions quick = options(0);
  quick.quick_seconds = kQuickSeconds;
  return judge(chosen, submission, quick);
}

LanePictures Workbench::lanes(const Chosen& chosen, const fs::path& source,
                              const sim::PictureRequest& request) {
  if (chosen.part->about_sealed)
    throw UsageError(chosen.part->program.source + " has no lines that a GPU runs");
  progress_.restart();
  progress_.label("compiling " + chosen.id());
  const BuildResult built = builder_.build(this->request(chosen, source));
  if (!built.ok()) throw UsageError(build_check(built).message);
  progress_.label("running " + chosen.id());
  const GradeOptions how = options(entropy());
  Part part = *chosen.part;
  if (part.draw) part.draw(part, derive(how.seed, Purpose::kDraw, 0));
  LanePictures lanes = traced_call(part, device_facts(device_, how), built.worker,
                                   rig_options(device_, how, kPictureSeconds), how.seed, request);
  progress_.clear();
  lanes.device = device_record().name;
  return lanes;
}

std::string Workbench::shown(const Submission& submission) const {
  return submission.shown.empty() ? paths_.shown(submission.source) : submission.shown;
}

Result Workbench::judge_answers(const Chosen& chosen, const Submission& submission) {
  // Experiments that only a simulated GPU allows, wherever the other parts are graded.
  const DeviceRecord device = Workbench(paths_, std::string("sim:") + kDiagnosisDevice).device_record();
  const std::vector<SealedProgram> sealed = sealed_of(chosen, paths_);
  Answers answers{.text = read_given(submission.source),
                  .name = shown(submission),
                  .folder = paths_.cache() / kSealedFolder / ("graded-" + std::to_string(getpid()))};
  progress_.restart();
  progress_.label("grading " + chosen.id());
  double judged = 0;
  answers.on_check = [&](const Check& check) {
    progress_.update(++judged / static_cast<double>(sealed.size()), check.title);
  };
  Result result = grader::judge_answers(chosen, answers, sealed, paths_, device);
  progress_.clear();
  fs::remove_all(answers.folder);
  return result;
}

Result Workbench::judge(const Chosen& chosen, const Submission& submission, GradeOptions options) {
  if (chosen.part->about_sealed) return judge_answers(chosen, submission);
  const auto begin = std::chrono::steady_clock::now();
  const bool quick = options.quick_seconds > 0 && !options.brief;
  const std::string label = (quick ? "checking " : "grading ") + chosen.id();
  progress_.restart();
  progress_.label(label + ": compiling");
  BuildRequest to_build = request(chosen, submission.source);
  to_build.shown = submission.shown;
  to_build.quick = quick && device_.simulated;  // a GPU would compile PTX at every start
  const std::future<void> roofs = quick ? std::future<void>() : compile_roofs_ahead(*chosen.part);
  const BuildResult built = builder_.build(to_build);
  progress_.label(label);
  const std::chrono::duration<double> compiling = std::chrono::steady_clock::now() - begin;
  if (quick)
    options.quick_seconds =
        std::clamp(kVerdictSeconds - compiling.count(), kLeastQuickSeconds, kQuickSeconds);
  BuiltSubmission ready{.worker = built.worker,
                        .prediction = submission.prediction,
                        .source = shown(submission),
                        .source_sha256 = built.source_sha256,
                        .lab_sha256 = lab_sha256(chosen, paths_),
                        .device = device_record(),
                        .explanations = read_explanations(chosen.folder(paths_) / "explanations.toml"),
                        .build_seconds = compiling.count()};
  ready.build = build_check(built, ready.explanations.errors);
  Result result = grader::grade(*chosen.lab, *chosen.part, ready, device_, options);
  progress_.clear();
  return result;
}

/// Into the cache, side by side: one after the other they would compile for longer than they run.
void Workbench::compile_roofs(const std::vector<std::string>& ids) const {
  std::map<std::string, BuildRequest> programs;  // several roofs may share one
  for (const Roof& each : all_roofs())
    if (capabilities_[0] >= each.minimum_capability &&
        (ids.empty() ? each.of_hardware : std::ranges::find(ids, each.id) != ids.end()))
      programs.emplace(each.program.function, request(each));
  std::vector<BuildRequest> requests;
  for (const auto& [function, asked] : programs) requests.push_back(asked);
  parallel_chunks(requests.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) Builder(paths_, builder_.toolkit()).build(requests[i]);
  });
}

void Workbench::compile_all(const std::vector<Chosen>& parts) {
  parallel_chunks(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (parts[i].part->about_sealed) continue;
      const BuildResult built = build(parts[i], parts[i].file(paths_), {});
      if (!built.ok()) throw InfrastructureError(built.sentence + "\n" + built.output);
    }
  });
  std::vector<std::string> ids;
  for (const Roof& each : all_roofs()) ids.push_back(each.id);
  measure_roofs(ids);
}

std::vector<RoofValue> Workbench::measure_roofs(const std::vector<std::string>& ids) {
  progress_.label("roofs");
  compile_roofs(ids);
  std::vector<RoofValue> values = roofs(device_, options(0), ids);
  progress_.clear();
  return values;
}

std::string lab_sha256(const Chosen& chosen, const Paths& paths) {
  std::vector<fs::path> files = spec_files(chosen.folder(paths));
  if (!chosen.part->program.header.empty())
    files.push_back(chosen.folder(paths) / chosen.part->program.header);
  if (!chosen.part->adapter.empty()) files.push_back(chosen.folder(paths) / chosen.part->adapter);
  std::string all;
  for (const fs::path& file : files)
    all += file.filename().string() + '\0' + sha256_hex(read_file(file)) + '\0';
  return sha256_hex(all);
}

Check build_check(const BuildResult& built, const std::vector<ErrorMeaning>& own) {
  Check check{.id = "build", .title = "compiles", .kind = CheckKind::kBuild};
  if (built.ok()) {
    check.verdict = Verdict::kPass;
    return check;
  }
  check.verdict = Verdict::kFail;
  check.reason = Class::kDoesNotCompile;
  check.message = built.sentence;
  const auto first = std::ranges::find_if(built.diagnostics, &Diagnostic::error);
  const bool any = first != built.diagnostics.end();
  if (any && first->line) check.file = first->file, check.line = first->line;
  check.message += explained_errors(built.diagnostics, own, kShownDiagnostics);
  // Nothing that we recognise: what the compiler said, as it said it.
  if (!any && !built.output.empty()) check.message += "\n" + built.output.substr(0, 2000);
  return check;
}

}  // namespace roofline::grader
