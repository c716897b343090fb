// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The program as a user meets it: words in, text and exit status out. Runs bin/lab on a copy of the labs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "docs/tests/generated.h"
#include "grader/base/file.h"
#include "grader/base/sanitized.h"
#include "grader/box/process.h"

namespace roofline::grader::cli {
namespace {
namespace fs = std::filesystem;

/// The verbs that the script ./lab carries out itself: the branches of its last `case`, but those that
/// prepare something and hand over to the program.
std::set<std::string> script_verbs() {
  std::set<std::string> found;
  std::string branch;
  std::istringstream lines(read_file(fs::path(ROOFLINE_SOURCE) / "lab"));
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > 3 && line.starts_with("  ") && line.ends_with(")") &&
        std::all_of(line.begin() + 2, line.end() - 1, [](char c) { return c >= 'a' && c <= 'z'; }))
      found.insert(branch = line.substr(2, line.size() - 3));
    if (line.find("exec \"$build/bin/lab\"") != std::string::npos) found.erase(branch);
  }
  return found;
}

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("roofline-cli-test-" + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
    for (const char* part : {"labs", "solutions"})
      fs::copy(fs::path(ROOFLINE_SOURCE) / part, root_ / part, fs::copy_options::recursive);
    fs::create_directory_symlink(fs::path(ROOFLINE_SOURCE) / "common", root_ / "common");
    // What was compiled once, by any test, is compiled.
    const fs::path cache = fs::path(ROOFLINE_SOURCE) / ".lab" / "cache";
    fs::create_directories(cache);
    fs::create_directories(state());
    fs::create_directory_symlink(cache, state() / "cache");
    file_ = root_ / "labs" / "01-pointwise" / "pointwise.cu";
  }
  void TearDown() override { fs::remove_all(root_); }

  /// Output and exit status of ./lab with these words.
  CommandResult lab(std::vector<std::string> words, const std::string& locale = "C.UTF-8") {
    words.insert(words.begin(), std::string(ROOFLINE_BUILD) + "/bin/lab");
    return program(words, locale);
  }
  CommandResult program(const std::vector<std::string>& words, const std::string& locale = "C.UTF-8") {
    return run_command(words, {.directory = root_,
                               .limit = std::chrono::seconds(300),
                               .environment = {"ROOFLINE_ROOT=" + root_.string(),
                                               "ROOFLINE_STATE=" + state().string(), "LC_ALL=" + locale}});
  }
  fs::path state() const { return root_ / ".lab"; }
  /// Every verb that ./lab --help lists.
  std::set<std::string> verbs() {
    std::set<std::string> found;
    std::istringstream lines(lab({"--help"}).output);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("  ") && line.size() > 2 && line[2] >= 'a' && line[2] <= 'z')
        found.insert(line.substr(2, line.find(' ', 2) - 2));
    return found;
  }

  void expect(const CommandResult& result, int status, const std::string& text) {
    EXPECT_EQ(result.exit_code, status) << result.output;
    EXPECT_NE(result.output.find(text), std::string::npos)
        << "wanted: " << text << "\ngot: " << result.output;
  }

  fs::path root_, file_;
};

// Breaks when what people type first is answered with a list of what they did wrong.
TEST_F(CommandLine, HelpIsAVerbAndADeviceWithoutSimIsNamed) {
  EXPECT_EQ(lab({"help"}).output, lab({"--help"}).output);
  EXPECT_EQ(lab({"help", "grade"}).output, lab({"grade", "--help"}).output);
  EXPECT_EQ(lab({"help"}).exit_code, 0);
  const CommandResult device = lab({"grade", "01", "--device", "h200"});
  EXPECT_EQ(device.exit_code, 2);
  EXPECT_NE(device.output.find("sim:h200"), std::string::npos) << device.output;
}

// Breaks when a part that the usual simulated device lacks is skipped although nobody chose that device.
TEST_F(CommandLine, APartIsGradedWhereItCanRun) {
  expect(lab({"grade", "12b", "--solution", "--quick"}), 3, "simulated NVIDIA L40S");
  expect(lab({"grade", "12b", "--solution", "--quick", "--device", "sim"}), 3, "--device sim:l40s");
  expect(lab({"grade", "12b", "--solution", "--quick", "--device", "sim:h200"}), 3,
         "compute capability 9.0 is without what this part is about; --device sim:l40s");
}

// Breaks when a GPU with changed numbers grades a class, counts as progress, or a slip in it has no sentence.
TEST_F(CommandLine, AChangedGpuIsAnExperiment) {
  expect(lab({"grade", "01", "--device", "sim:h200,smss=66"}), 2, "Did you mean \"sms\"?");
  expect(lab({"batch", root_.string(), "--out", (root_ / "out").string(), "--lab", "01", "--device",
              "sim:h200,sms=66"}),
         2, "a class is graded on a GPU that exists");
  expect(lab({"grade", "01", "--device", "sim:h200,sms=66", "--format", "junit=junit.xml"}), 2,
         "exported nowhere");
  const char* const twice = "sim:h200,sms=66,sms=67";
  expect(lab({"roofs", "--device", twice}), 2, "sms is given twice");
  expect(lab({"bench", "01", "--device", twice}), 2, "sms is given twice");
  expect(lab({"watch", "01", "--device", twice}), 2, "sms is given twice");
  expect(lab({"run", "--device", twice, "/bin/true"}), 2, "");
}

// Breaks when a quick grade gives a medal, counts as one, or leaves the house.
TEST_F(CommandLine, AQuickGradeIsNoGrade) {
  fs::copy_file(root_ / "solutions/01-pointwise/pointwise.cu", file_, fs::copy_options::overwrite_existing);
  const CommandResult quick = lab({"grade", "01", "--quick"});
  expect(quick, 3, "No medal and no points");
  EXPECT_EQ(quick.output.find("excellent"), std::string::npos) << quick.output;
  EXPECT_FALSE(fs::exists(state() / "attempts"));
  expect(lab({"list"}), 0, "not started");
  expect(lab({"grade", "01", "--quick", "--json", "quick.json"}), 2, "exported nowhere");
  expect(lab({"grade", "01", "--quick", "--format", "junit=quick.xml"}), 2, "exported nowhere");
}

// Breaks when compiling alone runs something, leaves nothing for a later grade, or hides what does not
// compile.
TEST_F(CommandLine, CompilesAlone) {
  fs::remove(state() / "cache");  // its own, so that what is left can be counted
  expect(lab({"grade", "01", "--compile", "--solution", "--device", "sim:h200"}), 0, "01 compiles");
  EXPECT_FALSE(fs::exists(state() / "attempts"));
  const auto objects =
      std::ranges::count_if(fs::directory_iterator(state() / "cache"),
                            [](const auto& entry) { return entry.path().extension() == ".o"; });
  EXPECT_EQ(objects, 2) << "the file, and what calls it";
  write_file(file_, "no CUDA");
  expect(lab({"grade", "01", "--compile"}), 1, "does not compile");
  expect(lab({"grade", "01", "--compile", "--json", "compiled.json"}), 2, "has no result");
}

TEST_F(CommandLine, QuizAndShowSayWhatTheyTake) {
  expect(lab({"quiz", "01", "--seed", "7", "--json", "quiz.json"}), 1, "0 of 5 right, seed 7");
  EXPECT_EQ(nlohmann::json::parse(read_file(root_ / "quiz.json")).at("of"), 5);
  expect(lab({"show", "pointwise"}), 2, "a file and a line");
  expect(lab({"show", "01:x"}), 2, "number of a line");
  expect(lab({"show", "01:4", "--device", "gpu"}), 2, "");
}

// Breaks when a broken kernel is mended, its counters no longer show why, the advice tells the answer, or a
// wrong answer counts.
TEST_F(CommandLine, BrokenKernelsAreFoundFromTheirCounters) {
  const auto answer = [&](const char* number, const char* lines) {
    return program({"sh", "-c", "printf '" + std::string(lines) + "' | \"$0\" broken " + number,
                    std::string(ROOFLINE_BUILD) + "/bin/lab"});
  };
  for (const auto& [number, right, told] :
       {std::tuple{"01", "32\\naddresses\\n", "a sector of its own"},
        {"03", "8\\nFP64\\n", "1.0 and 0.5 are doubles"},
        {"07", "16.5\\nall\\n", "tile[32][33]"},
        {"09", "16\\nL1\\nstores\\n", "goes through to L2"},
        {"11", "2\\nSFU\\nkeys\\n", "What was summed shrinks"},
        {"12", "102.5\\nL1\\nchunks\\n", "Shared memory answers a little sooner"}}) {
    const CommandResult found = answer(number, right);
    expect(found, 0, told);
    EXPECT_EQ(found.output.find("Advice"), std::string::npos) << found.output;
    expect(answer(number, "1\\nnone\\n"), 1, "");
  }
  expect(lab({"broken", "02"}), 2, "no broken kernel");
}

// Breaks when a verb loses its help or its examples.
TEST_F(CommandLine, HelpOfEveryVerbHasExamples) {
  expect(lab({"--help"}), 0, "Exit status: 0 passed, 1 not passed, 2 wrong usage, 3");
  const std::set<std::string> all = verbs(), of_script = script_verbs();
  EXPECT_GE(all.size(), 15U);
  EXPECT_GE(of_script.size(), 4U);
  for (const std::string& verb : of_script) EXPECT_TRUE(all.contains(verb)) << verb << " is not in --help";
  for (const std::string& verb : all)
    if (!of_script.contains(verb)) expect(lab({verb, "--help"}), 0, "Examples:");
}

// Breaks when docs/commands.md is not what --help prints today; an unbuilt clone answers --help from that
// page.
TEST_F(CommandLine, PageOfCommands) {
  std::ostringstream page;
  page << "# Every command\n\nWhat `--help` prints, for each verb. The table in the [README](../README.md) "
          "is shorter.\n\n"
          "## ./lab\n\n```text\n"
       << lab({"--help"}).output << "```\n";
  const std::set<std::string> of_script = script_verbs();
  for (const std::string& verb : verbs())
    if (!of_script.contains(verb))
      page << "\n## ./lab " << verb << "\n\n```text\n" << lab({verb, "--help"}).output << "```\n";
  docs::expect_current(fs::path(ROOFLINE_SOURCE) / "docs/commands.md", page.str());
}

// Breaks when --version and the version of the build differ.
TEST_F(CommandLine, VersionIsTheBuilds) {
  const std::string build = read_file(fs::path(ROOFLINE_SOURCE) / "CMakeLists.txt");
  const std::string version = lab({"--version"}).output;
  ASSERT_TRUE(version.starts_with("Roofline Labs 0.") || version.starts_with("Roofline Labs 1.")) << version;
  EXPECT_NE(build.find(" VERSION " + version.substr(14, version.find('\n') - 14) + " "), std::string::npos)
      << version;
}

// Breaks when a verb is not in the README's table of commands.
TEST_F(CommandLine, EveryVerbIsInTheReadme) {
  std::string rows;
  std::istringstream lines(read_file(fs::path(ROOFLINE_SOURCE) / "README.md"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| `./lab")) rows += line + "\n";
  for (const std::string& verb : verbs())
    EXPECT_TRUE(rows.find("`./lab " + verb + " ") != std::string::npos ||
                rows.find("`./lab " + verb + "`") != std::string::npos)
        << verb;
}

// Breaks when wrong usage is not said in a sentence, or not with exit status 2.
TEST_F(CommandLine, WrongUsageIsStatusTwoAndSaysWhatToDo) {
  expect(lab({"grad"}), 2, "did you mean ./lab grade?");
  expect(lab({"xyzzy"}), 2, "./lab --help lists every verb");
  expect(lab({"grade", "pointwsie"}), 2, "did you mean pointwise?");
  expect(lab({"grade", "77"}), 2, "01  pointwise");
  expect(lab({"grade", "--nonsense"}), 2, "./lab grade --help");
  expect(lab({"grade", "01", "--seed", "many"}), 2, "--seed");
  expect(lab({"grade", "01", "--device", "sim:a200"}), 2, "sim:a100-sxm4-40gb");
  expect(lab({"grade", "01", "--device", "abacus"}), 2, "abacus");
  expect(lab({"grade", "01", "02", "--file", file_}), 2, "--file needs the one lab");
  expect(lab({"grade", "03", "--file", file_}), 2, "03 has 3 of them, for example: ./lab grade 03a --file");
  expect(lab({"grade", "01", "--file", file_, "--solution"}), 2, "give one of them");
  expect(lab({"grade", "01", "--file", "nowhere.cu"}), 2, "there is no file nowhere.cu");
  expect(lab({"grade", "01", "--file", root_}), 2, "is a folder");
  expect(lab({"reset"}), 2, "LAB");
  expect(lab({"reset", "all"}), 2, "one lab at a time");
  expect(lab({"run"}), 2, "needs a program");
}

TEST_F(CommandLine, ProgressListAndNext) {
  expect(lab({}), 0, "./lab grade 01");
  expect(lab({"list"}), 0, "not started");
  expect(lab({"next"}), 0, "labs/01-pointwise/README.md");
}

// Breaks when a paper shows its answers, its seed does not fix it, or a lab cannot be chosen.
TEST_F(CommandLine, ExamAndItsKey) {
  const CommandResult paper = lab({"exam", "04", "--seed", "7"}),
                      key = lab({"exam", "4", "--seed", "7", "--key"});
  expect(paper, 0, "## 2. Lab 04");
  expect(key, 0, "Seed 7.");
  EXPECT_EQ(paper.output, lab({"exam", "gemm", "--seed", "7"}).output);
  EXPECT_EQ(paper.output.find("04-banks"), std::string::npos) << paper.output;
  EXPECT_NE(key.output.find("04-banks"), std::string::npos) << key.output;
  EXPECT_EQ(paper.output.find("Lab 01"), std::string::npos) << paper.output;
  expect(lab({"exam"}), 0, "--key");  // a drawn seed is told
}

// Breaks when escapes reach a pipe, or UTF-8 a terminal that cannot show it.
TEST_F(CommandLine, PipesAndPlainLocales) {
  for (const char* verb : {"list", "doctor", "next"}) {
    EXPECT_EQ(lab({verb}).output.find('\033'), std::string::npos) << verb;
    const std::string ascii = lab({verb}, "C").output;
    EXPECT_TRUE(std::all_of(ascii.begin(), ascii.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x80;
    })) << ascii;
  }
  EXPECT_NE(lab({"list"}).output.find("─"), std::string::npos);
}

// Breaks when hints repeat themselves, skip one, or --all forgets the first.
TEST_F(CommandLine, HintsComeOneByOne) {
  expect(lab({"hint", "01"}), 0, "Hint 1 of");
  const CommandResult second = lab({"hint", "pointwise"});
  expect(second, 0, "Hint 2 of");
  EXPECT_EQ(second.output.find("Hint 1 of"), std::string::npos);
  const CommandResult all = lab({"hint", "1", "--all"});
  expect(all, 0, "Hint 1 of");
  expect(all, 0, "That was the last hint");
}

// Breaks when a reset loses a byte of the learner's work.
TEST_F(CommandLine, ResetKeepsABackup) {
  const std::string skeleton = read_file(file_);
  expect(lab({"reset", "01"}), 0, "already as it was");
  const std::string mine = "// my answer\n\xff binary too\n";
  write_file(file_, mine);
  expect(lab({"reset", "01"}), 0, "Your file is kept in .lab/backups/01-pointwise/pointwise.");
  EXPECT_EQ(read_file(file_), skeleton);
  write_file(file_, "// a second answer\n");
  expect(lab({"reset", "01"}), 0, "Your file is kept in");
  std::vector<std::string> kept;
  for (const auto& entry : fs::directory_iterator(state() / "backups" / "01-pointwise"))
    kept.push_back(read_file(entry.path()));
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_TRUE(std::find(kept.begin(), kept.end(), mine) != kept.end());
}

// A missing file comes back too.
TEST_F(CommandLine, ResetBringsBackAMissingFile) {
  lab({"list"});
  fs::remove(file_);
  expect(lab({"grade", "01"}), 2, "./lab reset 01 brings it back");
  expect(lab({"reset", "01"}), 0, "is as it was");
  EXPECT_TRUE(fs::exists(file_));
}

// Breaks when a file is to blame for instructions that a device below the part's capability lacks: lab 04's
// solution does not compile for it.
TEST_F(CommandLine, BelowItsCapabilityALabIsSkipped) {
  const CommandResult result = lab({"grade", "04", "--solution", "--device", "sim:t4"});
  expect(result, 3, "needs compute capability 8.0; --device sim simulates");
  EXPECT_EQ(result.output.find("does-not-compile"), std::string::npos) << result.output;
}

// Breaks when a compiler's error loses its place, or a file that does not compile is not a failed attempt.
TEST_F(CommandLine, DoesNotCompile) {
  write_file(file_,
             "#include \"pointwise.h\"\nvoid pointwise(const float*, float*, float, float, std::size_t, "
             "cudaStream_t) {\n  oops;\n}\n");
  const CommandResult result = lab({"grade", "01", "--device", "sim", "--json", "r.json"});
  expect(result, 1, "does-not-compile");
  expect(result, 1, "labs/01-pointwise/pointwise.cu:3: ");
  const auto json = nlohmann::json::parse(read_file(root_ / "r.json"));
  EXPECT_EQ(json["verdict"], "fail");
  EXPECT_EQ(json["class"], "does-not-compile");
  EXPECT_EQ(json["score"]["points"], 0);
  EXPECT_EQ(json["checks"][0]["detail"]["line"], 3);
  EXPECT_EQ(json["device"]["kind"], "simulated");
  expect(lab({"list"}), 0, "tried once: does-not-compile");
}

// Breaks when text for people gets between the JSON and the program that reads it.
TEST_F(CommandLine, JsonOnStandardOutputIsAlone) {
  write_file(file_, "#error no\n");
  const CommandResult result =
      run_command({"sh", "-c", "\"$0\" grade 01 --device sim --json - 2>/dev/null",
                   std::string(ROOFLINE_BUILD) + "/bin/lab"},
                  {.directory = root_,
                   .environment = {"ROOFLINE_ROOT=" + root_.string(), "ROOFLINE_STATE=" + state().string()}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(result.output)["schema"], "lab/result/v1") << result.output;
}

// The whole way on the simulated device: exit statuses, JSON, progress.
TEST_F(CommandLine, SolutionPassesAndSkeletonIsNotImplemented) {
  const CommandResult solution = lab({"grade", "01", "--solution", "--device", "sim", "--json", "r.json"});
  expect(solution, 0, "simulated NVIDIA A100-SXM4-40GB");
  expect(solution, 0, "not graded");  // the array inside L2 is shown beside the graded one
  const auto json = nlohmann::json::parse(read_file(root_ / "r.json"));
  EXPECT_EQ(json["verdict"], "pass");
  EXPECT_EQ(json["medal"], "excellent");
  EXPECT_EQ(json["source"]["path"], "solutions/01-pointwise/pointwise.cu");
  EXPECT_EQ(json["source"]["sha256"], sha256_hex(read_file(root_ / "solutions/01-pointwise/pointwise.cu")));
  expect(lab({"list"}), 0, "not started");  // a solution is nobody's attempt
  expect(lab({"grade", "01", "--device", "sim"}), 1, "not-implemented");
  // The learner finds the answer.
  fs::copy_file(root_ / "solutions/01-pointwise/pointwise.cu", file_, fs::copy_options::overwrite_existing);
  fs::copy_file(root_ / "solutions/01-pointwise/prediction.toml", root_ / "labs/01-pointwise/prediction.toml",
                fs::copy_options::overwrite_existing);
  expect(lab({"grade", "pointwise", "--device", "sim"}), 0, "excellent");
  expect(lab({}), 0, "1 of ");
  expect(lab({"list"}), 0, "passed: excellent");
}

// Breaks when NVRTC is found only where the system's linker cache knows the toolkit: what ./lab setup
// installs is not in it.
TEST_F(CommandLine, NvrtcWorksFromAToolkitThatTheSystemDoesNotKnow) {
#ifdef ROOFLINE_SANITIZED
  GTEST_SKIP() << "the same program takes minutes under sanitizers";
#endif
  if (!fs::exists("/usr/bin/bwrap")) GTEST_SKIP() << "bubblewrap is not installed";
  const std::vector<std::string> uncached = {"bwrap",     "--dev-bind",       "/", "/", "--ro-bind",
                                             "/dev/null", "/etc/ld.so.cache", "--"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), uncached.begin(), uncached.end());
    return program(words);
  };
  if (!with({"true"}).ok()) GTEST_SKIP() << "bubblewrap does not work here";
  expect(with({ROOFLINE_BUILD "/bin/lab", "grade", "03c", "--solution"}), 0, "100 of 100 points");
}

// Breaks when the author check lets a wrong submission pass.
TEST_F(CommandLine, AuthorCheckNoticesAWrongSubmissionThatPasses) {
  expect(lab({"author-check", "01", "--only", "wrong/zeros"}), 0, "as expected");
  const fs::path solution = root_ / "solutions/01-pointwise/pointwise.cu";
  fs::remove(root_ / "solutions/01-pointwise/wrong/zeros.patch");
  write_file(root_ / "solutions/01-pointwise/wrong/zeros.cu",
             "// expect: wrong-answer\n" + read_file(solution));
  expect(lab({"author-check", "01", "--only", "wrong/zeros"}), 1, "passed, although it is wrong");
  write_file(root_ / "labs/01-pointwise/notes.txt", "");
  expect(lab({"author-check", "01", "--only", "wrong/no-op"}), 1, "notes.txt is a stray file");
  fs::remove(root_ / "labs/01-pointwise/notes.txt");
  // A patch that no longer fits says so, whatever else is asked for.
  std::string text = read_file(solution);
  text.replace(text.find("if (i < n)"), 10, "if (n > i)");
  write_file(solution, text);
  const CommandResult stale = lab({"author-check", "01", "--only", "wrong/no-guard"});
  expect(stale, 1,
         "wrong/does-not-compile.patch:6: the hunk no longer fits solutions/01-pointwise/pointwise.cu");
  EXPECT_NE(stale.output.find("out-of-bounds"), std::string::npos) << stale.output;  // this one still does
}

// A patch is compiled as what it makes of its base, and messages lead to that.
TEST_F(CommandLine, GradesAPatch) {
  const std::string wrong = (root_ / "solutions/01-pointwise/wrong/").string();
  expect(lab({"grade", "01", "--file", wrong + "no-guard.patch"}), 1, "out-of-bounds");
  expect(lab({"grade", "01", "--file", wrong + "does-not-compile.patch"}), 1, "does-not-compile-");
  write_file(file_.parent_path() / "mine.patch", "int x;\n");
  expect(lab({"grade", "01", "--file", (file_.parent_path() / "mine.patch").string()}), 2, "mine.patch:1: ");
}

// Breaks when what is released before the next call counts as work outside of it.
TEST_F(CommandLine, ReleaseMayUseTheDevice) {
  std::string text = read_file(root_ / "solutions/05-launch/launch.cu");
  const size_t at = text.find("  delete s;");
  ASSERT_NE(at, std::string::npos);
  text.insert(at,
              "  void* last = nullptr;\n  CUDA_CHECK(cudaMalloc(&last, 1024));\n"
              "  CUDA_CHECK(cudaMemset(last, 0, 1024));\n  CUDA_CHECK(cudaFree(last));\n");
  write_file(file_, text);
  expect(lab({"grade", "05", "--quick", "--file", file_.string()}), 3, "nothing wrong so far");
}

TEST_F(CommandLine, AuthorCheckOfNothingIsNoPass) {
  expect(lab({"author-check", "01", "--only", "no such submission"}), 1, "no submission was graded");
}

}  // namespace
}  // namespace roofline::grader::cli
