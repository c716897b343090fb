// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "grader/result/lane_picture.h"
#include "grader/result/medal.h"

/// The one internal result, `lab/result/v1`. Exporters and tables read it, nothing else decides.
namespace roofline::grader {

enum class Verdict : std::uint8_t { kPass, kFail, kNoisy, kSkipped, kError };
std::string_view name_of(Verdict verdict);  ///< "pass", "fail" ...

/// Why a check did not pass.
enum class Class : std::uint8_t {
  kNone,
  kDoesNotCompile,
  kWrongAnswer,
  kOutOfBounds,
  kMisaligned,
  kRace,
  kUninitialised,
  kDeadlock,
  kCrashed,
  kTimeout,
  kTooSlow,
  kImpossible,
  kNotImplemented,
  kMemoryLimit,
  kBudgetExceeded,
  kDoubleFree,
  kNotReleased,
  kHostComputed,
  kInputChanged,
  kWrongStructure,
  kWrongPrediction,
  kNotAnswered,
  kInfrastructure,
  kNotReached,  ///< the time of a class ran out before it was graded
  kUnsupportedDevice
};
std::string_view name_of(Class reason);  ///< "wrong-answer", "out-of-bounds" ...; "" for kNone

enum class CheckKind : std::uint8_t { kBuild, kCorrectness, kStructure, kPerformance, kPrediction };
std::string_view name_of(CheckKind kind);

/// A free-form detail: JSON number, string, boolean or array of numbers.
using Detail = std::variant<bool, double, std::string, std::vector<double>>;

struct Check {
  std::string id{}, title{};
  CheckKind kind = CheckKind::kCorrectness;
  Verdict verdict = Verdict::kFail;  ///< not passed until the judge says so
  Class reason = Class::kNone;
  std::string message{};  ///< for the learner: first line says what, further lines show data
  std::string file{};     ///< where, when the device named a line
  unsigned line = 0;
  std::vector<std::pair<std::string, Detail>> detail{};
  const std::string& label() const { return title.empty() ? id : title; }  ///< what a person reads
};

struct TimeSummary {
  double median_us = 0, q1_us = 0, q3_us = 0;
  unsigned n = 0;
};

struct RoofValue {
  std::string id, title;  ///< "copy", "read and write DRAM, one to one"
  std::string unit;       ///< "GB/s", "TFLOP/s"
  double value = 0;       ///< measured (GPU) or modelled (simulated), in `unit`
  double data_sheet = 0;  ///< in `unit`, 0 where there is none
  TimeSummary time;
};

/// One line of performance: achieved against a roof.
struct Measurement {
  std::string id, title;
  RoofValue roof;
  double achieved = 0;  ///< in roof.unit
  double fraction = 0;
  std::string device;                       ///< "NVIDIA H200" where it is not the result's
  PerMedal thresholds = PerMedal::zeros();  ///< of `fraction`; all 0 where the line is shown and not graded
  bool graded() const { return thresholds.lowest() > 0 || thresholds.highest() > 0; }
  Medal medal = Medal::kNone;
  TimeSummary time;
  std::string limiter;  ///< simulated: the slowest resource of the kernel ("DRAM", "FMA pipe")
  const std::string& label() const { return title.empty() ? id : title; }
};

struct SweepPoint {
  double argument = 0;   ///< repeat
  double intensity = 0;  ///< FLOP per byte
  double gbps = 0, tflops = 0;
  double roof_fraction = 0;  ///< of min(intensity x memory roof, compute roof)
  TimeSummary time;
  std::string limiter;
  double doubt = 0;  ///< GPU: as TimedSeries::doubt
};
struct SweepResult {
  std::string id, title, argument;
  RoofValue memory_roof, compute_roof;
  double ridge = 0;  ///< FLOP per byte where the two roofs meet
  double knee = 0;   ///< argument at the ridge (interpolated)
  std::vector<SweepPoint> points;
};

/// A kernel of the graded call, for tables and for `./lab report`.
struct KernelSummary {
  std::string name, limiter;
  double seconds = 0;
  double dram_bytes = 0, flops = 0, occupancy = 0;
  double sectors = 0, ideal_sectors = 0;
  double lane_instructions = 0;  ///< instructions executed, counted a lane
};

/// Points that one kind of checks earned: what the total is made of.
struct ScoreLine {
  std::string id, title;  ///< "correctness", "the result is right"
  double points = 0, max = 0;
};

/// A small win inside a part, and whether this file has it.
struct StepResult {
  std::string id, title, how;
  std::string measurement;  ///< that decides it; empty: none
  bool reached = false;
  double fraction = 0;  ///< of the roof that decides; 0 where nothing was timed
};

/// A cost that a submission has once, before its calls or at the first of them.
struct OneTime {
  std::string what;
  double us = 0;
};

/// Where a graded call stands on the roofline: what the device counted, in the time that was graded.
struct RooflinePoint {
  std::string id;  ///< of the measurement, or of the sweep with its argument: "bandwidth", "repeat = 8"
  double flops = 0, dram_bytes = 0, us = 0;
  bool tensor = false;  ///< most of the operations were matrix products on Tensor Cores
};

/// What one line of the graded file did in the timed calls, over all its kernels.
struct LineCounts {
  unsigned line = 0;
  double warps = 0, lanes = 0;  ///< warp instructions, and the lanes active in them
  double sectors = 0, ideal_sectors = 0;
  double wavefronts = 0, ideal_wavefronts = 0;  ///< passes over shared memory
  double local_sectors = 0;
};

/// What the advisor says about a line of the graded file; line 0: about the whole.
struct LineAdvice {
  unsigned line = 0;
  std::string rule, message;
  double gain = 0;  ///< estimate: share of the device time that following it may save
};

/// A piece of work in the timeline of a graded call.
struct TimelineSpan {
  std::string kind;  ///< "call" "wait" "kernel" "copy-in" "copy-out" "copy" "fill"
  std::string name;
  unsigned stream = 0;
  double start_us = 0, end_us = 0;  ///< from the beginning of the call
};
struct Timeline {
  std::vector<TimelineSpan> spans;
  double shown_us = 0, whole_us = 0;  ///< the spans cover the first `shown_us` of the call
};

/// What a simulated device saw while performance was graded: enough to draw the report from the stored
/// result alone.
struct GradeProfile {
  std::vector<RooflinePoint> points;
  std::vector<LineCounts> lines;   ///< by line
  std::vector<LineAdvice> advice;  ///< the largest gain first
  std::vector<LaneRequest> lanes;  ///< one request of a warp, of the line that wastes most
  Timeline timeline;
  bool empty() const {
    return points.empty() && lines.empty() && advice.empty() && lanes.empty() && timeline.spans.empty();
  }
};

/// Data-sheet rates, 0 where unknown.
struct DataSheet {
  double gbps = 0, fp32_tflops = 0, tensor_tflops = 0;
};

struct DeviceRecord {
  bool simulated = true;
  std::string name, id;
  std::string capability;              ///< "8.0"
  std::string driver, toolkit, model;  ///< model: the time model's version; empty on a GPU
  DataSheet sheet;
  std::vector<std::pair<std::string, std::string>> environment;  ///< clocks, ECC, PCIe ... on a GPU

  /// Whether numbers of the simulated GPU were changed for an experiment: "h200,sms=66".
  bool changed() const { return simulated && id.find(',') != std::string::npos; }
  /// These changes as they were given, {"sms", "66"}.
  std::vector<std::pair<std::string, std::string>> changes() const;
};

struct Result {
  std::string lab, part, title;  ///< "01-pointwise", "01"
  std::string lab_sha256, source_path, source_sha256;
  DeviceRecord device;
  std::uint64_t seed = 0;
  std::string started;  ///< RFC 3339, UTC
  double wall_s = 0;
  Verdict verdict = Verdict::kFail;
  Class reason = Class::kNone;  ///< class of the first check that failed
  Medal medal = Medal::kNone;
  double points = 0, max_points = 100;
  std::vector<ScoreLine> lines;  ///< where the points come from; their sum is `points`, up to rounding
  std::vector<Check> checks;
  std::vector<Measurement> measurements;
  std::vector<Measurement> shown;  ///< not graded
  std::vector<OneTime> one_time;   ///< not graded
  std::vector<StepResult> steps;   ///< no points
  std::vector<SweepResult> sweeps;
  std::vector<KernelSummary> kernels;
  GradeProfile profile;
  bool brief = false;          ///< `grade --quick`: no medal and no points; kept and exported nowhere
  std::string program_output;  ///< what the worker printed: capped, sanitised, never parsed

  const Check* find(std::string_view id) const;
};

/// A quick check (watch) that found nothing wrong in the cases it ran: `skipped`, because times are missing.
bool right_not_timed(const Result& result);

/// 0 passed, 1 not passed, 3 no verdict for no fault of the student.
int exit_status(const Result& result);

}  // namespace roofline::grader
