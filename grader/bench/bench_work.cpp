// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/bench/bench_work.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "grader/lab/roof.h"

namespace roofline::grader {
namespace {

BenchWork of_budget(const Goal& goal, const DeviceFacts& facts) {
  std::vector<std::string> roofs;
  for (const BudgetLine& line : goal.budget)
    for (const RoofShare& share : line.shares)
      if (std::ranges::find(roofs, share.roof) == roofs.end()) roofs.push_back(share.roof);
  return {.id = goal.id,
          .title = goal.title,
          .settings = Settings(goal.settings, facts),
          .clock = goal.clock,
          .roofs = roofs,
          .limit = "all operations, each at its own roof",
          .work = [goal](const Settings& s) { return declared_work(goal, s); },
          .fraction =
              [goal](const Settings& s, double seconds, const RoofRates& rates) {
                double least = 0;
                for (const BudgetLine& line : goal.budget) {
                  double slowest = 0;
                  for (const RoofShare& share : line.shares)
                    slowest = std::max(slowest, share.work(s) / rates.at(share.roof));
                  least += slowest;
                }
                return least / seconds;
              }};
}

BenchWork of_goal(const Goal& goal, const DeviceFacts& facts) {
  if (!goal.budget.empty()) return of_budget(goal, facts);
  return {
      .id = goal.id,
      .title = goal.title,
      .settings = Settings(goal.settings, facts),
      .clock = goal.clock,
      .roofs = {goal.roof},
      .limit = "the " + goal.roof + " roof",
      .work = [goal](const Settings& s) { return declared_work(goal, s); },
      .fraction = [goal](const Settings& s, double seconds,
                         const RoofRates& rates) { return goal.work(s) / seconds / rates.at(goal.roof); }};
}

BenchWork of_point(const Sweep& sweep, double value, const DeviceFacts& facts) {
  Settings settings(sweep.settings, facts);
  settings.set(sweep.argument, value);
  const std::string text = std::to_string(static_cast<long long>(value));
  return {.id = sweep.argument + "-" + text,
          .title = sweep.title + ": " + sweep.argument + " = " + text,
          .settings = settings,
          .clock = Clock::kDevice,
          .roofs = {sweep.memory_roof, sweep.compute_roof},
          .limit = "the lower of the " + sweep.memory_roof + " and the " + sweep.compute_roof + " roof",
          .work =
              [sweep](const Settings& s) {
                return DeclaredWork{sweep.bytes(s), sweep.flops(s)};
              },
          .fraction =
              [sweep](const Settings& s, double seconds, const RoofRates& rates) {
                const double least = std::max(sweep.bytes(s) / rates.at(sweep.memory_roof),
                                              sweep.flops(s) / rates.at(sweep.compute_roof));
                return least / seconds;
              }};
}

/// The ends, and the value nearest to the ridge that the data sheet promises.
std::set<double> telling_values(const Sweep& sweep, const DeviceFacts& facts) {
  const double ridge = facts.fp32_tflops * 1e3 / facts.pin_gbps;
  const auto distance = [&](double value) {
    Settings settings(sweep.settings, facts);
    settings.set(sweep.argument, value);
    return std::abs(std::log(sweep.flops(settings) / sweep.bytes(settings) / ridge));
  };
  return {sweep.values.front(), *std::ranges::min_element(sweep.values, {}, distance), sweep.values.back()};
}

BenchWork of_overlap(const Overlap& overlap, const DeviceFacts& facts) {
  std::vector<std::string> roofs = {overlap.kernels.roof};
  for (const RoofShare& copy : overlap.copies) roofs.push_back(copy.roof);
  return {.id = overlap.id,
          .title = overlap.title,
          .settings = Settings(overlap.settings, facts),
          .clock = Clock::kDevice,
          .roofs = roofs,
          .limit = "what can be hidden",
          .work =
              [overlap](const Settings& s) {
                DeclaredWork work{0, overlap.kernels.work(s)};
                for (const RoofShare& copy : overlap.copies) work.bytes += copy.work(s);
                return work;
              },
          .fraction =
              [overlap](const Settings& s, double seconds, const RoofRates& rates) {
                const double kernels = overlap.kernels.work(s) / rates.at(overlap.kernels.roof);
                double copies = 0;
                for (const RoofShare& copy : overlap.copies) copies += copy.work(s) / rates.at(copy.roof);
                return std::max(0.0, (kernels + copies - seconds) / std::min(kernels, copies));
              }};
}

}  // namespace

std::vector<BenchWork> bench_works(const Part& part, const DeviceFacts& facts) {
  std::vector<BenchWork> works;
  for (const Goal& goal : part.goals) {
    BenchWork work = of_goal(goal, facts);
    // A second goal on the same size asks for another roof, and the times are known.
    const bool known = std::ranges::any_of(works, [&](const BenchWork& other) {
      return other.settings.all() == work.settings.all() && other.clock == work.clock;
    });
    if (!known) works.push_back(std::move(work));
  }
  for (const Sweep& sweep : part.sweeps)
    for (const double value : telling_values(sweep, facts)) works.push_back(of_point(sweep, value, facts));
  for (const Overlap& overlap : part.overlaps) works.push_back(of_overlap(overlap, facts));
  return works;
}

}  // namespace roofline::grader
