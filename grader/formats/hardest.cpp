// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/formats/hardest.h"

#include <algorithm>

namespace roofline::grader {
namespace {

bool undecidable(const Check& check) {
  return check.verdict == Verdict::kSkipped && check.reason == Class::kUnsupportedDevice;
}

bool without_verdict(const Result& result) { return result.verdict == Verdict::kError; }

CheckTally tally(const std::vector<Graded>& all, CheckTally check) {
  std::size_t absent = 0, shown = 0;
  for (const Graded& graded : all)
    for (const Result& result : graded.results) {
      if (result.part != check.part || without_verdict(result)) continue;
      const Check* found = result.find(check.id);
      if (found != nullptr && undecidable(*found)) continue;
      ++check.of;
      if (found == nullptr) {
        absent += result.verdict == Verdict::kPass ? 1 : 0;
      } else if (found->verdict == Verdict::kPass) {
        ++shown;
      }
    }
  // Nobody ever passes it by name: it appears where it fails.
  const bool only_failures = shown == 0 && absent > 0;
  check.passed = shown;
  if (!only_failures) return check;
  check.passed = check.of;
  for (const Graded& graded : all)
    for (const Result& result : graded.results)
      if (result.part == check.part && !without_verdict(result) && result.find(check.id) != nullptr)
        --check.passed;
  return check;
}

}  // namespace

std::vector<CheckTally> hardest_checks(const std::vector<Graded>& all) {
  std::vector<CheckTally> checks;
  for (const Graded& graded : all)
    for (const Result& result : graded.results)
      for (const Check& check : result.checks) {
        if (undecidable(check) || without_verdict(result)) continue;
        const auto same = [&](const CheckTally& known) {
          return known.part == result.part && known.id == check.id;
        };
        if (std::ranges::none_of(checks, same))
          checks.push_back({.part = result.part, .id = check.id, .title = check.title});
      }
  for (CheckTally& check : checks) check = tally(all, check);
  std::ranges::stable_sort(
      checks, [](const CheckTally& a, const CheckTally& b) { return a.passed * b.of < b.passed * a.of; });
  return checks;
}

}  // namespace roofline::grader
