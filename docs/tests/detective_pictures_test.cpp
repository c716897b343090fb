// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "docs/tests/generated.h"

// The picture of lab 14: four programs that do the same work, and what GPU-Util says of each. Its figures are
// computed here from the kernels' time and the gaps.
namespace roofline::docs::detective_pictures {
namespace {

using grader::compact;
using grader::Point;
using grader::Svg;

/// A step of a program: `work_ms` of kernels if they ran at their roof.
constexpr double kWork = 180;

struct Program {
  const char* name;
  double roof;    ///< fraction that its kernels reach
  double gap_ms;  ///< of each step, without a kernel
  double kernel_ms() const { return kWork / roof; }
  double step_ms() const { return kernel_ms() + gap_ms; }
  double utilisation() const { return kernel_ms() / step_ms(); }
};

constexpr std::array<Program, 4> kPrograms = {{{"slow kernels, no gaps", 0.18, 0},
                                               {"better kernels, gaps", 0.30, 400},
                                               {"good kernels, the same gaps", 0.90, 400},
                                               {"good kernels, no gaps", 0.90, 0}}};

std::string utilisation_figure() {
  constexpr double kLeft = 24, kTop = 82, kRow = 58, kSecond = 420;
  Svg svg(
      760, 320, "One second of four programs that do the same work, and their GPU-Util",
      "Four timelines of a second. Slow kernels without gaps: GPU-Util 100 %, one step a second. Better "
      "kernels with gaps: 60 %, and still one step. Good kernels with the same gaps: 33 %, and 1.7 steps. "
      "Good kernels without gaps: 100 %, and five steps");
  svg.text({kLeft, 24}, "One second of four programs, the same work in each step", "title");
  svg.text({kLeft, 42}, "a box is a step's kernels; between boxes there is no kernel", "note");
  const std::array<double, 3> columns = {kLeft + kSecond + 24, kLeft + kSecond + 118, kLeft + kSecond + 212};
  svg.text({columns[0], kTop - 18}, "GPU-Util", "label");
  svg.text({columns[1], kTop - 18}, "of the roof", "label");
  svg.text({columns[2], kTop - 18}, "steps a second", "label");
  double y = kTop;
  for (const Program& program : kPrograms) {
    svg.text({kLeft, y}, program.name, "note");
    for (double at = 0; at < 1000; at += program.step_ms()) {
      const double end = std::min(1000.0, at + program.kernel_ms());
      svg.box({kLeft + at / 1000 * kSecond, y + 8}, (end - at) / 1000 * kSecond - 1, 20, "kernel",
              compact(program.kernel_ms(), 3) + " ms of kernels");
    }
    svg.line({kLeft, y + 31}, {kLeft + kSecond, y + 31}, "axis");
    svg.text({columns[0], y + 24}, compact(100 * program.utilisation(), 2) + " %", "label");
    svg.text({columns[1], y + 24}, compact(100 * program.roof, 2) + " %", "label");
    svg.text({columns[2], y + 24}, compact(1000 / program.step_ms(), 2), "label");
    y += kRow;
  }
  return svg.str();
}

// Breaks when the picture no longer shows what the page says of it.
TEST(Utilisation, SaysNothingOfTheWorkDone) {
  const auto& [slow, better, good, best] = kPrograms;
  EXPECT_NEAR(slow.step_ms(), better.step_ms(), 1e-9) << "as fast";
  EXPECT_NEAR(better.utilisation(), 0.6, 1e-9);
  EXPECT_LT(good.utilisation(), better.utilisation()) << "faster, and lower";
  EXPECT_LT(good.step_ms(), better.step_ms());
  EXPECT_EQ(best.utilisation(), slow.utilisation()) << "five times as fast, and the same";
  EXPECT_NEAR(slow.step_ms() / best.step_ms(), 5, 1e-9);
}

TEST(Page, UtilisationFigureIsCurrent) {
  expect_current(kRoot / "labs/14-detective/utilisation.svg", utilisation_figure());
}

}  // namespace
}  // namespace roofline::docs::detective_pictures
