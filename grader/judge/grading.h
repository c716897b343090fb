// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/call/examine.h"
#include "grader/call/rig.h"
#include "grader/judge/judge.h"

/// The state of one grade, shared by its stages: correctness.cpp, performance.cpp, judge.cpp.
namespace roofline::grader {

struct Grading {
  const Lab& lab;
  const Part& part;
  const BuiltSubmission& submission;
  const DeviceChoice& device;
  const GradeOptions& options;
  DeviceFacts facts;
  Result result;
  std::shared_ptr<Budget> budget = std::make_shared<Budget>(options.limits);  ///< of the submission
  std::uint64_t calls = 0;  ///< counts calls, so that each has a seed of its own

  /// Simulated: the largest case that passed, and its time on the device. What is hopeless there is not timed
  /// at full size, which would take minutes to simulate.
  struct Probe {
    Settings settings;
    std::string title;
    double bytes = 0, seconds = 0;
  };
  std::optional<Probe> probe{};
  bool ended = false;        ///< GradeOptions::enough said so
  bool tried_again = false;  ///< a call whose deadline passed while other programs had the processors

  std::uint64_t next_seed();
  /// A deadline that passed while other programs had most of the processors is no verdict yet: once in a
  /// grade the call is made again, at the cost of the same budget.
  bool tries_again(const Fault& fault);
  /// How a worker with the submission runs.
  RigOptions rig_options(const DeviceChoice& where, double deadline_seconds) const;
  void progress(const std::string& step, const std::string& detail, double fraction) const;
  Check& add(Check check);  ///< to the result
  ExamineOptions examine_options() const;
};

/// Every case on `device`; ids get `prefix`.
void grade_correctness(Grading& grading, const DeviceChoice& device, const std::string& prefix);
/// Goals, sweeps, overlaps, structure, qualities.
void grade_performance(Grading& grading);
/// Two instances, new ones; the worse counts.
void grade_quality(Grading& grading, const Quality& quality);

/// What only counters tell of a file that a GPU is about to time.
struct Counted {
  std::optional<Check> fault;    ///< work that was skipped, or what else a timed call must not do
  std::vector<Check> structure;  ///< every rule
};
/// The graded calls on the simulated device that is most like the GPU, whose times do not matter.
Counted count_in_simulation(Grading& grading);

/// Whether a timed call may find in L2 what an earlier one left there.
enum class Caches : std::uint8_t { kCold, kWarm };

/// A timed call of a program: fresh input, checked output, its time.
struct TimedCall {
  Fault fault;
  double device_seconds = 0;  ///< first kernel's start to last kernel's end; the call where it copies
  double host_seconds = 0;    ///< from the call to the end of its work
  double wall_seconds = 0;    ///< of ours
  sim::Region region;
  std::vector<std::pair<std::string, Detail>> detail;
};
/// Simulated devices only: the machine keeps the time.
TimedCall timed_call(Rig& rig, const Program& program, const Settings& settings, std::uint64_t seed,
                     const ExamineOptions& options, Caches caches = Caches::kCold);

/// Value of a roof, in its unit. Throws InfrastructureError.
RoofValue measure_roof(const Roof& roof, const DeviceChoice& device, const DeviceFacts& facts,
                       const GradeOptions& options, std::uint64_t seed);

/// The trusted copy program on a small size: if it fails, the fault is ours. Throws InfrastructureError.
void run_sentinel(const DeviceChoice& device, const DeviceFacts& facts, const GradeOptions& options,
                  std::uint64_t seed);

/// Room that a call of this program with these settings needs in the two shared memories.
struct Room {
  std::uint64_t input = 0, output = 0;
  void include(const CallPlan& plan);
  bool fits(const CallPlan& plan) const;
};

/// Events around the call would see the kernels from first to last; with copies or fills the whole region
/// counts.
double device_seconds(const sim::Region& region);
/// From the first kernel's start to the last one's end; 0 without kernels.
double kernel_seconds(const sim::Region& region);
std::string limiter_of(const sim::Region& region);
std::vector<KernelSummary> summarise_kernels(const sim::Region& region);

}  // namespace roofline::grader
