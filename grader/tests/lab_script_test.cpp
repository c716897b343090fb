// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The entry script in a checkout of its own, with a cmake and a ninja that only say that they were called.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "grader/base/file.h"
#include "grader/box/process.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

class LabScript : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "cmake");
    fs::copy_file(fs::path(ROOFLINE_SOURCE) / "lab", root_ / "lab");
    program(root_ / "cmake" / "cuda_home", "echo /usr");
    // What a first configuration leaves; what a first build leaves.
    program(programs_ / "cmake",
            "echo cmake >>\"$CALLS\"; mkdir -p build/base; touch build/base/build.ninja; "
            "echo CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P) >build/base/CMakeCache.txt");
    program(programs_ / "ninja",
            "echo ninja >>\"$CALLS\"; mkdir -p build/base/bin; printf '#!/bin/sh\\necho \"$@\"\\n' "
            ">build/base/bin/lab; "
            "chmod +x build/base/bin/lab");
    for (const char* name : {"g++", "git", "bwrap"}) program(programs_ / name, "exit 0");
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void program(const fs::path& file, const std::string& script) {
    write_file(file, "#!/bin/bash\n" + script + "\n");
    fs::permissions(file, fs::perms::owner_all);
  }
  /// What was called to answer `./lab list` in the checkout.
  std::string calls(const fs::path& root, std::string* said = nullptr) {
    fs::remove(folder_ / "calls");
    write_file(folder_ / "calls", "");
    const CommandResult result = run_command(
        {(root / "lab").string(), "list"}, {.directory = root,
                                            .environment = {"PATH=" + programs_.string() + ":/usr/bin:/bin",
                                                            "CALLS=" + (folder_ / "calls").string(),
                                                            "ROOFLINE_PRESET=base", "ROOFLINE_NO_BUILD=0"}});
    EXPECT_TRUE(result.ok()) << result.output;
    if (said != nullptr) *said = result.output;
    std::string text = read_file(folder_ / "calls");
    std::ranges::replace(text, '\n', ' ');
    return text;
  }

  fs::path folder_ = fs::canonical(fs::temp_directory_path()) / ("lab script " + std::to_string(getpid()));
  fs::path root_ = folder_ / "checkout", programs_ = folder_ / "programs";
};

// Breaks when a package that was installed after the first build is never found, as libarchive.
TEST_F(LabScript, ANewPackageIsPickedUp) {
  EXPECT_EQ(calls(root_), "cmake ninja ");
  EXPECT_EQ(calls(root_), "ninja ") << "nothing changed";
  const std::string known = read_file(root_ / "build/base/headers");
  write_file(root_ / "build/base/headers", "before.h ");
  EXPECT_EQ(calls(root_), "cmake ninja ");
  EXPECT_EQ(read_file(root_ / "build/base/headers"), known);
}

// Breaks when a copy of a checkout builds, or runs, what lies in the one it was copied from.
TEST_F(LabScript, ACopyBuildsInItsOwnPlace) {
  EXPECT_EQ(calls(root_), "cmake ninja ");
  const fs::path copy = folder_ / "copy";
  fs::copy(root_, copy, fs::copy_options::recursive);
  write_file(copy / "build/base/of-the-other", "");
  std::string said;
  EXPECT_EQ(calls(copy, &said), "cmake ninja ");
  EXPECT_NE(said.find("is a copy of " + root_.string()), std::string::npos) << said;
  EXPECT_FALSE(fs::exists(copy / "build/base/of-the-other"));
  EXPECT_EQ(calls(copy), "ninja ");
}

}  // namespace
}  // namespace roofline::grader
