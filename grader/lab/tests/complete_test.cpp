// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "grader/lab/spec.h"

namespace roofline::grader {
namespace {

// Breaks when specs are made more than once on the way of a verb, or not completed.
TEST(Labs, AreMadeOnce) {
  EXPECT_EQ(&all_labs(), &all_labs());
  ASSERT_FALSE(all_labs().empty());
  EXPECT_EQ(all_labs().front().folder, "01-pointwise");
}

// Breaks when a kernel that looks at one of its pointers alone passes.
TEST(CompleteLab, MovesEachArrayAlone) {
  Lab lab{.parts = {{.program = {.arguments = {in("x", "n"), out("y", "n"), size("n")}},
                     .cases = common_cases({.misaligned = {1, 3}})}}};
  const std::size_t before = lab.parts[0].cases.size();
  complete(lab);
  ASSERT_EQ(lab.parts[0].cases.size(), before + 2);
  std::vector<std::string> ids;
  for (const Case& one : lab.parts[0].cases)
    if (one.misaligned_elements == 1) ids.push_back(one.id + " " + one.misaligned_alone);
  EXPECT_EQ(ids, (std::vector<std::string>{"misaligned-1 ", "misaligned-1-x x", "misaligned-1-y y"}));
}

TEST(CompleteLab, OneArrayIsAloneAlready) {
  Lab lab{.parts = {{.program = {.arguments = {out("y", "n"), size("n")}}, .cases = common_cases({})}}};
  const std::size_t before = lab.parts[0].cases.size();
  complete(lab);
  EXPECT_EQ(lab.parts[0].cases.size(), before);
}

// Breaks when a function is refused for what its header promises it.
TEST(CompleteLab, ArraysThatMoveTogetherAreNotMovedAlone) {
  Lab lab{.parts = {{.program = {.arguments = {in("x", "n"), in("w", "n"), size("n")},
                                 .arrays_move_together = true},
                     .cases = common_cases({})}}};
  const std::size_t before = lab.parts[0].cases.size();
  complete(lab);
  EXPECT_EQ(lab.parts[0].cases.size(), before);
}

}  // namespace
}  // namespace roofline::grader
