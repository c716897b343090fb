// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/box/box.h"
#include "grader/call/budget.h"
#include "grader/call/device.h"
#include "grader/judge/explanations.h"
#include "grader/lab/roof.h"
#include "grader/lab/spec.h"
#include "grader/result/result.h"

/// The judge: gives a worker fresh inputs, reads its outputs, decides. It starts the device and the worker,
/// and neither links nor parses anything of the learner's.
namespace roofline::grader {

/// What is graded: a built worker, or why there is none, and where it comes from.
struct BuiltSubmission {
  std::filesystem::path worker{};      ///< executable: learner's .cu + generated entry + libroofline_worker.a
  std::filesystem::path prediction{};  ///< prediction.toml; may be empty or absent
  std::string source{};                ///< what the compiler was told to call the learner's file
  std::optional<Check> build{};        ///< whether it compiled; nothing else is looked at where it did not
  std::string source_sha256{}, lab_sha256{};
  DeviceRecord device{};  ///< what is known of the device without running anything
  Explanations explanations{};
  double build_seconds = 0;  ///< counts as part of the grade's wall time
};

struct Progress {
  std::string step{};    ///< "correctness", "roof copy", "performance"
  std::string detail{};  ///< "n = 257"
  double fraction = 0;   ///< 0..1 of the whole grade; negative: unknown
};

struct GradeOptions {
  std::uint64_t seed = 0;  ///< 0: drawn from the kernel
  /// Above 0: small cases only, once each with every check of the simulated device on, as many as this many
  /// seconds allow; no times. Such a result is never a pass: at best it is `skipped` (watch).
  double quick_seconds = 0;
  /// With quick_seconds: the goals are timed as well, once each. Still never a pass (`grade --quick`).
  bool brief = false;
  std::filesystem::path simulator_directory{};     ///< machine executables, libcudart.so.13, devices/
  std::filesystem::path cuda_library_directory{};  ///< libcudart.so.13 of the toolkit, for a GPU
  std::filesystem::path roof_cache{};  ///< directory; simulated roofs are remembered here. Empty: no cache.
  std::filesystem::path roofs_that_came{};  ///< more of them, with a course that was handed out built
  /// Builds (or finds) a roof's worker. Throws when it cannot; the verdict is then `error`.
  std::function<std::filesystem::path(const Roof&)> roof_worker{};
  std::function<void(const Progress&)> on_progress{};  ///< may be empty
  unsigned threads = 0;                                ///< of the simulated device; 0: all cores
  bool release_build = true;                           ///< false: performance is refused (debug build)
  Sandbox sandbox = Sandbox::kNone;                    ///< what workers run in
  BudgetLimits limits{};                               ///< of the submission, all its calls together
  /// Asked about the checks so far whenever one has failed: true ends the grade, for somebody who wants to
  /// know the verdict and its reason alone. What was not looked at is then not in the result.
  std::function<bool(const std::vector<Check>&)> enough{};
};

/// Grades one part; the result is complete. Never throws for a fault of the submission or of the device:
/// those are verdicts.
Result grade(const Lab& lab, const Part& part, const BuiltSubmission& submission, const DeviceChoice& device,
             const GradeOptions& options);

/// Measures (GPU) or models (simulated) every roof named; all of them when `ids` is empty.
/// Throws std::runtime_error when a roof cannot be run.
std::vector<RoofValue> roofs(const DeviceChoice& device, const GradeOptions& options,
                             const std::vector<std::string>& ids = {});

}  // namespace roofline::grader
