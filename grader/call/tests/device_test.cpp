// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/device.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "grader/call/budget.h"

namespace roofline::grader {
namespace {

constexpr const char* kSimulator = ROOFLINE_BUILD "/simulator";

// Breaks when what was built for a GPU is run again on a simulated one that has no code of it: an H200 then
// refuses every solution.
TEST(Device, AGpusStandInRunsWhatIsBuiltForIt) {
  const auto like = [](int capability, const char* name) {
    const auto found = simulated_like(capability, name, kSimulator);
    return found ? found->id : "";
  };
  EXPECT_EQ(like(90, "NVIDIA H200"), "h200");
  EXPECT_EQ(like(75, "Tesla T4"), "t4");
  for (const int capability : {80, 86, 89, 90, 100, 120}) {
    const auto found = simulated_like(capability, "a card that no file names", kSimulator);
    ASSERT_TRUE(found) << capability;
    EXPECT_EQ(simulated_facts(*found, kSimulator).capability, capability);
  }
  EXPECT_EQ(like(87, "Orin"), "") << "the build is for the A100 as well then";
}

// Breaks when arrays of the judge's, gigabytes on a GPU, are taken for memory of the submission; or when
// nothing is.
TEST(Device, WhatTheJudgeLendsIsNotTheSubmissions) {
  const BudgetLimits little{.memory_bytes = 1000};
  EXPECT_TRUE(Budget(little).holds({getpid()}, std::uint64_t{1} << 40));
  EXPECT_FALSE(Budget(little).holds({getpid()}, 1));
}

}  // namespace
}  // namespace roofline::grader
