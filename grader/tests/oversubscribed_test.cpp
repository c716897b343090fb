// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "grader/base/paths.h"
#include "grader/base/units.h"
#include "grader/build/toolkit.h"
#include "grader/profile/cuda_program.h"
#include "grader/text/svg.h"

#define SIMULATOR_BUILD ROOFLINE_BUILD "/simulator"
#define SIMULATOR_SOURCE ROOFLINE_SOURCE "/common/simulator"
#define CUDA_HOME grader::find_toolkit().home.string()
#include "simulator/tests/program.h"

// Makes labs/06-memory/oversubscribed.svg of what labs/06-memory/experiments/oversubscribed.cu prints.
namespace roofline::grader::oversubscribed {
namespace {

namespace fs = std::filesystem;
using sim::test::Folder;
using sim::test::Result;
using sim::test::run;

/// One size of the array: GB/s of a pass.
struct Row {
  double mebibytes = 0, part = 0, forward = 0, to_and_fro = 0, by_hand = 0;
};

std::string compiled(const Folder& folder) {
  const std::string program = (folder / "oversubscribed").string();
  const Result made = run({CUDA_HOME + "/bin/nvcc", "-O3", "-arch=sm_80", "-o", program,
                           ROOFLINE_SOURCE "/labs/06-memory/experiments/oversubscribed.cu"});
  EXPECT_EQ(made.status, 0) << made.err;
  return program;
}

std::vector<Row> measured(const std::string& program) {
  const Result result = run({ROOFLINE_BUILD "/bin/lab", "run", "--device-memory", "128MiB", program});
  EXPECT_EQ(result.status, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line;
  std::getline(lines, line);  // the heading
  std::vector<Row> rows;
  for (Row row; lines >> row.mebibytes >> row.part >> row.forward >> row.to_and_fro >> row.by_hand;)
    rows.push_back(row);
  return rows;
}

class Diagram {
 public:
  explicit Diagram(const std::vector<Row>& rows) : rows_(rows) {}

  std::string draw() {
    svg_.text({84, 24}, "Managed memory that does not fit", "title");
    svg_.text({84, 42}, "simulated A100 with 128 MiB of memory; one pass over the array, GB of it a second",
              "note");
    for (const double tick : y_.ticks(10, 5)) {
      svg_.line({84, y_.at(tick)}, {696, y_.at(tick)}, "grid");
      svg_.text({76, y_.at(tick) + 4}, compact(tick), "tick", Svg::Anchor::kEnd);
    }
    for (const Row& row : rows_)
      if (std::fmod(row.mebibytes, 64) == 0 || row.mebibytes == 32)
        svg_.text({x(row), y_.from + 17}, compact(row.mebibytes), "tick", Svg::Anchor::kMiddle);
    svg_.text({390, y_.from + 36}, "MiB of the array", "label", Svg::Anchor::kMiddle);
    const double full = x({.mebibytes = 128});
    svg_.line({full, y_.from}, {full, y_.to}, "roof");
    svg_.text({full - 6, y_.from - 8}, "the GPU's memory", "roof", Svg::Anchor::kEnd);
    curve("c0", "again from the start", &Row::forward, 18);
    curve("c1", "to and fro", &Row::to_and_fro, 17);
    curve("c2", "copied by hand", &Row::by_hand, -10);
    return svg_.str();
  }

 private:
  double x(const Row& row) const { return 84 + row.mebibytes / 264 * 612; }
  void curve(const std::string& style, const std::string& name, double Row::*rate, double below) {
    std::vector<Point> points;
    for (const Row& row : rows_) points.push_back({x(row), y_.at(row.*rate)});
    svg_.polyline(points, style);
    for (const Row& row : rows_)
      svg_.dot({x(row), y_.at(row.*rate)}, 3, style,
               compact(row.mebibytes) + " MiB: " + compact(row.*rate) + " GB/s");
    const Point last = points.back();
    svg_.text({last.x, last.y + below}, name + ", " + compact(rows_.back().*rate, 2) + " GB/s", style,
              Svg::Anchor::kEnd);
  }

  const std::vector<Row>& rows_;
  Svg svg_{720, 400, "Managed memory that does not fit the GPU",
           "GB/s of a pass over an array against its size, on a simulated A100 with 128 MiB"};
  LogScale y_{1, 2000, 340, 64};
};

class Oversubscribed : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Folder folder;
    program_output_ = measured(compiled(folder));
  }
  static inline std::vector<Row> program_output_;
};

// Breaks when the time model changes and the figure does not. ROOFLINE_UPDATE_PAGES=1 writes it.
TEST_F(Oversubscribed, TheFigureIsWhatTheProgramPrints) {
  ASSERT_EQ(program_output_.size(), 9u);
  const fs::path path = fs::path(ROOFLINE_SOURCE) / "labs/06-memory/oversubscribed.svg";
  const std::string figure = Diagram(program_output_).draw();
  if (std::getenv("ROOFLINE_UPDATE_PAGES")) std::ofstream(path) << figure;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), figure) << "run ROOFLINE_UPDATE_PAGES=1 ./lab test -R Oversubscribed";
}

// Breaks when the page of lab 06 no longer says what the figure shows.
TEST_F(Oversubscribed, WhatThePageSays) {
  ASSERT_EQ(program_output_.size(), 9u);
  const Row &half = program_output_[1], &most = program_output_.back();
  EXPECT_GE(half.to_and_fro, half.forward) << "L2 still has the end of the last pass";
  EXPECT_GT(half.forward, 100 * most.forward);
  EXPECT_GT(most.to_and_fro, 1.5 * most.forward) << "what the last pass left on the GPU must be of use";
  EXPECT_GT(most.by_hand, 2 * most.to_and_fro);
  const Row& little = program_output_[4];
  EXPECT_NEAR(little.part, 1.05, 0.01);
  EXPECT_GT(half.forward, 100 * little.forward) << "five per cent too much is enough";
  EXPECT_GT(little.to_and_fro, little.by_hand) << "where little is missing, little moves";
  EXPECT_LT(most.by_hand, 25) << "the link's rate";
}

}  // namespace
}  // namespace roofline::grader::oversubscribed
