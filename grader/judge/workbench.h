// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <future>
#include <memory>
#include <string>

#include "grader/base/paths.h"
#include "grader/build/build.h"
#include "grader/judge/explanations.h"
#include "grader/judge/judge.h"
#include "grader/judge/traced_call.h"
#include "grader/lab/selection.h"
#include "grader/text/progress_line.h"

namespace roofline::grader {

/// One submission: a file and the prediction that goes with it.
struct Submission {
  std::filesystem::path source;
  std::filesystem::path prediction;
  std::string shown{};  ///< what messages call the source; empty: its path
};

/// Builds and judges: what `grade`, `roofs` and `author-check` share.
class Workbench {
 public:
  /// Throws UsageError for a device that does not exist, InfrastructureError for a missing toolkit.
  Workbench(const Paths& paths, const std::string& device, Sandbox sandbox = Sandbox::kNone);

  /// Builds the worker and lets the judge grade it; a file that does not compile, or was not handed in (no
  /// source), is a result with one check. `enough`: see GradeOptions.
  Result grade(const Chosen& chosen, const Submission& submission, std::uint64_t seed,
               std::function<bool(const std::vector<Check>&)> enough = {});

  /// Builds only, into the cache: what the judge would say of it.
  Check compile(const Chosen& chosen, const Submission& submission);

  /// What grading it will compile, into the cache meanwhile: nothing on a GPU, whose times it would disturb.
  /// What does not compile, grading tells. The workbench outlives what is returned.
  [[nodiscard]] std::future<void> compile_ahead(const Chosen& chosen, const Submission& submission) const;

  /// Small cases, and one call of each goal: how it goes, without a medal (`grade --quick`).
  Result grade_briefly(const Chosen& chosen, const Submission& submission, std::uint64_t seed);

  /// A file as the worker of a part; throws InfrastructureError where our own parts do not compile. May be
  /// called from several threads.
  BuildResult build(const Chosen& chosen, const std::filesystem::path& source,
                    const std::vector<std::string>& libraries = {});
  /// The line that tells a person what is being done.
  ProgressLine& progress() { return progress_; }
  GradeOptions options(std::uint64_t seed);
  /// Small cases only, within seconds: for `watch`. Never a pass, see GradeOptions::quick_seconds.
  Result check(const Chosen& chosen, const Submission& submission);

  /// Runs a file of the part once more, watched: what one warp does at one of its lines. Throws UsageError
  /// where it does not compile or has no such line.
  LanePictures lanes(const Chosen& chosen, const std::filesystem::path& source,
                     const sim::PictureRequest& request);

  /// Measured on a GPU, modelled in simulation.
  std::vector<RoofValue> measure_roofs(const std::vector<std::string>& ids = {});

  /// Into the cache: these parts' files as they are, what stands around them, and every roof of the device.
  void compile_all(const std::vector<Chosen>& parts);

  /// Of the simulated device; 0: all cores.
  void use_threads(unsigned threads) { threads_ = threads; }

  /// What the submission may take.
  void limit(const BudgetLimits& limits) { limits_ = limits; }

  const DeviceChoice& device() const { return device_; }
  /// Known without running anything.
  DeviceRecord device_record() const;

 private:
  BuildRequest request(const Chosen& chosen, const std::filesystem::path& source) const;
  BuildRequest request(const Roof& roof) const;
  void compile_roofs(const std::vector<std::string>& ids) const;
  std::future<void> compile_roofs_ahead(const Part& part) const;
  Result judge(const Chosen& chosen, const Submission& submission, GradeOptions options);
  Result judge_answers(const Chosen& chosen, const Submission& submission);
  std::string shown(const Submission& submission) const;

  Paths paths_;
  DeviceChoice device_;
  Sandbox sandbox_;
  ProgressLine progress_;
  Builder builder_;
  std::vector<int> capabilities_;
  unsigned threads_ = 0;
  BudgetLimits limits_;
};

/// SHA-256 over the files of a lab that a learner does not edit.
std::string lab_sha256(const Chosen& chosen, const Paths& paths);

/// The check that says whether a file compiled; `own`: what the compiler's words mean in its lab.
Check build_check(const BuildResult& built, const std::vector<ErrorMeaning>& own = {});

}  // namespace roofline::grader
