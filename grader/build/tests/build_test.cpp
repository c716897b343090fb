// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// From compilers' words to diagnostics, and from a file to a worker.
#include "grader/build/build.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "grader/base/file.h"
#include "grader/box/process.h"
#include "grader/build/diagnostics.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

// Breaks when one of the compilers' forms is no longer understood.
TEST(Diagnostics, EveryToolsForm) {
  const auto found = parse_diagnostics(
      "labs/01/p.cu(12): error: identifier \"z\" is undefined\n"
      "labs/01/p.cu(13): warning #177-D: variable \"i\" was declared but never referenced\n"
      "p.cu:3:10: fatal error: nothing.h: No such file or directory\n"
      "ptxas error   : Entry function '_Z1kv' uses too much shared data (0x20000 bytes, 0xc000 max)\n"
      "nvcc fatal   : Unsupported gpu architecture 'compute_10'\n"
      "/usr/bin/ld: x.o: in function `main':\n"
      "m.cpp:(.text+0x2b): undefined reference to `pointwise(float const*)'\n"
      "1 error detected in the compilation of \"p.cu\".\n");
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found[0].text(), "labs/01/p.cu:12: identifier \"z\" is undefined");
  EXPECT_TRUE(found[0].error);
  EXPECT_FALSE(found[1].error);
  EXPECT_EQ(found[2].text(), "p.cu:3: nothing.h: No such file or directory");
  EXPECT_EQ(found[3].text(), "ptxas: Entry function 'k' uses too much shared data (131072 bytes, 49152 max)");
  EXPECT_NE(found[4].text().find("Unsupported gpu architecture"), std::string::npos);
  EXPECT_EQ(found[5].text(), "undefined reference to `pointwise(float const*)'");
}

// Breaks when file names with parentheses or colons, or hostile text, confuse the parser.
TEST(Diagnostics, OddLines) {
  const auto found =
      parse_diagnostics("my (old) file.cu(7): error: no\na:b.cu:9:1: error: no\n((((:::(1):\n\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].file, "my (old) file.cu");
  EXPECT_EQ(found[0].line, 7U);
  EXPECT_EQ(found[1].file, "a:b.cu");
}

// Breaks when the same error of nvcc's two passes is shown twice.
TEST(Diagnostics, OnceEach) {
  EXPECT_EQ(parse_diagnostics("p.cu(1): error: x\np.cu(1): error: x\n").size(), 1U);
}

TEST(Process, LimitKillsTheWholeGroup) {
  const auto begin = std::chrono::steady_clock::now();
  const CommandResult result =
      run_command({"sh", "-c", "sleep 60 & sleep 60"}, {.limit = std::chrono::milliseconds(300)});
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// Breaks when a process that stays behind with the pipe open can hold up the grader past the limit.
TEST(Process, OutputIsCappedAndStatusKept) {
  const CommandResult result =
      run_command({"sh", "-c", "yes | head -c 300000; exit 7"}, {.output_limit = 1000});
  EXPECT_EQ(result.output.size(), 1000U);
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.exit_code, 7);
}

TEST(Process, MissingProgramIsAnException) {
  EXPECT_THROW(run_command({"no-such-program-anywhere"}), std::runtime_error);
}

// The published vectors of FIPS 180-4, and a length that needs a second block of padding.
TEST(Sha256, KnownVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

class Build : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("roofline-build-test-" + std::to_string(getpid()));
    fs::create_directories(folder_ / "lab");
    write_file(folder_ / "lab" / "twice.h",
               "#pragma once\n#include <cstddef>\n#include <cuda_runtime.h>\n"
               "void twice(const float* x, float* y, std::size_t n, cudaStream_t stream);\n");
    paths_.root = ROOFLINE_SOURCE;
    paths_.build = ROOFLINE_BUILD;
    paths_.state = folder_ / "state";
  }
  void TearDown() override { fs::remove_all(folder_); }

  BuildResult build(const std::string& text, const std::string& header = "twice.h",
                    std::chrono::seconds limit = std::chrono::seconds(120)) {
    write_file(folder_ / "twice.cu", text);
    Builder builder(paths_, find_toolkit());
    return builder.build({.source = folder_ / "twice.cu",
                          .folder = folder_ / "lab",
                          .header = header,
                          .function = "twice",
                          .adapter = {},
                          .limit = limit});
  }

  static constexpr const char* kGood =
      "#include \"twice.h\"\n"
      "__global__ void kernel(const float* x, float* y, std::size_t n) { if (threadIdx.x < n) y[threadIdx.x] "
      "= 2 * x[threadIdx.x]; }\n"
      "void twice(const float* x, float* y, std::size_t n, cudaStream_t s) { kernel<<<1, 256, 0, s>>>(x, y, "
      "n); }\n";
  fs::path folder_;
  Paths paths_;
};

// Breaks when the worker is not linked with the shared runtime: a static one could not be replaced by the
// simulator.
TEST_F(Build, WorkerUsesTheSharedRuntimeAndTheCacheWorks) {
  const BuildResult first = build(kGood);
  ASSERT_TRUE(first.ok()) << first.sentence << first.output;
  EXPECT_FALSE(first.cached);
  const std::string dynamic = run_command({"readelf", "-d", first.worker.string()}).output;
  EXPECT_NE(dynamic.find("libcudart.so.13"), std::string::npos);
  EXPECT_EQ(dynamic.find("(RPATH)"), std::string::npos);
  const BuildResult second = build(kGood);
  EXPECT_TRUE(second.cached);
  EXPECT_EQ(second.worker, first.worker);
  const BuildResult changed = build(std::string(kGood) + "// another file\n");
  EXPECT_FALSE(changed.cached);
  EXPECT_NE(changed.worker, first.worker);
  EXPECT_NE(changed.source_sha256, first.source_sha256);
}

// Breaks when a compiler that is stopped leaves its files in the system's folder for such: each night a
// gigabyte.
TEST_F(Build, AStoppedCompilerLeavesNothingBehind) {
  const fs::path temporary = folder_ / "temporary";
  fs::create_directories(temporary);
  setenv("TMPDIR", temporary.c_str(), 1);
  const BuildResult stopped = build(
      "template <unsigned long long N> struct T { static constexpr int v = T<2 * N>::v + T<2 * N + 1>::v; "
      "};\n"
      "template <unsigned long long N> requires (N > 1ULL << 40) struct T<N> { static constexpr int v = 1; "
      "};\n"
      "int endless = T<1>::v;\n",
      "twice.h", std::chrono::seconds(2));
  unsetenv("TMPDIR");
  EXPECT_FALSE(stopped.ok());
  EXPECT_NE(stopped.sentence.find("2 s"), std::string::npos) << stopped.sentence << stopped.output;
  EXPECT_TRUE(fs::is_empty(temporary));
}

// Breaks when a course that is handed out built compiles anew what it brings along, because a path, a
// toolkit's place or a date is part of a name; or when a worker only runs where the toolkit lay that linked
// it.
TEST_F(Build, WhatCameWithTheCourseIsUsed) {
  const BuildResult here = build(kGood);
  ASSERT_TRUE(here.ok()) << here.output;
  EXPECT_EQ(run_command({"readelf", "-d", here.worker.string()}).output.find("(RUNPATH)"), std::string::npos);

  const Paths author = paths_;
  paths_.root = folder_ / "elsewhere";
  fs::create_directories(paths_.root);
  fs::copy(author.root / "common", paths_.root / "common", fs::copy_options::recursive);
  paths_.build = paths_.root / "built";
  fs::create_directories(paths_.build);
  fs::copy(author.build / "worker", paths_.build / "worker");
  paths_.state = paths_.root / "state";
  const auto course_of = [&](const Paths& paths) {
    return BuildRequest{.source = paths.root / "common" / "roofs" / "copy.cu",
                        .folder = paths.root / "common" / "roofs",
                        .header = "copy.h",
                        .function = "copy_roof",
                        .adapter = {}};
  };
  const BuildResult authors = Builder(author, find_toolkit()).build(course_of(author));
  ASSERT_TRUE(authors.ok()) << authors.output;
  fs::create_directories(paths_.cache_that_came());
  for (const auto& entry : fs::directory_iterator(author.cache()))
    if (entry.path().extension() == ".o")
      fs::copy_file(entry.path(), paths_.cache_that_came() / entry.path().filename());
  Toolkit toolkit = find_toolkit();
  const fs::path moved = folder_ / "toolkit";
  fs::create_directories(moved);
  for (const auto& entry : fs::directory_iterator(toolkit.home))
    if (entry.path().filename() != "bin") fs::create_symlink(entry.path(), moved / entry.path().filename());
  toolkit.home = moved;  // without a compiler: nothing is compiled
  const BuildResult students = Builder(paths_, toolkit).build(course_of(paths_));
  EXPECT_TRUE(students.cached);
  ASSERT_TRUE(students.ok()) << students.output;
  EXPECT_EQ(students.worker.filename(), authors.worker.filename());
}

// Breaks when a header's change leaves an old worker in use.
TEST_F(Build, AHeaderIsPartOfTheKey) {
  ASSERT_TRUE(build(kGood).ok());
  write_file(folder_ / "lab" / "more.h", "#pragma once\n");
  EXPECT_FALSE(build(kGood).cached);
}

// Breaks when folders of killed graders pile up, or that of a running one is taken away.
TEST_F(Build, FoldersOfKilledGradersAreRemoved) {
  const fs::path cache = paths_.cache();
  fs::create_directories(cache / "work-2000000000-0");  // above the largest process id of Linux
  fs::create_directories(cache / ("work-" + std::to_string(getppid()) + "-0"));
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto& entry : fs::directory_iterator(cache)) fs::last_write_time(entry.path(), long_ago);
  fs::create_directories(cache / "work-2000000000-1");
  ASSERT_TRUE(build(kGood).ok());
  EXPECT_FALSE(fs::exists(cache / "work-2000000000-0"));
  EXPECT_TRUE(fs::exists(cache / "work-2000000000-1"));
  EXPECT_TRUE(fs::exists(cache / ("work-" + std::to_string(getppid()) + "-0")));
}

// Breaks when an error does not carry the learner's own path and line.
TEST_F(Build, ErrorNamesFileAndLine) {
  const BuildResult result = build(
      "#include \"twice.h\"\nvoid twice(const float*, float*, std::size_t, cudaStream_t) {\n  nonsense = "
      "1;\n}\n");
  EXPECT_FALSE(result.ok());
  ASSERT_FALSE(result.diagnostics.empty()) << result.output;
  EXPECT_EQ(result.diagnostics[0].file, (folder_ / "twice.cu").string());
  EXPECT_EQ(result.diagnostics[0].line, 3U);
  EXPECT_NE(result.diagnostics[0].message.find("nonsense"), std::string::npos);
}

TEST_F(Build, RenamedFunctionIsSaidInASentence) {
  const BuildResult result =
      build("#include \"twice.h\"\nvoid two_times(const float*, float*, std::size_t, cudaStream_t) {}\n");
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.sentence.find("does not define twice as twice.h declares it"), std::string::npos)
      << result.sentence;
}

// Breaks when what an editor on Windows writes does not compile, or when nobody is told why it cannot.
TEST_F(Build, FilesOfWindowsCompile) {
  std::string lines = kGood, wide = "\xff\xfe";
  for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += 2) lines.insert(at, "\r");
  EXPECT_TRUE(build("\xef\xbb\xbf" + lines).ok()) << "a byte order mark, and lines that end in CR LF";
  for (const char c : std::string_view(kGood)) wide += {c, '\0'};
  const BuildResult result = build(wide);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.sentence.find("save it as UTF-8"), std::string::npos) << result.sentence;
}

TEST_F(Build, OwnMainIsSaidInASentence) {
  const BuildResult result = build(std::string(kGood) + "int main() {}\n");
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.sentence.find("defines main"), std::string::npos) << result.sentence;
}

// Breaks when a header beside a submission replaces the lab's.
TEST_F(Build, HeadersBesideTheSubmissionAreNotSeen) {
  write_file(folder_ / "twice.h", "#error the submission's own header was used\n");
  EXPECT_TRUE(build(kGood).ok());
}

// Breaks when a user's flags for nvcc change what is graded.
TEST_F(Build, UsersCompilerFlagsAreIgnored) {
  setenv("NVCC_APPEND_FLAGS", "--no-such-flag", 1);
  const BuildResult result = build(kGood);
  unsetenv("NVCC_APPEND_FLAGS");
  EXPECT_TRUE(result.ok()) << result.output;
}

TEST_F(Build, OurOwnFaultIsNotTheLearners) { EXPECT_THROW(build("\n", "missing.h"), InfrastructureError); }

}  // namespace
}  // namespace roofline::grader
