// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What is handed out built: staged, checked for what it needs of a system, and the simulator on its own. The
// build for other machines itself takes minutes: .ci/built.
#include "grader/handout/portable.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "grader/base/file.h"
#include "grader/box/process.h"
#include "grader/build/toolkit.h"
#include "grader/handout/wheel.h"

namespace roofline::grader::portable {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = ROOFLINE_SOURCE, kBuild = ROOFLINE_BUILD;

class Portable : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  CommandResult run(const std::vector<std::string>& words) const {
    return run_command(words, {.directory = folder_, .environment = {"LIBRARY_PATH="}});
  }

  fs::path folder_ = fs::canonical(fs::temp_directory_path()) / ("portable-" + std::to_string(getpid()));
};

// Breaks when all is compiled again after each export, or a file that is no longer handed out still is.
TEST_F(Portable, AMirrorTouchesOnlyWhatChanged) {
  const fs::path place = folder_ / "source";
  mirror(
      {{.name = "a/same", .bytes = "1"}, {.name = "a/other", .bytes = "2"}, {.name = "gone", .bytes = "3"}},
      place);
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const char* name : {"a/same", "a/other"}) fs::last_write_time(place / name, long_ago);
  mirror({{.name = "a/same", .bytes = "1"}, {.name = "a/other", .bytes = "4", .executable = true}}, place);
  EXPECT_EQ(fs::last_write_time(place / "a/same"), long_ago);
  EXPECT_NE(fs::last_write_time(place / "a/other"), long_ago);
  EXPECT_EQ(read_file(place / "a/other"), "4");
  EXPECT_EQ(access((place / "a/other").c_str(), X_OK), 0);
  EXPECT_FALSE(fs::exists(place / "gone"));
}

// Breaks when a program that needs a newer system, or a library of its own, passes as portable; or none is
// found.
TEST_F(Portable, TheFloorIsKept) {
  const std::string floor = (kRoot / "cmake/portable/floor").string();
  write_file(folder_ / "old.c", "int twice(int x) { return 2 * x; }\n");
  write_file(folder_ / "new.c",
             "__asm__(\".symver newer, arc4random@GLIBC_2.36\");\nunsigned newer(void);\n"
             "unsigned twice(void) { return newer(); }\n");
  write_file(folder_ / "libc.map", "GLIBC_2.36 { arc4random; };\n");
  write_file(folder_ / "libc.c", "unsigned arc4random(void) { return 4; }\n");
  ASSERT_TRUE(run({"gcc", "-shared", "-fPIC", "-nostdlib", "-o", "old.so", "old.c"}).ok());
  const CommandResult good = run({floor, "old.so"});
  EXPECT_TRUE(good.ok()) << good.output;

  // A libc of our own making, so that the test does not depend on this system's.
  ASSERT_TRUE(run({"gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,--version-script=libc.map",
                   "-Wl,-soname,libc.so.6", "-o", "libnewer.so", "libc.c"})
                  .ok());
  const CommandResult linked =
      run({"gcc", "-shared", "-fPIC", "-nostdlib", "-o", "new.so", "new.c", "-L.", "-lnewer"});
  ASSERT_TRUE(linked.ok()) << linked.output;
  const CommandResult bad = run({floor, "new.so"});
  EXPECT_EQ(bad.exit_code, 1) << bad.output;
  EXPECT_NE(bad.output.find("new.so needs glibc 2.36 for arc4random; 2.31 is what it may need"),
            std::string::npos)
      << bad.output;

  ASSERT_TRUE(
      run({"gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libodd.so.1", "-o", "libodd.so", "old.c"})
          .ok());
  ASSERT_TRUE(
      run({"gcc", "-shared", "-nostdlib", "-Wl,--no-as-needed", "-o", "needs.so", "old.so", "-L.", "-lodd"})
          .ok());
  const CommandResult needs = run({floor, "needs.so"});
  EXPECT_EQ(needs.exit_code, 1);
  EXPECT_NE(needs.output.find("needs.so needs libodd.so.1"), std::string::npos) << needs.output;
  EXPECT_EQ(run({floor, "old.c"}).exit_code, 1) << "no program at all";
}

// Breaks when pip refuses the wheel, or the simulator only runs where it was built.
TEST_F(Portable, TheSimulatorOnItsOwnRunsFromAVenv) {
  Paths paths;
  paths.root = kRoot;
  const fs::path own = folder_ / "simulator";
  const std::string wheel = write_simulator(paths, kBuild, "0.1", own);
  EXPECT_EQ(wheel, "simulated_gpu-0.1-py3-none-manylinux_2_31_x86_64.whl");
  EXPECT_NE(read_file(own / "README.md").find("pip install " + wheel), std::string::npos);

  write_file(folder_ / "seven.cu",
             "#include <cstdio>\n__global__ void seven(int* x) { *x = 7; }\n"
             "int main() { int *d, x = 0; cudaMalloc(&d, 4); seven<<<1, 1>>>(d);\n"
             "  cudaMemcpy(&x, d, 4, cudaMemcpyDeviceToHost); std::printf(\"it is %d\\n\", x); }\n");
  const CommandResult compiled = run({find_toolkit().nvcc().string(), "-o", "seven", "seven.cu"});
  ASSERT_TRUE(compiled.ok()) << compiled.output;
  const CommandResult direct = run({(own / "bin/simulated-gpu").string(), "run", "./seven"});
  EXPECT_TRUE(direct.ok()) << direct.output;
  EXPECT_NE(direct.output.find("it is 7\n"), std::string::npos) << direct.output;
  fs::copy(own, folder_ / "my simulator", fs::copy_options::recursive);
  const CommandResult spaced = run({(folder_ / "my simulator/bin/simulated-gpu").string(), "run", "./seven"});
  EXPECT_EQ(spaced.exit_code, 2) << spaced.output;
  EXPECT_NE(spaced.output.find("a path without spaces and colons"), std::string::npos) << spaced.output;
  const CommandResult refused = run({(own / "bin/simulated-gpu").string(), "run", "/bin/sh"});
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_TRUE(refused.output.starts_with("simulated-gpu: ")) << refused.output;

  if (!run({"/usr/bin/python3", "-m", "venv", "venv"}).ok()) GTEST_SKIP() << "python3-venv is missing";
  const CommandResult installed = run({"venv/bin/pip", "install", "--quiet", "--disable-pip-version-check",
                                       "--no-index", (own / wheel).string()});
  ASSERT_TRUE(installed.ok()) << installed.output;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"venv/bin/simulated-gpu", "run", "--check", "all", "--", "./seven"},
        {"venv/bin/python", "-m", "simulated_gpu", "run", "./seven"}}) {
    const CommandResult result = run(words);
    EXPECT_TRUE(result.ok()) << result.output;
    EXPECT_NE(result.output.find("it is 7\n"), std::string::npos) << result.output;
  }
  const CommandResult devices = run({"venv/bin/simulated-gpu", "devices"});
  EXPECT_NE(devices.output.find("sim:a100-sxm4-40gb"), std::string::npos) << devices.output;
}

// Breaks when an autograder that comes built lacks its programs, or gets what is the repository's alone.
TEST_F(Portable, AnAutograderMayComeBuilt) {
  Paths paths;
  paths.root = kRoot;
  paths.build = kBuild;
  paths.state = folder_ / "state";
  const std::vector<Lab>& labs = all_labs();
  const std::string zip = gradescope_zip(paths, select(labs, {"01"}), "",
                                         {{.name = "built/bin/lab", .bytes = "program", .executable = true},
                                          {.name = ".gitignore", .bytes = "the students' list"}});
  EXPECT_NE(zip.find("roofline-labs/built/bin/lab"), std::string::npos);
  EXPECT_EQ(zip.find("the students' list"), std::string::npos);
}

}  // namespace
}  // namespace roofline::grader::portable
