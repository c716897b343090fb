// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/author_check.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "grader/base/file.h"
#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/workbench.h"
#include "grader/lab/submission_file.h"
#include "grader/text/svg.h"
#include "grader/text/table.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr int kExplained = 3;  // failed checks shown of a submission that deviates

enum class Kind { kSkeleton, kSolution, kVariant, kWrong };

/// One submission that must come to something.
struct Trial {
  Chosen chosen;
  Kind kind = Kind::kWrong;
  fs::path file;
  Expectation expected;
};

void add_folder(std::vector<Trial>& trials, const Chosen& chosen, const Paths& paths, Kind kind,
                const char* name) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(chosen.versions(paths, name), error))
    if (is_version_of(entry.path(), chosen.part->program.source)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files)
    if (auto expected = parse_expectation(read_file(file)))
      trials.push_back({.chosen = chosen, .kind = kind, .file = file, .expected = std::move(*expected)});
}

std::vector<Trial> trials_of(const Chosen& chosen, const Paths& paths) {
  std::vector<Trial> trials = {{.chosen = chosen,
                                .kind = Kind::kSkeleton,
                                .file = chosen.file(paths),
                                .expected = {.outcome = "not-implemented", .words = {}}},
                               {.chosen = chosen,
                                .kind = Kind::kSolution,
                                .file = chosen.solution(paths),
                                .expected = {.outcome = std::string(name_of(kBestMedal)), .words = {}}}};
  add_folder(trials, chosen, paths, Kind::kVariant, "variants");
  add_folder(trials, chosen, paths, Kind::kWrong, "wrong");
  std::error_code ignored;
  std::erase_if(trials, [&](const Trial& trial) { return !fs::exists(trial.file, ignored); });
  return trials;
}

std::string fault_of(const Trial& trial, const Result& result) {
  switch (trial.kind) {
    case Kind::kSkeleton:
      return skeleton_fault(result, trial.chosen.part->repair);
    case Kind::kSolution:
      return solution_fault(result);
    case Kind::kVariant:
      return variant_fault(trial.expected, result);
    case Kind::kWrong:
      return wrong_fault(trial.expected, result);
  }
  return {};
}

std::string came_to(const Result& result) {
  if (result.medal != Medal::kNone) return std::string(name_of(result.medal));
  return std::string(result.reason == Class::kNone ? name_of(result.verdict) : name_of(result.reason));
}

/// The fractions of the roofs that earn medals, and how much was executed.
std::string figures(const Result& result) {
  std::string text;
  for (const Measurement& m : result.measurements)
    if (m.graded()) text += (text.empty() ? "" : ", ") + compact(100 * m.fraction) + " %";
  double lanes = 0;
  for (const KernelSummary& kernel : result.kernels) lanes += kernel.lane_instructions;
  if (lanes > 0) text += (text.empty() ? "" : "; ") + compact(lanes / 1e6) + " M lane-instructions";
  return text;
}

class AuthorCheck {
 public:
  AuthorCheck(const Paths& paths, const AuthorCheckRequest& request)
      : paths_(paths),
        request_(request),
        terminal_(Terminal::of(STDOUT_FILENO)),
        workbench_(paths, request.device) {}

  int run(const std::vector<Chosen>& parts) {
    std::vector<Trial> trials;
    for (const Chosen& part : parts) {
      const std::vector<std::string> faults = folder_faults(part, paths_);
      for (const std::string& fault : faults) print(false, part.id(), fault);
      if (faults.empty()) print(true, part.id(), "the folders are complete");
      for (Trial& trial : trials_of(part, paths_))
        if (paths_.shown(trial.file).find(request_.only) != std::string::npos)
          trials.push_back(std::move(trial));
    }
    for (const Trial& trial : trials)
      name_width_ = std::max(name_width_, display_width(paths_.shown(trial.file)));
    for (const Trial& trial : trials) attempt(trial);
    if (trials.empty()) print(false, "--", "no submission was graded");
    std::printf("\n  %d of %d as expected\n", checked_ - deviations_, checked_);
    return deviations_ == 0 ? 0 : 1;
  }

 private:
  void print(bool good, const std::string& id, const std::string& text) {
    ++checked_;
    deviations_ += !good;
    const std::string mark(good ? terminal_.either("✓", "+") : terminal_.either("✗", "x"));
    std::printf("%s %s  %s\n", terminal_.paint(good ? Colour::kGreen : Colour::kRed, mark).c_str(),
                id.c_str(), text.c_str());
    std::fflush(stdout);
  }

  /// Where a submission is to be graded; nullptr when that cannot be had here. A simulated device always can.
  Workbench* bench_for(const Trial& trial) {
    const DeviceChoice& device = workbench_.device();
    const bool simulated = device.simulated;
    std::string needs = trial.expected.needs;
    const int least = trial.chosen.part->minimum_capability;
    if (needs.empty() && simulated && simulated_facts(device, paths_.simulator()).capability < least)
      needs = simulated_with(least, paths_.simulator());
    if (needs.empty() || (needs == "gpu" && !simulated)) return &workbench_;
    if (needs == "gpu" || !simulated) return nullptr;
    return &others_.try_emplace(needs, paths_, needs).first->second;
  }

  /// What is compiled; nothing for a patch that does not apply, which is among the folders' faults.
  fs::path source_of(const Trial& trial) const {
    try {
      return submission_source(trial.file, paths_);
    } catch (const UsageError&) {
      return {};
    }
  }

  void attempt(const Trial& trial) {
    const fs::path source = source_of(trial);
    if (source.empty()) return;
    const std::string name = pad_right(paths_.shown(trial.file), name_width_);
    Workbench* const bench = bench_for(trial);
    if (bench == nullptr) {
      std::printf("- %s  %s  skipped: needs %s\n", trial.chosen.id().c_str(), name.c_str(),
                  trial.expected.needs == "gpu" ? "a GPU" : trial.expected.needs.c_str());
      return;
    }
    const auto begin = std::chrono::steady_clock::now();
    // The reference prediction goes with every submission, so that only its own fault can fail it.
    const fs::path prediction =
        (trial.kind == Kind::kSkeleton ? trial.chosen.folder(paths_) : trial.chosen.solutions(paths_)) /
        trial.chosen.lab->prediction;
    std::function<bool(const std::vector<Check>&)> enough;
    if (trial.kind == Kind::kWrong)
      enough = [&](const std::vector<Check>& checks) { return is_refused(trial.expected, checks); };
    const Result result = bench->grade(trial.chosen, {.source = source, .prediction = prediction}, 0, enough);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const std::string fault = fault_of(trial, result);
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%5.1f s", wall.count());
    print(fault.empty(), trial.chosen.id(),
          name + "  " + pad_right(came_to(result), 16) + " " + seconds + "  " +
              (fault.empty() ? figures(result) : fault));
    if (!fault.empty()) explain(result);
  }

  /// What the judge said, so that the author need not run it again.
  static void explain(const Result& result) {
    int said = 0;
    for (const Check& check : result.checks)
      if (check.verdict == Verdict::kFail && said++ < kExplained)
        std::printf("      %s: %s %s\n", check.id.c_str(), std::string(name_of(check.reason)).c_str(),
                    wrap(printable(check.message), 1 << 20)[0].c_str());
    if (said > kExplained) std::printf("      and %d more\n", said - kExplained);
  }

  const Paths& paths_;
  const AuthorCheckRequest& request_;
  Terminal terminal_;
  Workbench workbench_;
  std::map<std::string, Workbench> others_;  ///< by device, for submissions that make sense there alone
  int name_width_ = 0, checked_ = 0, deviations_ = 0;
};

}  // namespace

int author_check_verb(const Paths& paths, const AuthorCheckRequest& request) {
  const std::vector<Lab>& labs = all_labs();
  const std::vector<Chosen> parts = request.labs.empty() ? all_parts(labs) : select(labs, request.labs);
  if (parts.empty()) throw InfrastructureError("this build has no labs to check");
  return AuthorCheck(paths, request).run(parts);
}

}  // namespace roofline::grader
