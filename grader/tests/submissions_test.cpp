// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Submissions that cheat, or that try to break the grader (tests/submissions), in the real boxes. Each must
// first win against a naive grader (tests/naive), so that it is the defence that stops it; then each must get
// its verdict, with no forged pass, time or counter, no word that it should not know, and nothing left
// behind.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <thread>

#include "grader/base/file.h"
#include "grader/base/printable.h"
#include "grader/box/process.h"
#include "grader/build/build.h"
#include "grader/call/worker_process.h"
#include "grader/judge/judge.h"
#include "grader/judge/workbench.h"
#include "grader/lab/submission_file.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = ROOFLINE_SOURCE, kBuild = ROOFLINE_BUILD;
const fs::path kSubmissions = kSource / "grader/tests/submissions";

constexpr const char* kClasses[] = {"compile", "load",   "run",      "clock",   "checker",
                                    "memory",  "device", "operator", "channel", "limit"};
constexpr std::size_t kFewest = 5, kFewestInAll = 50;  // of a class; of all

/// What no submission may see, and what some print when they should not have come so far.
constexpr const char* kAnotherStudent = "the work of another student";
constexpr const char* kOfTheSpec = "l2_multiple(";
constexpr const char* kAttackWorked = "attack worked";
/// What they call processes and files that they leave behind.
constexpr const char* kProcessLeft = "rl-left-behind";
constexpr const char* kFileLeft = "roofline-left-behind";
/// Of what never ends, not much need be seen.
constexpr std::chrono::seconds kCompileLimit{120}, kShortLimit{5};
constexpr std::chrono::seconds kNaiveLimit{60}, kNaiveHangs{6};
constexpr std::size_t kFlood = 256 * 1024;

/// The first line: `// expect: VERDICT [CLASS]; naive: OUTCOME`.
struct Expected {
  std::string verdict, reason, naive;
};

std::optional<Expected> expectation_of(const std::string& text) {
  static const std::regex line("^// expect: (pass|fail)( [a-z-]+)?; naive: ([a-z-]+)\n");
  std::smatch parts;
  if (!std::regex_search(text, parts, line)) return std::nullopt;
  const std::string reason = parts[2];
  return Expected{parts[1], reason.empty() ? "" : reason.substr(1), parts[3]};
}

std::vector<fs::path> submissions_of(const std::string& group) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kSubmissions / group)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool has_controls(const std::string& text) { return printable(text) != text; }

bool shows_what_is_not_its_own(const std::string& text) {
  static const std::string first_user = [] {
    std::ifstream users("/etc/passwd");
    std::string line;
    std::getline(users, line);
    return line;
  }();
  return contains(text, kAnotherStudent) || contains(text, kOfTheSpec) ||
         (!first_user.empty() && contains(text, first_user));
}

/// A zombie has no command line left: only an entry, until its parent collects it, and a container's first
/// process may never do that.
bool has_ended(const fs::path& process) { return std::ifstream(process / "cmdline").get() == EOF; }

/// Classes run side by side: only one looks for processes, and one for files.
std::vector<pid_t> processes_left(const std::string& group) {
  std::vector<pid_t> found;
  if (group != "run") return found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    std::string called;
    if (std::getline(std::ifstream(entry.path() / "comm"), called) && called == kProcessLeft &&
        !has_ended(entry.path()))
      found.push_back(std::atoi(name.c_str()));
  }
  return found;
}

/// The processes of a box end a moment after the one that made it.
bool none_stays(const std::string& group) {
  for (int tries = 0; tries < 500; ++tries) {
    if (processes_left(group).empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// Kills what a submission left in the naive grader, and waits until it is gone.
void kill_what_is_left(const std::string& group) {
  for (int tries = 0; tries < 500; ++tries) {
    const std::vector<pid_t> left = processes_left(group);
    if (left.empty()) return;
    for (const pid_t process : left) kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::vector<fs::path> files_left(const std::string& group) {
  std::vector<fs::path> found;
  if (group != "memory") return found;
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      if (entry.path().filename().string().starts_with(kFileLeft)) found.push_back(entry.path());
  }
  return found;
}

/// What the naive grader made of a submission.
struct Naive {
  std::string outcome;  ///< beside "passes": what else it did, separated by blanks
  std::string output;
  bool has(const std::string& word) const { return contains(" " + outcome + " ", " " + word + " "); }
};

const Toolkit& toolkit() {
  static const Toolkit found = find_toolkit();
  return found;
}

Paths paths() {
  Paths paths;
  paths.root = kSource;
  paths.build = kBuild;
  paths.state = kBuild / "submissions";
  return paths;
}

/// One class of submissions: its folder, the naive grader and ours.
class Submissions : public testing::TestWithParam<const char*> {
 protected:
  Submissions() : builder_(paths(), toolkit(), {}, Sandbox::kNamespaces) {}

  void SetUp() override {
    try {
      require_sandbox(Sandbox::kNamespaces);
    } catch (const InfrastructureError& error) {
      GTEST_SKIP() << error.what();
    }
    scratch_ = kBuild / "submissions" / GetParam();
    fs::remove_all(scratch_);
    write_file(scratch_ / "another-student.cu",
               std::string("// ") + kAnotherStudent + "\n" +
                   read_file(kSource / "solutions/01-pointwise/variants/2-scalar.cu"));
  }
  void TearDown() override {
    fs::remove_all(scratch_);
    kill_what_is_left(GetParam());
    for (const fs::path& file : files_left(GetParam())) fs::remove_all(file);
  }

  /// The submission as it is handed in: where the other student's work lies is known only here.
  fs::path hand_in(const fs::path& file) {
    std::string text = read_file(file);
    for (std::size_t at; (at = text.find("@SCRATCH@")) != std::string::npos;)
      text.replace(at, 9, scratch_.string());
    const fs::path copy = scratch_ / file.filename();
    write_file(copy, text);
    return copy;
  }

  // --- the naive grader

  Naive naive(const fs::path& source, const fs::path& ready_object, const std::string& expected = "passes") {
    const fs::path folder = scratch_ / "naive";
    fs::create_directories(folder);
    Naive result;
    const fs::path object = ready_object.empty() ? folder / "submission.o" : ready_object;
    if (ready_object.empty() && !naive_compile(source, object, result)) return result;
    const std::string libraries = toolkit().libraries().string();
    const CommandResult linked =
        run_command({"g++", object.string(), NAIVE_GRADER, "-L" + libraries, "-lcudart",
                     "-Wl,-rpath," + libraries, "-pthread", "-o", (folder / "graded").string()});
    EXPECT_TRUE(linked.ok()) << linked.output;
    std::vector<std::string> environment = {"LD_LIBRARY_PATH=" + (kBuild / "simulator").string(),
                                            "GRADER_SEED=42"};
    if (expected == "passes-by-host-clock") environment.push_back("NAIVE_HOST_CLOCK=1");
    const CommandResult ran = run_command({"sh", "-c", "./graded; echo \"exit status $?\""},
                                          {.directory = folder,
                                           .limit = expected == "hangs" ? kNaiveHangs : kNaiveLimit,
                                           .output_limit = 64 << 20,
                                           .environment = environment});
    result.output += ran.output;
    judge_naively(ran, result);
    fs::remove_all(folder);
    return result;
  }

  bool naive_compile(const fs::path& source, const fs::path& object, Naive& result) {
    const CommandResult compiled = run_command(
        {"sh", "-c", "ulimit -v 8000000; exec \"$@\"", "sh", toolkit().nvcc().string(), "-std=c++20",
         "-arch=sm_80", "-Ilabs/01-pointwise", "-Icommon", "-c", source.string(), "-o", object.string()},
        {.directory = kSource, .limit = compile_limit_, .output_limit = 64 << 20});
    result.output = compiled.output;
    std::error_code ignored;
    if (compiled.timed_out) result.outcome += " hangs";
    if (compiled.output.size() > kFlood || fs::file_size(object, ignored) + 1 > (128U << 20))
      result.outcome += " floods";
    if (shows_what_is_not_its_own(compiled.output)) result.outcome += " leaks";
    if (has_controls(compiled.output)) result.outcome += " escapes";
    return compiled.ok() && result.outcome.empty();
  }

  void judge_naively(const CommandResult& ran, Naive& result) {
    const std::string& said = ran.output;
    const auto note = [&](bool holds, const char* what) {
      if (holds) result.outcome += std::string(" ") + what;
    };
    // The last line that looks like a result, and the exit status where there is none.
    const std::size_t line = said.rfind("\"passed\": ");
    const bool says = line != std::string::npos && said.compare(line + 10, 4, "true") == 0;
    note(says || (line == std::string::npos && contains(said, "exit status 0\n")), "passes");
    note(ran.timed_out, "hangs");
    note(!contains(said, "exit status ") && !ran.timed_out, "kills-grader");
    note(contains(said, "exit status 13"), "dies");  // 128 and a signal below 10
    note(said.size() > kFlood, "floods");
    note(shows_what_is_not_its_own(said), "leaks");
    note(has_controls(said), "escapes");
    note(contains(said, kAttackWorked), "attack-worked");
    note(!processes_left(GetParam()).empty(), "leaves-process");
    note(!files_left(GetParam()).empty(), "leaves-file");
    kill_what_is_left(GetParam());
    for (const fs::path& file : files_left(GetParam())) fs::remove_all(file);
  }

  // --- ours

  BuildResult build(const fs::path& source, const std::string& shown) {
    return builder_.build({.source = source,
                           .folder = kSource / "labs/01-pointwise",
                           .header = "pointwise.h",
                           .function = "pointwise",
                           .adapter = {},
                           .shown = shown,
                           .limit = compile_limit_});
  }

  /// Lab 01 with few cases and a small goal, so that a class is graded in seconds.
  static Lab small_lab() {
    Lab lab = all_labs().front();
    Part& part = lab.parts.front();
    part.cases = common_cases({.sizes = {1, 257, 4099}, .misaligned = {}, .special_values = false});
    part.goals.front().settings = {{"n", 1 << 18}};
    part.goals.front().thresholds = {{0, {.pass = 0.1, .good = 0.8, .excellent = 0.9}}};
    part.shown.clear();
    part.predictions.clear();
    part.deadline_seconds = 4;
    return lab;
  }

  /// Of the class that wants more than one submission may have.
  static BudgetLimits small_limits() {
    return {.wall_seconds = 24, .memory_bytes = std::uint64_t{768} << 20, .host_window_bytes = 256 << 20};
  }

  Result grade_file(const fs::path& source, const std::string& shown) {
    const BuildResult built = build(source, shown);
    object_ = built.object;
    if (!built.ok()) {
      Result result;
      result.checks = {build_check(built)};
      result.reason = result.checks[0].reason;
      result.program_output = built.output;
      return result;
    }
    Lab lab = small_lab();
    GradeOptions options;
    if (GetParam() == std::string("limit")) {
      options.limits = small_limits();
      lab.parts.front().deadline_seconds = 12;  // of one step: it is the sum that ends
    }
    options.seed = 11;  // the same number of calls for all, so that their times can be compared
    options.sandbox = Sandbox::kNamespaces;
    options.simulator_directory = kBuild / "simulator";
    options.cuda_library_directory = toolkit().libraries();
    options.roof_cache = kBuild / "submissions/roofs";
    fs::create_directories(options.roof_cache);
    options.roof_worker = [&](const Roof& roof) {
      const fs::path folder = kSource / "common/roofs";
      return builder_
          .build({.source = folder / roof.program.source,
                  .folder = folder,
                  .header = roof.program.header,
                  .function = roof.program.function,
                  .adapter = {}})
          .worker;
    };
    return grade(lab, lab.parts.front(), {built.worker, {}}, {}, options);
  }

  static std::string summary(const Result& result) {
    std::string text(name_of(result.verdict));
    for (const Check& check : result.checks)
      text += "\n  " + check.id + " " + std::string(name_of(check.verdict)) + " " +
              std::string(name_of(check.reason)) + ": " + printable(check.message.substr(0, 400));
    return text + "\n" + printable(result.program_output.substr(0, 400));
  }

  /// Of a submission that is right and launches the plain kernel.
  double honest_fraction() {
    static const double fraction = [&] {
      const Result honest =
          grade_file(kSource / "solutions/01-pointwise/variants/2-scalar.cu", "pointwise.cu");
      EXPECT_EQ(honest.verdict, Verdict::kPass) << summary(honest);
      return honest.measurements.empty() ? 0 : honest.measurements.front().fraction;
    }();
    return fraction;
  }

  void expect_defended(const Expected& expected, const Result& result) {
    EXPECT_EQ(name_of(result.verdict), expected.verdict) << summary(result);
    EXPECT_EQ(name_of(result.reason), expected.reason) << summary(result);
    std::string said = result.program_output;
    for (const Check& check : result.checks) said += check.id + check.title + check.message + check.file;
    EXPECT_FALSE(has_controls(said)) << printable(said);
    EXPECT_FALSE(shows_what_is_not_its_own(said)) << said;
    EXPECT_FALSE(contains(said, kAttackWorked)) << said;
    EXPECT_LT(said.size(), kFlood);
    EXPECT_TRUE(none_stays(GetParam()));
    EXPECT_TRUE(files_left(GetParam()).empty());
    if (expected.verdict == "pass") {
      ASSERT_EQ(result.measurements.size(), 1U);
      EXPECT_NEAR(result.measurements.front().fraction, honest_fraction(), 0.01 * honest_fraction());
    } else {
      EXPECT_EQ(result.medal, Medal::kNone);
    }
  }

  void try_out(const fs::path& file) {
    const auto expected = expectation_of(read_file(file));
    ASSERT_TRUE(expected) << file << " does not say in its first line what it expects";
    const fs::path source = hand_in(file);
    const bool never_compiles = GetParam() == std::string("compile") && expected->naive == "hangs";
    compile_limit_ = never_compiles ? kShortLimit : kCompileLimit;
    const Result result = grade_file(source, file.filename().string());
    const fs::path object = object_;
    expect_defended(*expected, result);
    // What is compiled in the box is what the naive grader links, too; where there is nothing, it compiles
    // itself.
    const Naive seen = naive(source, object, expected->naive);
    const std::string wins = expected->naive == "passes-by-host-clock" ? "passes" : expected->naive;
    EXPECT_TRUE(seen.has(wins)) << "against the naive grader it does \"" << seen.outcome << "\" instead of \""
                                << wins << "\"\n"
                                << printable(seen.output.substr(0, 1000));
  }

  Builder builder_;
  fs::path scratch_, object_;
  std::chrono::seconds compile_limit_ = kCompileLimit;
};

// Breaks when a submission gets past a defence, or does not even get past the naive grader.
TEST_P(Submissions, GetTheirVerdict) {
  const char* const only = std::getenv("ROOFLINE_SUBMISSION");  // one of them, while a defence is written
  for (const fs::path& file : submissions_of(GetParam())) {
    if (only != nullptr && file.stem() != only) continue;
    SCOPED_TRACE(file.filename().string());
    try_out(file);
  }
}

INSTANTIATE_TEST_SUITE_P(Class, Submissions, testing::ValuesIn(kClasses),
                         [](const auto& each) { return std::string(each.param); });

using Honest = Submissions;

// Breaks when the naive grader refuses honest work, or lets slow work pass: no cheat would prove anything
// then.
TEST_P(Honest, PassesBothGraders) {
  const Result result = grade_file(kSource / "solutions/01-pointwise/pointwise.cu", "pointwise.cu");
  EXPECT_EQ(result.verdict, Verdict::kPass) << summary(result);
  EXPECT_TRUE(naive(kSource / "solutions/01-pointwise/pointwise.cu", object_).has("passes"));
  for (const char* refused : {"zeros", "one-thread"}) {
    const fs::path file = submission_source(
        kSource / "solutions/01-pointwise/wrong" / (std::string(refused) + ".patch"), Paths::find());
    EXPECT_FALSE(naive(file, build(file, "pointwise.cu").object).has("passes")) << refused;
  }
}
INSTANTIATE_TEST_SUITE_P(Work, Honest, testing::Values("honest"));

TEST(Suite, HoldsEnoughOfEachClass) {
  std::size_t all = 0;
  for (const char* group : kClasses) {
    const auto files = submissions_of(group);
    EXPECT_GE(files.size(), kFewest) << group;
    all += files.size();
    for (const fs::path& file : files) EXPECT_TRUE(expectation_of(read_file(file))) << file;
  }
  EXPECT_GE(all, kFewestInAll);
}

}  // namespace
}  // namespace roofline::grader
