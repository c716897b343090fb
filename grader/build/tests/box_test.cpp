// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What is inside a box sees nothing but what it was shown and leaves nothing behind.
#include "grader/box/box.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "grader/base/file.h"
#include "grader/box/confinement.h"
#include "grader/box/process.h"
#include "grader/build/build.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

// Breaks when a program on Linux before 5.11 inherits the grader's files; more are open than one answer of
// the kernel lists.
TEST(Confinement, WhatIsListedClosesOnExec) {
  std::vector<int> files;
  for (int i = 0; i < 500; ++i) files.push_back(dup(2));
  EXPECT_TRUE(close_listed_on_exec());
  for (const int file : files) EXPECT_EQ(fcntl(file, F_GETFD), FD_CLOEXEC) << file;
  EXPECT_EQ(fcntl(2, F_GETFD), 0);
  for (const int file : files) close(file);
}

/// Skips where this machine refuses the sandbox: what it is for is then refused to the user as well.
class Boxes : public testing::TestWithParam<Sandbox> {
 protected:
  void SetUp() override {
    try {
      require_sandbox(GetParam());
    } catch (const InfrastructureError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  /// Output of a shell's script in a run box.
  CommandResult run(const std::string& script, std::vector<int> keep = {}) {
    Box box(GetParam(), Box::Kind::kRun, {});
    const std::string file = box.write(script, "script.sh");
    return run_command(box.enter({"/bin/sh", file}, {"SHOWN=yes"}, "", std::move(keep)),
                       {.limit = std::chrono::seconds(20)});
  }
};

// Breaks when what a killed grader leaves stays for ever, or when a grader loses the box that it works in.
TEST(Leftovers, GoWhenNobodyHoldsThem) {
  const fs::path place = fs::temp_directory_path() / ("leftovers-" + std::to_string(getpid()));
  fs::create_directories(place / "roofline-box-dead" / "tmp");
  fs::create_directories(place / "roofline-box-young");
  fs::create_directories(place / "another-folder");
  for (const char* name : {"roofline-box-dead", "roofline-box-young", "another-folder"})
    write_file(place / name / "lock", "");
  const BoxFolder held;
  fs::rename(held.path(), place / "roofline-box-held");
  const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(5);
  for (const char* name : {"roofline-box-dead", "roofline-box-held", "another-folder"})
    fs::last_write_time(place / name, old);
  EXPECT_EQ(collect_leftovers(place), 1U);
  EXPECT_FALSE(fs::exists(place / "roofline-box-dead"));
  for (const char* name : {"roofline-box-young", "roofline-box-held", "another-folder"})
    EXPECT_TRUE(fs::exists(place / name)) << name;
  fs::remove_all(place);
}

TEST_P(Boxes, NoSolutionNoSpecNoGrader) {
  for (const char* file :
       {"/solutions/01-pointwise/pointwise.cu", "/labs/01-pointwise/spec.cpp", "/grader/box/box.cpp"}) {
    if (GetParam() == Sandbox::kContainer)
      continue;  // closed by close_course, which a test must not do to a checkout
    ASSERT_TRUE(std::filesystem::exists(ROOFLINE_SOURCE + std::string(file)));
    const CommandResult result = run("cat " ROOFLINE_SOURCE + std::string(file));
    EXPECT_NE(result.exit_code, 0) << result.output;
    EXPECT_EQ(result.output.find("SPDX"), std::string::npos);
  }
}

// An instructor's hidden cases, or a roster, lie anywhere.
TEST_P(Boxes, NoFileThatWasClosed) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("closed-" + std::to_string(getpid()) + ".toml");
  write_file(file, "seed = 42\n");
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  close_to_others({file, "", "/no/such/place"});
  const CommandResult result = run("cat " + file.string());
  EXPECT_NE(result.exit_code, 0);
  EXPECT_EQ(result.output.find("seed"), std::string::npos) << result.output;
  EXPECT_EQ(read_file(file), "seed = 42\n") << "the grader can";
  std::filesystem::remove(file);
}

TEST_P(Boxes, NothingOfOurEnvironment) {
  setenv("ROOFLINE_TEST_SECRET", "seed", 1);
  const CommandResult result = run("env; cat /proc/1/environ /proc/self/environ 2>/dev/null");
  EXPECT_EQ(result.output.find("seed"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("SHOWN=yes"), std::string::npos) << result.output;
  unsetenv("ROOFLINE_TEST_SECRET");
}

TEST_P(Boxes, OnlyTheProtocolsDescriptors) {
  std::FILE* secret = std::tmpfile();  // without CLOEXEC: what a careless part of the grader could leave open
  std::FILE* wanted = std::tmpfile();
  const int fd = fileno(wanted);
  const CommandResult result = run("ls /proc/self/fd", {fd});
  // 3 is the folder that ls reads.
  const std::string expected = "0\n1\n2\n3\n" + std::to_string(fd) + "\n";
  std::string got = result.output;
  EXPECT_TRUE(got == expected ||
              got == "0\n1\n2\n" + std::to_string(fd) + "\n" + std::to_string(fd + 1) + "\n" ||
              got.size() <= expected.size() + 3)
      << got;
  EXPECT_EQ(got.find("\n" + std::to_string(fileno(secret)) + "\n"),
            fileno(secret) == 3 ? got.find("\n3\n") : std::string::npos)
      << got;
  std::fclose(secret);
  std::fclose(wanted);
}

TEST_P(Boxes, NoNetworkNoNamespacesNoMounts) {
  EXPECT_NE(run("exec 3<>/dev/tcp/127.0.0.1/1").exit_code, 0);
  const CommandResult sockets =
      run("/usr/bin/perl -MSocket -e 'socket(my $s, AF_INET, SOCK_STREAM, 0) ? print \"open\" : print "
          "\"refused\";"
          "socket(my $u, AF_UNIX, SOCK_STREAM, 0) and print \" unix\"'");
  EXPECT_EQ(sockets.output, "refused unix");
  EXPECT_NE(run("unshare -U true").exit_code, 0);
  EXPECT_NE(run("unshare -r -m true").exit_code, 0);
  EXPECT_NE(run("mount -t tmpfs none /tmp").exit_code, 0);
}

TEST_P(Boxes, WritesNowhereButToItsScratchFolder) {
  EXPECT_NE(run("echo x > /usr/roofline-test").exit_code, 0);
  EXPECT_NE(run("echo x > " ROOFLINE_SOURCE "/roofline-test").exit_code, 0);
  EXPECT_NE(run("echo x >> \"$0\"").exit_code, 0) << "the submission itself";
  EXPECT_EQ(run("echo x > $HOME/file && cat $HOME/file").output, "x\n");
  const CommandResult large = run("head -c 100000000 /dev/zero > $HOME/large");
  EXPECT_NE(large.exit_code, 0) << "64 MiB a file, and of scratch";
}

TEST_P(Boxes, ProcessesAreCountedAndNoneStays) {
  const CommandResult bomb =
      run("i=0; while [ $i -lt 200 ]; do sleep 1000 >/dev/null 2>&1 & i=$((i+1)); done; echo all");
  EXPECT_EQ(bomb.output.find("all"), std::string::npos) << "a fork bomb";
  // A daemon that left its session and its parent.
  const std::string marker = "86399." + std::to_string(getpid());
  run("setsid sleep " + marker + " >/dev/null 2>&1 & exit 0");
  const auto stays = [&] {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "cmdline");
      const std::string line{std::istreambuf_iterator<char>(file), {}};
      if (line.find(marker) != std::string::npos) return true;
    }
    return false;
  };
  for (int tries = 0; tries < 500 && stays(); ++tries) usleep(10'000);
  EXPECT_FALSE(stays());
}

TEST_P(Boxes, NothingIsLeftInTheSystemsFolders) {
  const std::string name = "roofline-left-" + std::to_string(getpid());
  run("for d in /tmp /dev/shm /var/tmp; do echo x > $d/" + name + "; done");
  for (const char* folder : {"/tmp", "/dev/shm", "/var/tmp"})
    EXPECT_FALSE(fs::exists(fs::path(folder) / name));
}

TEST_P(Boxes, IsNotRoot) {
  EXPECT_NE(run("id -u").output, "0\n");
  EXPECT_NE(run("echo 0 > /proc/sys/kernel/core_pattern").exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Boxes, testing::Values(Sandbox::kNamespaces, Sandbox::kContainer),
                         [](const auto& test) { return std::string(name_of(test.param)); });

// Breaks when a box that could not be made is taken for a program that failed.
TEST(Box, TellsAFailedBoxFromAFailedProgram) {
  try {
    require_sandbox(Sandbox::kNamespaces);
  } catch (const InfrastructureError& error) {
    GTEST_SKIP() << error.what();
  }
  Box good(Sandbox::kNamespaces, Box::Kind::kRun, {});
  EXPECT_FALSE(run_command(good.enter({"/bin/false"}, {}, "", {})).ok());
  EXPECT_TRUE(good.was_entered());
  Box bad(Sandbox::kNamespaces, Box::Kind::kRun, "/nowhere/cuda");
  EXPECT_FALSE(run_command(bad.enter({"/bin/true"}, {}, "", {})).ok());
  EXPECT_FALSE(bad.was_entered());
}

class CompileBox : public testing::Test {
 protected:
  void SetUp() override {
    try {
      require_sandbox(Sandbox::kNamespaces);
    } catch (const InfrastructureError& error) {
      GTEST_SKIP() << error.what();
    }
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  BuildResult build(const std::string& text, Sandbox sandbox = Sandbox::kNamespaces) {
    write_file(folder_ / "pointwise.cu", text);
    Paths paths = Paths::find();
    paths.state = folder_ / "state";
    Builder builder(paths, find_toolkit(), {}, sandbox);
    return builder.build({.source = folder_ / "pointwise.cu",
                          .folder = paths.root / "labs" / "01-pointwise",
                          .header = "pointwise.h",
                          .function = "pointwise",
                          .adapter = {},
                          .capabilities = {80},
                          .shown = "pointwise.cu"});
  }

  fs::path folder_ = fs::temp_directory_path() / ("box_test-" + std::to_string(getpid()));
};

constexpr const char* kEmpty =
    "#include \"pointwise.h\"\n"
    "void pointwise(const float*, float*, float, float, std::size_t, cudaStream_t) {}\n";

// Breaks when the compile box lacks something that an honest submission needs, or shows what it must not.
TEST_F(CompileBox, CompilesAndHidesTheSpec) {
  const BuildResult honest = build(kEmpty);
  EXPECT_TRUE(honest.ok()) << honest.sentence << honest.output;
  for (const char* steal : {"#include \"../../labs/01-pointwise/spec.cpp\"\n", "#include \"spec.cpp\"\n",
                            "#include \"" ROOFLINE_SOURCE "/solutions/01-pointwise/pointwise.cu\"\n"}) {
    const BuildResult stolen = build(std::string(steal) + kEmpty);
    EXPECT_FALSE(stolen.ok()) << steal;
    EXPECT_NE(stolen.output.find("No such file or directory"), std::string::npos) << stolen.output;
  }
}

// Breaks when a box takes from the cache what was compiled where more could be included.
TEST_F(CompileBox, TakesNothingThatWasCompiledOutside) {
  write_file(folder_ / "secret.h", "constexpr int kSecret = 1;\n");
  const std::string text = "#include \"" + (folder_ / "secret.h").string() + "\"\n" + kEmpty;
  EXPECT_TRUE(build(text, Sandbox::kNone).ok());
  EXPECT_FALSE(build(text).ok());
}

}  // namespace
}  // namespace roofline::grader
