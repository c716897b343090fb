// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/bench/bench_work.h"
#include "grader/bench/contender.h"
#include "grader/judge/gpu_timing.h"

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
  /// The roofs of a work; throws InfrastructureError.
  RoofRates rates(const BenchWork& work);

  /// A version at its work: in simulation a call, on a GPU rounds.
  class Timing {
   public:
    /// Starts a worker, and warms it up on a GPU.
    Timing(Arena& arena, const Entrant& entrant);
    /// One call or one round, and a look at the result.
    void play();
    /// Median seconds of each play().
    const std::string& problem() const { return problem_; }
    const std::vector<double>& seconds() const { return seconds_; }
    const std::string& limiter() const { return limiter_; }  ///< simulated

   private:
    void simulated_call();
    void round();
    /// A wrong result of a version that computes none is no fault.
    void note(const Fault& fault);

    const Entrant& entrant_;
    std::optional<Rig> rig_;
    std::optional<GpuSeries> series_;
    ExamineOptions examine_;
    std::vector<double> seconds_;
    std::string problem_, limiter_;
  };
  /// The entrant's timing, all rounds played. On a GPU all of `entrants` that have the same work, and its
  /// roofs, take turns round by round, so that heat and clocks treat them alike.
  const Timing& timing(const Entrant& entrant, const std::vector<Entrant>& entrants);

 private:
  void take_turns(const BenchWork& work, const std::vector<Entrant>& entrants);

  const DeviceChoice& device_;
  GradeOptions options_;
  DeviceFacts facts_;
  std::map<std::string, double> rates_;
  std::map<const Entrant*, std::unique_ptr<Timing>> timings_;  ///< of the last work
};

}  // namespace roofline::grader
