// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/printable.h"

#include <gtest/gtest.h>

namespace roofline::grader {
namespace {

// Breaks when something of a stranger's text could colour, move or clear what a terminal shows.
TEST(Printable, ATerminalHasNothingToObey) {
  EXPECT_EQ(printable("a\033[31mb\033[0m\rc\ad"), "abc?d");
  EXPECT_EQ(printable("x\033]0;title\ay"), "xy");
  EXPECT_EQ(printable("end\033"), "end");
  EXPECT_EQ(printable("a\rb\b"), "ab?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m")
      << "C1 control";
}

TEST(Printable, WhatIsNoCharacterIsShown) {
  EXPECT_EQ(printable("1\xff\xc0\xaf 2"), "1??? 2");
  EXPECT_EQ(printable("\xc3"), "?");
  EXPECT_EQ(printable("\xff\xfe"), "??");
  EXPECT_EQ(printable("\xc0\x80"), "??") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "???") << "surrogate";
}

// Breaks when two names that look alike can be different ones.
TEST(Printable, NothingTurnsOrHidesText) {
  for (const char* hidden :
       {"\u202e", "\u2066", "\u200f", "\u061c", "\u200b", "\u2060", "\ufeff", "\u2028", "\u00ad", "\u3164",
        "\u115f", "\ufe0f", "\u206a", "\ue000", "\U000e0041", "\U000e0101"})
    EXPECT_EQ(printable(std::string("a") + hidden + "b"), "a?b");
}

// Breaks when a program that is graded in a runner of continuous integration can give it orders.
TEST(Printable, ARunnerHasNothingToObey) {
  EXPECT_EQ(printable("::stop-commands::x\n  ::set-output name=a::b"),
            ": :stop-commands::x\n  : :set-output name=a::b");
  EXPECT_EQ(printable("\r::error::x"), ": :error::x");
  EXPECT_EQ(printable("a ##vso[task.complete]"), "a # #vso[task.complete]");
  EXPECT_EQ(printable("##[group]x ##teamcity[y]"), "# #[group]x # #teamcity[y]");
  EXPECT_EQ(printable("###[x]"), "## #[x]");
}

TEST(Printable, OrdinaryTextStays) {
  for (const char* text : {"plain\ttext\n", "tab\tline\n\u2713", "gr\u00fc\u00df", "\U0001f600", "std::sort",
                           "a ## b [c]", "# title\n## second"})
    EXPECT_EQ(printable(text), text);
}

}  // namespace
}  // namespace roofline::grader
