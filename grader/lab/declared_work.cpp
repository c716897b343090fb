// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/declared_work.h"

#include "grader/lab/roof.h"

namespace roofline::grader {
namespace {

bool counts(const Roof& against, const char* unit) {
  return against.unit.size() > 1 && against.unit.substr(1) == unit;
}

}  // namespace

DeclaredWork declared_work(const Goal& goal, const Settings& settings) {
  DeclaredWork work;
  const auto add = [&](const RoofShare& share) {
    const Roof& against = roof(share.roof);
    if (counts(against, "B/s")) work.bytes += share.work(settings);
    if (counts(against, "FLOP/s")) work.flops += share.work(settings);
  };
  if (goal.budget.empty()) add({goal.roof, goal.work});
  for (const BudgetLine& line : goal.budget)
    for (const RoofShare& share : line.shares) add(share);
  if (goal.bytes) work.bytes = goal.bytes(settings);
  if (goal.flops) work.flops = goal.flops(settings);
  return work;
}

}  // namespace roofline::grader
