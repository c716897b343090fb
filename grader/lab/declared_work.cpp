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
  const Roof& against = roof(goal.roof);
  if (counts(against, "B/s")) work.bytes = goal.work(settings);
  if (counts(against, "FLOP/s")) work.flops = goal.work(settings);
  if (goal.bytes) work.bytes = goal.bytes(settings);
  if (goal.flops) work.flops = goal.flops(settings);
  return work;
}

}  // namespace roofline::grader
