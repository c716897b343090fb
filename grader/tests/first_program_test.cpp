// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "grader/build/toolkit.h"

#define SIMULATOR_BUILD ROOFLINE_BUILD "/simulator"
#define SIMULATOR_SOURCE ROOFLINE_SOURCE "/common/simulator"
#define CUDA_HOME grader::find_toolkit().home.string()
#include "simulator/tests/program.h"

// The first program of docs/cuda-basics.md, compiled and run as the page says.
namespace roofline::grader::first_program {
namespace {

using sim::test::Folder;
using sim::test::read_file;
using sim::test::Result;
using sim::test::run;

/// Compiles the source and runs it on the simulated GPU.
Result compiled_and_run(const Folder& folder, const std::string& source) {
  const std::string file = (folder / "first.cu").string(), program = (folder / "first").string();
  std::ofstream(file) << source;
  const Result made = run({CUDA_HOME + "/bin/nvcc", "-O3", "-lineinfo", "-o", program, file});
  EXPECT_EQ(made.status, 0) << made.err;
  return run({ROOFLINE_BUILD "/bin/lab", "run", program});
}

// Breaks when the page shows another output than its program prints, or when the mistake that it suggests is
// no longer explained.
TEST(FirstProgram, PrintsWhatThePageShows) {
  const Folder folder;
  std::string source = read_file(ROOFLINE_SOURCE "/labs/01-pointwise/experiments/first.cu");
  const Result right = compiled_and_run(folder, source);
  EXPECT_EQ(right.status, 0) << right.err;
  std::istringstream lines(right.out);
  std::string shown;
  for (std::string line; std::getline(lines, line);) shown += "    " + line + "\n";
  EXPECT_NE(read_file(ROOFLINE_SOURCE "/docs/cuda-basics.md").find("\n" + shown), std::string::npos) << shown;

  const std::string launch = "<<<1, kCount>>>";
  source.replace(source.find(launch), launch.size(), "<<<1, kCount + 1>>>");
  const Result wrong = compiled_and_run(folder, source);
  EXPECT_NE(wrong.status, 0);
  EXPECT_NE(wrong.err.find("thread (64,0,0)"), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("first.cu:15"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace roofline::grader::first_program
