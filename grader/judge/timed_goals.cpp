// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/timed_goals.h"

#include "grader/base/units.h"
#include "grader/judge/call_profile.h"
#include "grader/judge/performance_checks.h"
#include "grader/judge/stopwatch.h"
#include "grader/judge/structure_rules.h"
#include "grader/lab/declared_work.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace {

class TimedGoals {
 public:
  /// `structure`: what was decided elsewhere, on a simulated device; a GPU counts nothing.
  explicit TimedGoals(Grading& grading, std::vector<Check> structure)
      : g_(grading),
        decided_(std::move(structure)),
        stopwatch_(grading.facts.simulated ? simulated_stopwatch(grading) : gpu_stopwatch(grading)),
        steps_(grading.part.goals.size() + grading.part.shown.size() + grading.part.overlaps.size()) {
    for (const Sweep& sweep : grading.part.sweeps) steps_ += sweep.values.size();
    if (g_.facts.simulated && !g_.options.simulator_directory.empty())
      device_ = sim::load_device(g_.options.simulator_directory / "devices", g_.device.id);
  }

  void run() {
    for (const Goal& goal : g_.part.goals)
      if (!g_.ended) grade_goal(goal);
    for (const Sweep& sweep : g_.part.sweeps)
      if (!g_.ended) grade_sweep(sweep);
    for (const Overlap& overlap : g_.part.overlaps)
      if (!g_.ended) grade_overlap(overlap);
    if (g_.ended) return;
    if (!g_.options.brief)
      for (const Goal& goal : g_.part.shown) show(goal);
    for (const Check& check : decided_) g_.add(check);
    if (!decided_.empty()) return;
    for (Check& check : structure_checks(g_.part, counted_, g_.facts.simulated)) g_.add(std::move(check));
  }

 private:
  /// Two calls, or three: the worker cannot know how many. Where no medal is given, one will do.
  unsigned calls() { return g_.options.brief ? 1 : 2 + static_cast<unsigned>(g_.next_seed() & 1); }

  TimedSeries time(const Settings& settings, Clock clock, const Roof& roof, unsigned calls,
                   Caches caches = Caches::kCold, const TellsEnough& tells_enough = {}) {
    TimedSeries series = stopwatch_->time(settings, clock, roof, calls, caches, tells_enough);
    // Nothing is timed before the cases are right: the function is there, but not for this size.
    if (series.fault.reason == Class::kNotImplemented)
      series.fault = {Class::kWrongAnswer, "nothing was written here", {}, 0};
    return series;
  }

  void progress(const std::string& detail) {
    g_.progress("performance", detail,
                0.5 + 0.5 * static_cast<double>(done_++) / static_cast<double>(steps_));
  }

  /// A GPU counts nothing: its point is what the lab says a call must do.
  void place_declared(const Goal& goal, const Settings& settings, const TimedSeries& series) {
    const DeclaredWork work = declared_work(goal, settings);
    g_.result.profile.points.push_back({.id = goal.id,
                                        .flops = work.flops,
                                        .dram_bytes = work.bytes,
                                        .us = series.time.median_us,
                                        .tensor = roof(goal.roof).kind == RoofKind::kTensor});
  }

  void remember(TimedSeries& series, const Settings& settings, const std::string& id) {
    if (!series.region) return;
    GradeProfile& profile = g_.result.profile;
    profile.points.push_back(roofline_point(id, *series.region, series.time.median_us));
    add_counts(profile.lines, counts_by_line(series.lines, g_.submission.source));
    if (device_)
      add_advice(profile.advice, advice_on(*series.region, series.lines, *device_, g_.submission.source));
    if (profile.timeline.spans.empty()) profile.timeline = std::move(series.timeline);
    const auto kernels = summarise_kernels(*series.region);
    g_.result.kernels.insert(g_.result.kernels.end(), kernels.begin(), kernels.end());
    counted_.push_back({std::move(*series.region), settings, std::move(series.last)});
  }

  /// Rate of the probe in the roof's unit as a share of the data sheet, where it is hopeless: below a tenth
  /// of what passes, on a size at which launch overhead costs an honest kernel about half.
  std::optional<Fault> hopeless(const std::function<double(const Settings&)>& work, const Roof& against,
                                double pass) const {
    constexpr double kTelling = 4e6;  ///< bytes: smaller cases are all overhead
    if (!g_.facts.simulated || !g_.probe || g_.probe->bytes < kTelling || !against.data_sheet ||
        !(g_.probe->seconds > 0))
      return {};
    for (const auto& [name, value] : g_.part.cases.empty() ? NamedValues() : g_.part.cases[0].settings) {
      if (!g_.probe->settings.find(name)) return {};
    }
    const double rate = work(g_.probe->settings) / g_.probe->seconds / against.unit_scale;
    const double share = rate / against.data_sheet(g_.facts);
    if (!(share < pass / 10)) return {};
    return Fault{Class::kTooSlow,
                 "already at " + g_.probe->title + " it reaches " + format_number("%.3g", rate) + " " +
                     against.unit + ", " + format_number("%.5f", share) +
                     " of the data sheet: not timed at full size",
                 {},
                 0};
  }

  /// What `hopeless` saw, as a share of the roof: steps are judged from it.
  double probe_fraction(const Goal& goal) {
    const Roof& against = roof(goal.roof);
    const double rate = goal.work(g_.probe->settings) / g_.probe->seconds / against.unit_scale;
    return rate / stopwatch_->value_of(against).value;
  }

  void grade_goal(const Goal& goal) {
    progress(goal.title);
    const Settings settings(goal.settings, g_.facts);
    const Thresholds thresholds = thresholds_for(goal.thresholds, g_.facts.capability);
    if (goal.clock == Clock::kDevice && goal.budget.empty()) {
      if (auto fault = hopeless(goal.work, roof(goal.roof), thresholds.lowest())) {
        give_up(goal.id, goal.title, std::move(*fault));
        g_.result.checks.back().detail.emplace_back("fraction", probe_fraction(goal));
        return;
      }
    }
    const auto line_of = [&](const TimedSeries& series) {
      Measurement line;
      if (!series.fault)
        line = goal.budget.empty() ? measurement(series, goal.work(settings), roof(goal.roof), thresholds)
                                   : budget_measurement(series, budget_of(goal.budget, settings), thresholds);
      line.id = goal.id;
      line.title = goal.title;
      return line;
    };
    // Simulated times have no noise. A second call is there for what the first one leaves behind, which saves
    // nobody whose kernels took more than twice the time that passes.
    const auto tells_enough = [&](const TimedSeries& series) {
      const Measurement line = line_of(series);
      if (g_.facts.simulated) return goal.clock == Clock::kDevice && 2 * line.fraction < thresholds.lowest();
      return performance_check(line, series, false).verdict != Verdict::kNoisy;
    };
    TimedSeries series = time(settings, goal.clock, roof(goal.roof), calls(), Caches::kCold, tells_enough);
    const Measurement line = line_of(series);
    if (!series.fault) {
      if (goal.flops) {
        const double tflops = goal.flops(settings) / (series.time.median_us * 1e-6) * 1e-12;
        if (const auto why = impossible(0, tflops, g_.facts, goal.flops.types))
          series.fault = {Class::kImpossible, *why, {}, 0};
        if (series.region)
          if (const auto why = skipped_work(*series.region, goal.flops, settings))
            series.fault = {Class::kImpossible, *why, {}, 0};
      }
      if (g_.result.one_time.empty()) g_.result.one_time = std::move(series.one_time);
      remember(series, settings, goal.id);
    }
    g_.result.measurements.push_back(line);
    Check judged = performance_check(line, series, g_.facts.simulated);
    if (!series.fault && !goal.budget.empty())
      judged.message += budget_text(budget_of(goal.budget, settings));
    const Check& check = g_.add(std::move(judged));
    if (!g_.facts.simulated && !series.fault && check.verdict != Verdict::kNoisy)
      place_declared(goal, settings, series);
  }

  std::vector<BudgetTime> budget_of(const std::vector<BudgetLine>& budget, const Settings& settings) {
    std::vector<BudgetTime> times;
    for (const BudgetLine& line : budget) {
      BudgetTime time{line.what, "", 0};
      for (const RoofShare& share : line.shares) {
        const double seconds = seconds_alone(share, settings);
        if (!(seconds > time.seconds)) continue;
        time.seconds = seconds;
        time.roof = share.roof;
      }
      times.push_back(std::move(time));
    }
    return times;
  }

  double seconds_alone(const RoofShare& share, const Settings& settings) {
    const Roof& against = roof(share.roof);
    return share.work(settings) / (stopwatch_->value_of(against).value * against.unit_scale);
  }

  void grade_overlap(const Overlap& overlap) {
    progress(overlap.title);
    const Settings settings(overlap.settings, g_.facts);
    TimedSeries series = time(settings, Clock::kDevice, roof(overlap.kernels.roof), calls());
    OverlapTimes times;
    times.kernels = seconds_alone(overlap.kernels, settings);
    for (const RoofShare& copy : overlap.copies) times.copies += seconds_alone(copy, settings);
    times.together = series.time.median_us * 1e-6;
    Measurement line;
    if (!series.fault)
      line = overlap_measurement(series, times, thresholds_for(overlap.thresholds, g_.facts.capability));
    line.id = overlap.id;
    line.title = overlap.title;
    g_.result.measurements.push_back(line);
    g_.add(overlap_check(line, series, times, g_.facts.simulated));
    if (!series.fault) remember(series, settings, overlap.id);
  }

  /// A line that is printed and never graded. The median of three calls on the same buffers: the later two
  /// find in the caches what the first one left there.
  void show(const Goal& goal) {
    progress(goal.title);
    const Settings settings(goal.settings, g_.facts);
    const TimedSeries series = time(settings, goal.clock, roof(goal.roof), 3, Caches::kWarm);
    if (series.fault || series.doubt > 0) return;
    Measurement line = measurement(series, goal.work(settings), roof(goal.roof), PerMedal::zeros());
    line.id = goal.id;
    line.title = goal.title;
    line.medal = Medal::kNone;
    line.limiter.clear();  // of the first call, which found cold caches
    g_.result.shown.push_back(std::move(line));
  }

  /// A line without a time, and its check.
  void give_up(const std::string& id, const std::string& title, Fault fault) {
    Measurement line;
    line.id = id;
    line.title = title;
    TimedSeries series;
    series.fault = std::move(fault);
    g_.result.measurements.push_back(line);
    g_.add(performance_check(line, series, g_.facts.simulated));
  }

  void grade_sweep(const Sweep& sweep) {
    const double pass = thresholds_for(sweep.lowest, g_.facts.capability).lowest();
    if (auto fault = hopeless(sweep.bytes, roof(sweep.memory_roof), pass)) {
      TimedSeries series;
      series.fault = std::move(*fault);
      abandon(sweep, sweep.values.front(), series);
      return;
    }
    SweepResult result;
    result.id = sweep.id;
    result.title = sweep.title;
    result.argument = sweep.argument;
    for (std::size_t i = 0; i < sweep.values.size(); ++i) {
      if (g_.options.brief && i % 3 != 0 && i + 1 != sweep.values.size()) continue;
      progress(sweep.argument + " = " + std::to_string(static_cast<long long>(sweep.values[i])));
      Settings settings(sweep.settings, g_.facts);
      settings.set(sweep.argument, sweep.values[i]);
      // The lower half of a sweep is timed beside the memory roof, the upper beside the compute roof.
      const bool lower = 2 * i < sweep.values.size();
      const Roof& beside = roof(lower ? sweep.memory_roof : sweep.compute_roof);
      const double bytes = sweep.bytes(settings), flops = sweep.flops(settings);
      const bool decides = i == 0 || i + 1 == sweep.values.size() || near_ridge(flops / bytes);
      TimedSeries series = time(settings, Clock::kDevice, beside, 1, Caches::kCold,
                                [&](const TimedSeries&) { return !decides; });
      if (!series.fault) {
        const double seconds = series.time.median_us * 1e-6;
        const double gbps = bytes / seconds * 1e-9, tflops = flops / seconds * 1e-12;
        if (const auto why = impossible(gbps, tflops, g_.facts))
          series.fault = {Class::kImpossible, *why, {}, 0};
        if (series.region)
          if (const auto why = skipped_work(*series.region, sweep.flops, settings))
            series.fault = {Class::kImpossible, *why, {}, 0};
        (lower ? result.memory_roof : result.compute_roof) = series.roof;
        result.points.push_back({sweep.values[i], flops / bytes, gbps, tflops, 0, series.time,
                                 series.region ? limiter_of(*series.region) : "", series.doubt});
      }
      if (series.fault) {
        abandon(sweep, sweep.values[i], series);
        return;
      }
      remember(series, settings,
               sweep.argument + " = " + std::to_string(static_cast<long long>(sweep.values[i])));
    }
    finish_sweep(result);
    for (SweepVerdict& verdict : judge_sweep(sweep, result, g_.facts)) {
      if (verdict.line) g_.result.measurements.push_back(*verdict.line);
      g_.add(std::move(verdict.check));
    }
    g_.result.sweeps.push_back(std::move(result));
  }

  /// Near what the data sheet says, the point may be the one at the measured ridge.
  bool near_ridge(double intensity) const {
    constexpr double kFactor = 3;
    const double ridge = g_.facts.fp32_tflops * 1e12 / (g_.facts.pin_gbps * 1e9);
    return intensity > ridge / kFactor && intensity < ridge * kFactor;
  }

  /// A sweep with a point that failed has no roofline; its lines earn nothing.
  void abandon(const Sweep& sweep, double value, const TimedSeries& series) {
    Check check{.id = sweep.id, .title = sweep.title, .kind = CheckKind::kPerformance};
    const std::string at = sweep.argument + " = " + std::to_string(static_cast<long long>(value)) + ": ";
    check.verdict = Verdict::kFail;
    check.reason = series.fault.reason;
    check.message = at + series.fault.message;
    check.file = series.fault.file;
    check.line = series.fault.line;
    check.detail = series.detail;
    for (const char* end : {"-lowest", "-highest"}) {
      Measurement line;
      line.id = sweep.id + end;
      line.title = sweep.title;
      g_.result.measurements.push_back(std::move(line));
    }
    g_.add(std::move(check));
  }

  Grading& g_;
  std::vector<Check> decided_;
  std::unique_ptr<Stopwatch> stopwatch_;
  std::optional<sim::DeviceDescription> device_;
  std::size_t steps_ = 0, done_ = 0;
  std::vector<CountedCalls> counted_;
};

}  // namespace

void grade_timed_goals(Grading& grading, std::vector<Check> structure) {
  TimedGoals(grading, std::move(structure)).run();
}

}  // namespace roofline::grader
