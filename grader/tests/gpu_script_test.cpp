// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "grader/base/file.h"
#include "grader/bench/contender.h"
#include "grader/box/process.h"
#include "grader/lab/submission_file.h"

// .ci/gpu without a GPU: what it would run, and the script itself with the simulated GPU in the card's place.
namespace roofline::grader::gpu_script {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = ROOFLINE_SOURCE;

CommandResult gpu(std::vector<std::string> arguments,
                  std::string preset = fs::path(ROOFLINE_BUILD).filename(), const fs::path& root = kRoot,
                  std::vector<std::string> environment = {}) {
  arguments.insert(arguments.begin(), root / ".ci" / "gpu");
  environment.push_back("ROOFLINE_PRESET=" + preset);
  return run_command(arguments, {.output_limit = 1 << 20, .environment = environment});
}

/// A tree as it is carried to another machine: the sources, and what --needs names of the build folder.
fs::path carried_tree() {
  const fs::path copy = fs::path(testing::TempDir()) / ("carried tree " + std::to_string(getpid()));
  fs::remove_all(copy);
  fs::create_directories(copy);
  const auto everything = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
  for (const char* part : {".ci", "cmake", "common", "labs", "solutions", "grader"})
    fs::copy(kRoot / part, copy / part, everything);
  const std::string needs = gpu({"--needs"}).output;
  for (size_t begin = 0; begin < needs.size();) {
    const size_t end = needs.find('\n', begin);
    const fs::path part = needs.substr(begin, end - begin);
    fs::create_directories((copy / part).parent_path());
    fs::copy(kRoot / part, copy / part, everything);
    begin = end + 1;
  }
  return copy;
}

bool on_a_card(const fs::path& file) {
  const std::string head = read_file(file).substr(0, 400);
  return head.find("\n// needs: sim") == std::string::npos &&
         head.find("\n# needs: sim") == std::string::npos;
}

TEST(GpuScript, DryRunFindsEverythingBuiltAndListsEveryItem) {
  const CommandResult result = gpu({"--dry-run"});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / "solutions")) {
    const std::string file = entry.path().lexically_relative(kRoot);
    if (!is_submission_file(entry.path()) || file.find("/wrong/") == std::string::npos) continue;
    EXPECT_EQ(result.output.find(" " + file + " ") != std::string::npos, on_a_card(entry.path())) << file;
  }
  const std::vector<Lab>& labs = all_labs();
  for (const Chosen& part : all_parts(labs)) {
    const std::string file = fs::path(part.part->program.source).stem(), number = part.lab->number();
    const bool alone = part.part->letter.empty();
    EXPECT_NE(result.output.find("grade " + (alone ? number : file) + " --solution"), std::string::npos)
        << file;
    for (const Contender& version : contenders_of(part, Paths::find())) {
      if (version.kind != Contender::Kind::kRung) continue;
      EXPECT_NE(result.output.find("rung-" + number + (alone ? "" : "-" + file) + "-" + version.id + ":"),
                std::string::npos)
          << version.id;
    }
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "common/simulator/tests/isa")) {
    if (entry.path().extension() != ".cases") continue;
    EXPECT_NE(result.output.find("cases-" + entry.path().stem().string()), std::string::npos);
  }
  for (const char* words : {"roofs --device gpu", "bench 04 --table --device gpu", "program-wmma_half-debug"})
    EXPECT_NE(result.output.find(words), std::string::npos) << words;
}

TEST(GpuScript, SaysWhatIsNotBuilt) {
  const CommandResult result = gpu({"--dry-run"}, "nowhere");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.output.find("missing: build/nowhere/bin/lab (./lab setup"), std::string::npos)
      << result.output;
}

// Breaks when something that a run needs is not carried, or is looked for where it was built.
TEST(GpuScript, RunsInATreeThatWasBuiltElsewhere) {
  const fs::path tree = carried_tree();
  const std::string preset = fs::path(ROOFLINE_BUILD).filename();
  const CommandResult dry = gpu({"--dry-run"}, preset, tree);
  EXPECT_EQ(dry.exit_code, 0) << dry.output;  // the instruction cases ran on the simulated GPU there
  const CommandResult one = gpu({"--device", "sim:a100-sxm4-40gb", "--only", "cases", "--out", "out"}, preset,
                                tree, {"ROOFLINE_COMMIT=0123abc"});
  EXPECT_EQ(one.exit_code, 0) << one.output;
  const std::string environment = read_file(tree / "out" / "environment.txt");
  EXPECT_NE(environment.find("commit 0123abc\n"), std::string::npos) << environment;
  EXPECT_NE(environment.find(tree), std::string::npos) << environment;
  EXPECT_EQ(environment.find(ROOFLINE_BUILD), std::string::npos) << environment;
  EXPECT_TRUE(fs::exists(tree / "out.tar.gz"));
  // Without the machine for this processor it says so before anything is measured.
  for (const char* level : {"v2", "v3", "v4"}) {
    std::error_code none;
    fs::remove(tree / "build" / preset / "simulator" / (std::string("simulated-gpu-") + level), none);
  }
  const CommandResult other = gpu({"--dry-run"}, preset, tree);
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_NE(other.output.find("cmake --preset gpu"), std::string::npos) << other.output;
  fs::remove_all(tree);
}

// Breaks when an old CUDA_HOME hides the compiler that the path leads to.
TEST(GpuScript, FindsTheCompilerOnThePath) {
  const std::string preset = fs::path(ROOFLINE_BUILD).filename();
  const CommandResult result = gpu({"--dry-run"}, preset, kRoot, {"CUDA_HOME=/nowhere"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(GpuScript, WrongUsage) {
  EXPECT_EQ(gpu({"--dryrun"}).exit_code, 2);
  EXPECT_EQ(gpu({"--budget", "soon"}).exit_code, 2);
  EXPECT_EQ(gpu({"--help"}).exit_code, 0);
}

TEST(GpuScript, RepeatsNothingThatIsDone) {
  const fs::path out = fs::path(testing::TempDir()) / "gpu-script";
  fs::remove_all(out);
  const std::vector<std::string> cases = {"--device", "sim:a100-sxm4-40gb", "--only", "cases", "--out", out};
  std::vector<std::string> no_time = cases;
  no_time.insert(no_time.end(), {"--budget", "0"});

  const CommandResult nothing = gpu(no_time);
  EXPECT_EQ(nothing.exit_code, 3) << nothing.output;  // left for the next call
  EXPECT_NE(nothing.output.find("0 done    0 unexpected   13 left"), std::string::npos) << nothing.output;

  ASSERT_EQ(gpu(cases).exit_code, 0);
  const fs::path kept = out / "items" / "cases-float", lost = out / "items" / "cases-half";
  write_file(kept.string() + ".txt", "a mark\n");
  write_file(kept.string() + ".exit", "1\n");
  fs::remove(lost.string() + ".exit");
  const CommandResult again = gpu(cases);
  EXPECT_EQ(again.exit_code, 1) << again.output;
  EXPECT_NE(again.output.find("unexpected: cases-float: expected 0, got 1"), std::string::npos)
      << again.output;
  EXPECT_EQ(read_file(kept.string() + ".txt"), "a mark\n");
  EXPECT_TRUE(fs::exists(lost.string() + ".exit"));
  fs::remove_all(out);
}

}  // namespace
}  // namespace roofline::grader::gpu_script
