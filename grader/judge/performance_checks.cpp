// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/performance_checks.h"

#include <algorithm>
#include <cmath>

#include "grader/base/units.h"

namespace roofline::grader {
namespace {

std::string rate(double value, const std::string& unit) {
  return format_number(value >= 100 ? "%.0f" : "%.3g", value) + " " + unit;
}

Check performance(const std::string& id, const std::string& title) {
  return {.id = id, .title = title, .kind = CheckKind::kPerformance};
}

void fill_thresholds(Measurement& line, const Thresholds& thresholds) {
  line.thresholds = thresholds;
  line.medal = medal_for(line.fraction, thresholds);
}

/// What a slow kernel that this resource holds back usually does.
std::string meaning_of_limiter(std::string_view resource) {
  struct Entry {
    std::string_view resource, meaning;
  };
  static constexpr Entry kEntries[] = {
      {"DRAM",
       "DRAM takes longest: does it move bytes that the work does not need, such as a value stored and read "
       "again?"},
      {"L2",
       "the caches move more sectors than the data has: which addresses does a warp touch in one access?"},
      {"link",
       "a kernel reads or writes memory at the rate of a link: pinned memory of the host, which a copy "
       "brings "
       "to the device while another kernel runs, or another GPU's: does each byte cross once?"},
      {"L1", "L1 serves more lines than the data has: which addresses does a warp touch in one access?"},
      {"shared", "shared memory serves more requests than it can: are there bank conflicts?"},
      {"latency",
       "the device waits for loads and for results: keep more warps, or more work a thread, in flight"},
      {"issue",
       "the schedulers are busy with instructions beside the graded work: count those of one element"},
      {"memory issue", "too many loads and stores for the bytes: wider ones, or values kept in registers"},
      {"ALU",
       "integer and logic instructions, such as indices, counters and comparisons of a loop, take the time"},
      {"FMA", "multiplications and additions take the time: one that is not fused costs as much as an FMA"},
      {"SFU", "special functions, such as divisions, exponentials and fast sines, take the time"},
      {"FP64", "doubles take the time: does a literal without an f make one?"},
      {"control", "branches take the time: is a short loop not unrolled?"},
      {"busiest warp", "one warp has much more to do than the others: share the work among them"},
      {"busiest block", "one block has much more to do than the others: share the work among them"},
      {"busiest SM", "a few blocks have most of the work, and some SM has more of them than others"},
      {"waits between blocks",
       "blocks wait for each other, one after the other: can each of them need fewer others, or know sooner "
       "what they say?"},
      {"block launch",
       "blocks end sooner than new ones can start: give each thread more elements, or wider loads"},
      {"atomics", "atomics wait for each other: combine within a warp or a block first"},
  };
  const auto* found = std::ranges::find(kEntries, resource, &Entry::resource);
  return found == std::end(kEntries) ? "" : "\n" + std::string(found->meaning);
}

/// Pass or too slow, with the figures.
void decide(Check& check, const Measurement& line) {
  check.verdict = line.medal == Medal::kNone ? Verdict::kFail : Verdict::kPass;
  check.reason = line.medal == Medal::kNone ? Class::kTooSlow : Class::kNone;
  check.message = rate(line.achieved, line.roof.unit) + " is " + format_number("%.3f", line.fraction) +
                  " of the " + line.roof.id + " roof (" + rate(line.roof.value, line.roof.unit) + ")";
  if (line.medal == Medal::kNone)
    check.message += "; " + format_number("%.2f", line.thresholds.lowest()) + " passes";
  if (!line.limiter.empty()) check.message += "; limited by " + line.limiter;
  const bool only_the_best_asks = line.thresholds.lowest() == 0 && line.medal != kBestMedal;
  if (only_the_best_asks)
    check.message += "; " + std::string(name_of(kBestMedal)) + " asks for " +
                     format_number("%.2f", line.thresholds.highest()) + " here too";
  if (line.medal == Medal::kNone || only_the_best_asks) check.message += meaning_of_limiter(line.limiter);
  check.detail.emplace_back("fraction", line.fraction);
  check.detail.emplace_back("achieved", line.achieved);
}

void not_settled(Check& check) {
  check.verdict = Verdict::kNoisy;
  check.reason = Class::kNone;
  check.message = "the times did not settle; close other programs and try again. " + check.message;
}

/// A medal that no doubt changes is known, however noisy the machine.
void doubt_medal(Check& check, const Measurement& line, double doubt) {
  if (medal_for(line.fraction / (1 + doubt), line.thresholds) !=
      medal_for(line.fraction * (1 + doubt), line.thresholds))
    not_settled(check);
}

Measurement line_at(const SweepPoint& point, const RoofValue& roof, double achieved,
                    const ThresholdTable& table, int capability, const std::string& id,
                    const std::string& title) {
  Measurement line;
  line.id = id;
  line.title = title;
  line.roof = roof;
  line.achieved = achieved;
  line.fraction = roof.value > 0 ? achieved / roof.value : 0;
  line.time = point.time;
  line.limiter = point.limiter;
  fill_thresholds(line, thresholds_for(table, capability));
  return line;
}

std::string argument_is(const SweepResult& sweep, const SweepPoint& point) {
  return sweep.argument + " = " + format_number("%.0f", point.argument);
}

Check knee_check(const Sweep& sweep, const SweepResult& result, double passes) {
  const auto& nearest = *std::ranges::min_element(result.points, {}, [&](const SweepPoint& point) {
    return std::abs(std::log(point.intensity / result.ridge));
  });
  Check check = performance(sweep.id + "-knee", "at the ridge: " + argument_is(result, nearest));
  const bool right = nearest.roof_fraction >= passes;
  check.verdict = right ? Verdict::kPass : Verdict::kFail;
  check.reason = right ? Class::kNone : Class::kTooSlow;
  check.message = format_number("%.3f", nearest.roof_fraction) + " of the lower roof where the two meet (" +
                  format_number("%.1f", result.ridge) + " FLOP/B); " + format_number("%.2f", passes) +
                  " passes";
  check.detail.emplace_back("fraction", nearest.roof_fraction);
  const auto would_be_right = [&](double factor) { return nearest.roof_fraction * factor >= passes; };
  if (would_be_right(1 + nearest.doubt) != would_be_right(1 / (1 + nearest.doubt))) not_settled(check);
  return check;
}

Check flat_check(const Sweep& sweep, const SweepResult& result) {
  Check check = performance(sweep.id + "-flat", "the memory-bound points take the same time");
  double least = 0, most = 0;
  unsigned count = 0;
  bool noisy = false;
  for (const SweepPoint& point : result.points) {
    if (point.intensity > result.ridge / 2) continue;
    noisy = noisy || point.doubt > 0;
    least = count == 0 ? point.time.median_us : std::min(least, point.time.median_us);
    most = std::max(most, point.time.median_us);
    ++count;
  }
  const double difference = least > 0 ? most / least - 1 : 0;
  const bool right = count >= 2 && difference <= sweep.flatness;
  check.verdict = right ? Verdict::kPass : Verdict::kFail;
  check.reason = right ? Class::kNone : Class::kTooSlow;
  check.message = count < 2 ? "fewer than two points are memory-bound"
                            : format_number("%.1f", 100 * difference) +
                                  " % between the fastest and the slowest of " + std::to_string(count) +
                                  " points; " + format_number("%.0f", 100 * sweep.flatness) + " % passes";
  check.detail.emplace_back("difference", difference);
  if (noisy && !right) not_settled(check);  // noise makes equal times differ, never different ones equal
  return check;
}

/// Counted operations over declared ones.
constexpr double kLeastShareOfWork = 0.95;

/// Where a call brings more than this from the host, that may be what its kernels wait for.
constexpr double kLittleFromHost = 4096;

}  // namespace

Measurement measurement(const TimedSeries& series, double work, const Roof& roof,
                        const Thresholds& thresholds) {
  Measurement line;
  line.roof = series.roof;
  line.time = series.time;
  line.achieved = series.time.median_us > 0 ? work / (series.time.median_us * 1e-6) / roof.unit_scale : 0;
  line.fraction = series.roof.value > 0 ? line.achieved / series.roof.value : 0;
  if (series.region && static_cast<double>(series.region->host_to_device_bytes) <= kLittleFromHost)
    line.limiter = limiter_of(*series.region);
  fill_thresholds(line, thresholds);
  return line;
}

Check performance_check(const Measurement& line, const TimedSeries& series, bool simulated) {
  Check check = performance(line.id, line.title);
  if (series.fault) {
    check.verdict = Verdict::kFail;
    check.reason = series.fault.reason;
    check.message = series.fault.message;
    check.file = series.fault.file;
    check.line = series.fault.line;
    check.detail = series.detail;
    return check;
  }
  decide(check, line);
  // Beyond the data sheet: no clock or temperature explains it.
  if (line.roof.data_sheet > 0 && line.achieved > line.roof.data_sheet * (simulated ? 1 : 1.02)) {
    check.verdict = Verdict::kFail;
    check.reason = Class::kImpossible;
    check.message = "faster than the hardware can be: " + rate(line.achieved, line.roof.unit) + " against " +
                    rate(line.roof.data_sheet, line.roof.unit) + " at best: which work was skipped?";
  } else {
    doubt_medal(check, line, series.doubt);
  }
  return check;
}

Measurement budget_measurement(const TimedSeries& series, const std::vector<BudgetTime>& budget,
                               const Thresholds& thresholds) {
  double seconds = 0;
  for (const BudgetTime& each : budget) seconds += each.seconds;
  Measurement line;
  line.roof.id = "budget";
  line.roof.title = "all operations, each at its own roof";
  line.roof.unit = "calls/s";
  line.roof.value = seconds > 0 ? 1 / seconds : 0;
  line.time = series.time;
  line.achieved = series.time.median_us > 0 ? 1 / (series.time.median_us * 1e-6) : 0;
  line.fraction = line.achieved * seconds;
  if (series.region) line.limiter = limiter_of(*series.region);
  fill_thresholds(line, thresholds);
  return line;
}

std::string budget_text(const std::vector<BudgetTime>& budget) {
  std::string text;
  double seconds = 0;
  for (const BudgetTime& each : budget) {
    text += "\n" + format_number("%8.2f", each.seconds * 1e6) + " us  " + each.what + " (" + each.roof + ")";
    seconds += each.seconds;
  }
  return text + "\n" + format_number("%8.2f", seconds * 1e6) + " us  in all: the budget of a call";
}

double OverlapTimes::efficiency() const {
  const double shorter = std::min(kernels, copies);
  // Kernels that reuse little memory can be a little quicker than those of the roof: no more than all is
  // hidden.
  return shorter > 0 ? std::min(1.0, (kernels + copies - together) / shorter) : 0;
}

Measurement overlap_measurement(const TimedSeries& series, const OverlapTimes& times,
                                const Thresholds& thresholds) {
  Measurement line;
  line.roof.id = "overlap";
  line.roof.title = "the shorter of kernels and copies hidden behind the longer";
  line.roof.unit = "hidden";
  line.roof.value = 1;
  line.time = series.time;
  line.achieved = line.fraction = times.efficiency();
  fill_thresholds(line, thresholds);
  return line;
}

Check overlap_check(const Measurement& line, const TimedSeries& series, const OverlapTimes& times,
                    bool simulated) {
  TimedSeries doubted = series;  // small against the times is large against what they differ by
  const double shorter = std::min(times.kernels, times.copies);
  if (shorter > 0) doubted.doubt *= (times.kernels + times.copies + times.together) / shorter;
  Check check = performance_check(line, doubted, simulated);
  if (series.fault) return check;
  check.message = "kernels alone " + format_number("%.0f", times.kernels * 1e6) + " us, copies alone " +
                  format_number("%.0f", times.copies * 1e6) + " us, together " +
                  format_number("%.0f", times.together * 1e6) +
                  " us: " + format_number("%.3f", line.fraction) + " of the shorter is hidden; " +
                  format_number("%.2f", line.thresholds.lowest()) + " passes";
  if (times.together > times.kernels + times.copies) check.message += "; longer than one after the other";
  if (check.verdict == Verdict::kNoisy) not_settled(check);
  return check;
}

bool median_is_settled(std::span<const double> fractions, const Thresholds& thresholds) {
  const std::size_t n = fractions.size(), middle = n / 2;
  const auto away =
      std::min(middle, static_cast<std::size_t>(std::ceil(1.5 * std::sqrt(static_cast<double>(n)))));
  return n > 0 && medal_for(fractions[middle - away], thresholds) ==
                      medal_for(fractions[std::min(middle + away, n - 1)], thresholds);
}

std::optional<std::string> impossible(double gbps, double tflops, const DeviceFacts& facts,
                                      std::span<const sim::FlopType> types) {
  if (facts.pin_gbps > 0 && gbps > facts.pin_gbps) {
    return "faster than memory can move your data (" + rate(gbps, "GB/s") + " of " +
           rate(facts.pin_gbps, "GB/s") + "): which work was skipped?";
  }
  const double peak =
      std::max(facts.fp32_tflops, std::ranges::any_of(types, sim::is_tensor) ? facts.tensor_tflops : 0.0);
  if (peak > 0 && tflops > peak) {
    return "more operations than the device can do (" + rate(tflops, "TFLOP/s") + " of " +
           rate(peak, "TFLOP/s") + "): which work was skipped?";
  }
  return std::nullopt;
}

std::optional<std::string> skipped_work(const sim::Region& region, const DeclaredFlops& flops,
                                        const Settings& settings) {
  if (!flops.counted()) return std::nullopt;
  const double declared = flops(settings);
  double counted = 0;
  for (const sim::KernelRecord& kernel : region.kernels)
    for (const sim::FlopType type : flops.types)
      counted += static_cast<double>(kernel.counters.flops[static_cast<std::size_t>(type)]);
  if (counted >= kLeastShareOfWork * declared) return std::nullopt;
  return "the device did " + format_number("%.3g", counted) + " of the " + format_number("%.3g", declared) +
         " floating-point operations that the task has: which work was skipped?";
}

void finish_sweep(SweepResult& sweep) {
  const double memory = sweep.memory_roof.value * 1e9, compute = sweep.compute_roof.value * 1e12;
  sweep.ridge = memory > 0 ? compute / memory : 0;
  for (SweepPoint& point : sweep.points) {
    const double ceiling = std::min(point.intensity * memory, compute);
    point.roof_fraction = ceiling > 0 ? point.tflops * 1e12 / ceiling : 0;
  }
  // Intensity is proportional to the argument, or nearly: interpolate between the two points around the
  // ridge.
  for (std::size_t i = 1; i < sweep.points.size(); ++i) {
    const SweepPoint &below = sweep.points[i - 1], &above = sweep.points[i];
    if (sweep.ridge < below.intensity || sweep.ridge > above.intensity) continue;
    const double share = (sweep.ridge - below.intensity) / (above.intensity - below.intensity);
    sweep.knee = below.argument + share * (above.argument - below.argument);
  }
}

std::vector<SweepVerdict> judge_sweep(const Sweep& sweep, const SweepResult& result,
                                      const DeviceFacts& facts) {
  std::vector<SweepVerdict> verdicts;
  const auto end = [&](const SweepPoint& point, const RoofValue& roof, double achieved,
                       const ThresholdTable& table, const char* suffix, const char* words) {
    Measurement line = line_at(point, roof, achieved, table, facts.capability, sweep.id + suffix,
                               argument_is(result, point) + ": " + words);
    Check check = performance(line.id, line.title);
    decide(check, line);
    doubt_medal(check, line, point.doubt);
    verdicts.push_back({std::move(check), std::move(line)});
  };
  end(result.points.front(), result.memory_roof, result.points.front().gbps, sweep.lowest, "-lowest",
      "memory-bound end");
  end(result.points.back(), result.compute_roof, result.points.back().tflops, sweep.highest, "-highest",
      "compute-bound end");
  if (!sweep.knee.empty()) {
    const double passes = thresholds_for(sweep.knee, facts.capability).lowest();
    verdicts.push_back({knee_check(sweep, result, passes), {}});
  }
  if (sweep.flatness > 0) verdicts.push_back({flat_check(sweep, result), {}});
  return verdicts;
}

}  // namespace roofline::grader
