// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/bench_work.h"
#include "grader/contender.h"
#include "grader/gpu_timing.h"

namespace roofline::grader {

/// A part as it is benched: its own copy, in which what is drawn anew in every run is drawn once, the same
/// for every version and every run.
struct BenchPart {
  Chosen chosen;
  std::shared_ptr<const Part> part;
  std::vector<BenchWork> works;
};

/// One version at one work.
struct Entrant {
  const BenchPart* of = nullptr;
  const BenchWork* work = nullptr;
  Contender contender;
  std::filesystem::path worker;  ///< empty: `problem` says why
  std::string problem;
  Settings settings;  ///< the work's, or smaller ones where the contender asks for it

  /// "04/product/solution"
  std::string id() const;
};

/// Where entrants run, and the roofs they are compared with: each measured once.
class Arena {
 public:
  Arena(const DeviceChoice& device, GradeOptions options, DeviceFacts facts)
      : device_(device), options_(std::move(options)), facts_(std::move(facts)) {}

  const DeviceFacts& facts() const { return facts_; }
  const GradeOptions& options() const { return options_; }
  /// In simulation one call tells all there is; on a GPU so many rounds.
  int rounds() const { return facts_.simulated ? 1 : 5; }
  /// The roofs of a work; throws InfrastructureFault.
  RoofRates rates(const BenchWork& work);

  /// Starts a worker, and warms it up on a GPU.
  class Timing {
   public:
    Timing(Arena& arena, const Entrant& entrant);
    /// Seconds of the next call or round; nothing when it failed.
    std::optional<double> next();
    /// Checks the last output; after the last round.
    void check();
    const std::string& problem() const { return problem_; }
    const std::vector<double>& seconds() const { return seconds_; }
    const std::string& limiter() const { return limiter_; }  ///< simulated

   private:
    std::optional<double> simulated_call();
    /// A wrong result of a version that computes none is no fault.
    void note(const Fault& fault);

    Arena& arena_;
    const Entrant& entrant_;
    std::optional<Rig> rig_;
    std::optional<GpuSeries> series_;
    ExamineOptions examine_;
    std::vector<double> seconds_;
    std::string problem_, limiter_;
  };

 private:
  const DeviceChoice& device_;
  GradeOptions options_;
  DeviceFacts facts_;
  std::map<std::string, double> rates_;
};

}  // namespace roofline::grader
