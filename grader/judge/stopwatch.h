// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/judge/grading.h"

namespace roofline::grader {

/// Times of one setting, and the roof they are compared with.
struct TimedSeries {
  Fault fault;       ///< of the submission: no times
  double doubt = 0;  ///< GPU: where it would not settle, by what share the fraction of the roof may be off
  TimeSummary time;
  RoofValue roof;
  std::optional<sim::Region> region;   ///< simulated: the first call
  std::optional<sim::Region> last;     ///< simulated: the last one, if there were several
  std::vector<sim::LineRecord> lines;  ///< simulated: what every instruction did in the first call
  Timeline timeline;                   ///< simulated: of the first call, where the part has one to show
  std::vector<OneTime> one_time;       ///< Part::prepares
  std::vector<std::pair<std::string, Detail>> detail;
};

/// Whether the times so far tell enough, so that no other call is needed: on a GPU asked where they would not
/// settle, on a simulated device after each call.
using TellsEnough = std::function<bool(const TimedSeries&)>;

/// Times the learner's function at a graded size: every call has fresh inputs, and its output is checked.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// At least `calls` calls, on a simulated device up to as many. Throws InfrastructureError when the roof's
  /// own program fails.
  virtual TimedSeries time(const Settings& settings, Clock clock, const Roof& roof, unsigned calls,
                           Caches caches = Caches::kCold, const TellsEnough& tells_enough = {}) = 0;
  /// A roof by itself. Throws InfrastructureError when its program fails.
  virtual RoofValue value_of(const Roof& roof) = 0;
};

/// The simulated device keeps virtual time: two calls tell all there is. Its caches are what the calls
/// before made them.
std::unique_ptr<Stopwatch> simulated_stopwatch(Grading& grading);
/// Events on a GPU, interleaved with the roof's program.
std::unique_ptr<Stopwatch> gpu_stopwatch(Grading& grading);

}  // namespace roofline::grader
