// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The entry script in a checkout of its own, with a cmake and a ninja that only say that they were called.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "grader/base/file.h"
#include "grader/box/process.h"
#include "grader/lab/hints.h"

namespace roofline::grader::lab_script {
namespace {

namespace fs = std::filesystem;

class LabScript : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "cmake");
    fs::copy_file(fs::path(ROOFLINE_SOURCE) / "lab", root_ / "lab");
    program(root_ / "cmake" / "cuda_home", "echo /usr");
    fs::copy_file(fs::path(ROOFLINE_SOURCE) / "cmake" / "unbuilt", root_ / "cmake" / "unbuilt");
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
  /// What was called to answer `./lab WORDS` in the checkout.
  std::string calls(const fs::path& root, std::string* said = nullptr,
                    std::vector<std::string> words = {"grade"}, int status = 0) {
    fs::remove(folder_ / "calls");
    write_file(folder_ / "calls", "");
    words.insert(words.begin(), (root / "lab").string());
    const CommandResult result =
        run_command(words, {.directory = root,
                            .environment = {"PATH=" + programs_.string() + ":/usr/bin:/bin",
                                            "CALLS=" + (folder_ / "calls").string(), "ROOFLINE_PRESET=base",
                                            "ROOFLINE_NO_BUILD=0"}});
    EXPECT_EQ(result.exit_code, status) << result.output;
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

// Breaks when a tree of two editions is built before the interrupted upgrade is finished, or an upgrade
// builds the edition that it is about to replace.
TEST_F(LabScript, AnInterruptedUpgradeIsFinishedFirst) {
  EXPECT_EQ(calls(root_, nullptr, {"upgrade", "new.zip"}), "cmake ninja ") << "nothing was built yet";
  EXPECT_EQ(calls(root_, nullptr, {"upgrade", "new.zip"}), "") << "what is built does it";
  write_file(root_ / ".lab/upgrade/ready", "");
  program(root_ / ".lab/upgrade/lab",
          "echo \"finished $*\" | tee -a \"$CALLS\"; rm -r \"$(dirname \"$0\")\"");
  EXPECT_EQ(calls(root_), "finished upgrade ninja ");
  EXPECT_EQ(calls(root_), "ninja ");
  write_file(root_ / ".lab/upgrade/ready", "");
  program(root_ / ".lab/upgrade/lab", "echo \"finished $*\" >>\"$CALLS\"; rm -r \"$(dirname \"$0\")\"");
  EXPECT_EQ(calls(root_, nullptr, {"upgrade"}), "finished upgrade ") << "and nothing else was asked for";
  write_file(root_ / ".lab/upgrade/ready", "");
  program(root_ / ".lab/upgrade/lab", "exit 3");
  EXPECT_EQ(calls(root_, nullptr, {"grade"}, 3), "");
}

// Breaks when a course that was handed out built is built once more, asks for what only a build needs, or is
// used where it does not run.
TEST_F(LabScript, ACourseThatCameBuiltBuildsNothing) {
  const fs::path program_that_came = root_ / "built/bin/lab";
  fs::create_directories(program_that_came.parent_path());
  program(program_that_came, "echo \"came with the course: $*\"");
  for (const char* name : {"cmake", "ninja"})
    fs::rename(programs_ / name, programs_ / (std::string("no-") + name));
  std::string said;
  EXPECT_EQ(calls(root_, &said), "");
  EXPECT_NE(said.find("came with the course: grade"), std::string::npos) << said;
  write_file(root_ / "built/editor.json.in",
             R"([{"file": "@ROOT@/a.cu", "arguments": ["--cuda-path=@CUDA@"]}])");
  EXPECT_EQ(calls(root_, &said, {"setup"}), "");
  EXPECT_EQ(read_file(root_ / "build/editor/compile_commands.json"),
            R"([{"file": ")" + root_.string() + R"(/a.cu", "arguments": ["--cuda-path=/usr"]}])" + "\n");
  EXPECT_NE(said.find("Ready."), std::string::npos) << said;

  // Help and hints ask for no compiler.
  program(root_ / "cmake" / "cuda_home", "exit 1");
  program(programs_ / "python3", "echo fetch >>\"$CALLS\"; exit 3");
  EXPECT_EQ(calls(root_, &said, {"hint", "01"}), "");
  EXPECT_EQ(calls(root_, &said, {"grade", "--help"}), "");
  EXPECT_EQ(calls(root_, &said, {"run", "./saxpy"}), "");
  for (const char* verb : {"grade", "show", "broken"})
    EXPECT_EQ(calls(root_, &said, {verb}, 3), "fetch ") << verb << " compiles: " << said;

  program(program_that_came, "exit 126");
  for (const char* name : {"cmake", "ninja"})
    fs::rename(programs_ / (std::string("no-") + name), programs_ / name);
  program(root_ / "cmake" / "cuda_home", "echo /usr");
  EXPECT_EQ(calls(root_, &said), "cmake ninja ");
  EXPECT_NE(said.find("built/ do not run on this machine"), std::string::npos) << said;
  EXPECT_EQ(calls(root_, &said), "ninja ");
  EXPECT_EQ(said.find("do not run"), std::string::npos) << "said once: " << said;
}

/// A file of the grader with what it includes from there, and what implements that.
void add_with_includes(const fs::path& file, std::set<fs::path>& files) {
  const fs::path root = ROOFLINE_SOURCE;
  if (!fs::exists(root / file) || !files.insert(file).second) return;
  static const std::regex include("#include \"(grader/[^\"]*)\\.h\"");
  const std::string text = read_file(root / file);
  for (auto match = std::sregex_iterator(text.begin(), text.end(), include); match != std::sregex_iterator();
       ++match)
    for (const char* ending : {".h", ".cpp"}) add_with_includes((*match)[1].str() + ending, files);
}

// Breaks when a verb that compiles ends in "no nvcc of CUDA 13 was found" in a course that came built: it is
// missing in the list of the script. A new verb that reaches nvcc is either there or here.
TEST(LabScriptsList, HasEveryVerbThatCompiles) {
  const std::set<std::string> compiles_nothing = {
      "doctor",      // says whether there is a compiler
      "export",      // compiles where a course is made, which has been built
      "purge",       // reads a course, as batch does
      "similarity",  // the same
  };
  std::smatch list;
  const std::string script = read_file(fs::path(ROOFLINE_SOURCE) / "lab");
  ASSERT_TRUE(std::regex_search(script, list, std::regex("([a-z:* |-]*)\\) setup ;;  # these compile")));
  const std::string words = list[1];
  for (const auto& file : fs::directory_iterator(fs::path(ROOFLINE_SOURCE) / "grader/verbs")) {
    const std::string verb = file.path().stem().string();
    const bool is_verb = file.path().extension() == ".cpp" &&
                         read_file(file.path()).find("\nint " + verb + "_verb(") != std::string::npos;
    if (!is_verb || verb == "author_check") continue;  // stays with instructors
    std::set<fs::path> files;
    add_with_includes(fs::path("grader/verbs") / file.path().filename(), files);
    const bool reaches_nvcc = files.contains("grader/build/toolkit.h");
    EXPECT_EQ(words.find(" " + verb + ":*") != std::string::npos,
              reaches_nvcc && !compiles_nothing.contains(verb))
        << verb;
  }
}

// Breaks when an unbuilt clone builds before it answers what needs nothing built, or answers something else.
TEST_F(LabScript, AnUnbuiltCloneAnswersAtOnce) {
  for (const char* folder : {"docs", "labs"}) fs::create_directories(root_ / folder);
  for (const char* file : {"docs/commands.md", "CMakeLists.txt"})
    fs::copy_file(fs::path(ROOFLINE_SOURCE) / file, root_ / file);
  for (const char* lab : {"01-pointwise", "03-fusion"}) {
    fs::create_directories(root_ / "labs" / lab);
    for (const char* file : {"README.md", "hints.md"})
      fs::copy_file(fs::path(ROOFLINE_SOURCE) / "labs" / lab / file, root_ / "labs" / lab / file);
  }
  const auto answers = [&](std::vector<std::string> words, const std::string& text, int status = 0) {
    std::string said;
    EXPECT_EQ(calls(root_, &said, words, status), "") << words.front() << " built";
    EXPECT_NE(said.find(text), std::string::npos) << "wanted: " << text << "\ngot: " << said;
    return said;
  };
  answers({"--help"}, "Exit status: 0 passed");
  answers({"help"}, "Exit status: 0 passed");
  answers({"grade", "--help"}, "./lab grade --solution all");
  answers({"--version"}, "Roofline Labs ");
  answers({"list"}, "03 · fusion");
  const std::string first = answers({"hint", "pointwise"}, "Hint 1");
  EXPECT_EQ(first.find("Hint 2"), std::string::npos);
  const size_t hints = parse_hints(read_file(root_ / "labs/01-pointwise/hints.md")).size();
  answers({"hint", "1", "--all"}, "Hint " + std::to_string(hints));
  const std::string part = answers({"hint", "03b", "--all"}, "part B");
  EXPECT_EQ(part.find("part A"), std::string::npos);
  answers({"doctor"}, "nothing is built yet", 3);
  // What only the program can answer is built for.
  EXPECT_EQ(calls(root_, nullptr, {"gradd"}), "cmake ninja ");
}

// Breaks when tests that were skipped go by without a word, or without the packages that they need.
TEST_F(LabScript, TestsThatWereSkippedAreNamedWithTheirPackages) {
  fs::create_directories(root_ / "grader/tests");
  std::string script = read_file(root_ / "lab");
  const std::string proof = "slurm-wlm:/usr/sbin/slurmctld";
  ASSERT_NE(script.find(proof), std::string::npos);
  script.replace(script.find(proof), proof.size(), "slurm-wlm:/no/such/file");
  write_file(root_ / "lab", script);  // a new file, which nobody may execute yet
  fs::permissions(root_ / "lab", fs::perms::owner_all);
  program(programs_ / "ctest",
          "echo ctest \"${@:5}\" >>\"$CALLS\"; mkdir -p Testing/Temporary\n"
          "printf 'a_test.cpp:3: Skipped\\nno cluster here\\n\\nb_test.cpp:4: Skipped\\nno zsh\\n"
          "c_test.cpp:5: Skipped\\nno cluster here\\n' >Testing/Temporary/LastTest.log\n"
          "[[ $* != *Fails* ]] || exit 8");
  std::string said;
  EXPECT_EQ(calls(root_, &said, {"test"}), "cmake ninja ctest -LE slow ");
  EXPECT_NE(said.find("\nSkipped: 2 (no cluster here), 1 (no zsh). To have them: sudo apt-get install -y "),
            std::string::npos)
      << said;
  const std::string line = said.substr(said.find("\nSkipped: ") + 1);
  EXPECT_NE(line.find(" slurm-wlm"), std::string::npos) << line;
  EXPECT_EQ(std::ranges::count(line, '\n'), 1) << "one line: " << line;
  EXPECT_EQ(line.find("libarchive-dev") == std::string::npos, fs::exists("/usr/include/archive.h")) << line;

  EXPECT_EQ(calls(root_, &said, {"test", "--all"}), "ninja ctest ");
  EXPECT_EQ(calls(root_, &said, {"test", "-R", "Page"}), "ninja ctest -R Page ");
  calls(root_, &said, {"test", "-R", "Fails"}, 1);
  EXPECT_NE(said.find("\nSkipped: 2"), std::string::npos) << "after a failure, too: " << said;

  program(programs_ / "ctest", "mkdir -p Testing/Temporary; echo all passed >Testing/Temporary/LastTest.log");
  calls(root_, &said, {"test"});
  EXPECT_EQ(said.find("Skipped"), std::string::npos) << said;
}

// Breaks when the sources need a header of the CUDA toolkit that the wheels of cmake/fetch_cuda do not bring:
// then nothing builds on a machine without a toolkit.
TEST(Sources, IncludeOnlyWhatTheWheelsBring) {
  const std::set<std::string> brought = {"cuda.h",
                                         "cuda_runtime.h",
                                         "cuda_runtime_api.h",
                                         "nvrtc.h",
                                         "cuda_bf16.h",
                                         "cuda_fp16.h",
                                         "cuda_fp8.h",
                                         "cuda_pipeline.h",
                                         "cuda_pipeline_primitives.h",
                                         "cuda_awbarrier_primitives.h"};
  const std::regex include("#include <((?:cu|nv)[^/>]*)>");
  for (const char* folder : {"common", "grader", "labs"})
    for (const auto& file : fs::recursive_directory_iterator(fs::path(ROOFLINE_SOURCE) / folder)) {
      if (!file.is_regular_file()) continue;
      std::istringstream lines(read_file(file.path()));
      std::smatch match;
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("#include <") || !std::regex_search(line, match, include)) continue;
        EXPECT_TRUE(brought.contains(match[1])) << file.path() << ": " << line;
      }
    }
}

}  // namespace
}  // namespace roofline::grader::lab_script
