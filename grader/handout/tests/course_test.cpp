// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What an instructor hands out: nothing in it that students shall not see, and all that it needs to work.
#include "grader/handout/course.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "grader/box/process.h"
#include "grader/build/toolkit.h"
#include "grader/formats/tests/schema_check.h"
#include "grader/handout/student_page.h"
#include "grader/handout/zip.h"
#include "grader/lab/hidden.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = ROOFLINE_SOURCE;

Paths checkout() {
  Paths paths;
  paths.root = kRoot;
  paths.build = ROOFLINE_BUILD;
  paths.state = fs::temp_directory_path() / "no-state";
  return paths;
}

/// Made once: every test looks at the same repository.
const std::map<std::string, CourseFile>& course() {
  static const auto kFiles = [] {
    const std::vector<Lab>& labs = all_labs();
    std::map<std::string, CourseFile> files;
    for (CourseFile& file : student_files(checkout(), all_parts(labs)))
      files.emplace(file.name.generic_string(), std::move(file));
    return files;
  }();
  return kFiles;
}

// Breaks when ladders go out though nobody asked, or a solution or a wrong submission goes with them.
TEST(Ladders, GoOutAloneAndOnlyWhenAsked) {
  EXPECT_FALSE(course().contains("solutions/01-pointwise/variants/2-scalar.cu"));
  const std::vector<Lab>& labs = all_labs();
  std::set<std::string> names;
  for (const CourseFile& file : ladder_files(checkout(), all_parts(labs)))
    names.insert(file.name.generic_string());
  EXPECT_TRUE(names.contains("solutions/01-pointwise/variants/2-scalar.cu"));
  EXPECT_TRUE(names.contains("solutions/06-memory/answer.md"));
  for (const std::string& name : names)
    EXPECT_TRUE(name.find("/variants/") != std::string::npos || name.ends_with("/answer.md")) << name;
}

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("course-" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_all(const fs::path& folder) {
  for (const auto& [name, file] : course()) {
    write_file(folder / name, file.bytes);
    if (file.executable) fs::permissions(folder / name, fs::perms(0111), fs::perm_options::add);
  }
}

std::string trimmed(const std::string& line) {
  const size_t from = line.find_first_not_of(" \t");
  return from == std::string::npos ? "" : line.substr(from, line.find_last_not_of(" \t\r") + 1 - from);
}

/// Lines that say something, without indentation.
std::vector<std::string> telling_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line = trimmed(line); line.size() >= 12 && !line.starts_with("//") && !line.starts_with("#include"))
      lines.push_back(line);
  return lines;
}

/// Three telling lines in a row.
std::set<std::string> passages(const std::string& text) {
  const std::vector<std::string> lines = telling_lines(text);
  std::set<std::string> found;
  for (size_t i = 0; i + 2 < lines.size(); ++i)
    found.insert(lines[i] + "\n" + lines[i + 1] + "\n" + lines[i + 2]);
  return found;
}

bool is_given(const fs::path& file) {  // what students have anyway
  const std::string name = fs::relative(file, kRoot).generic_string();
  return name.starts_with("labs/") || name.starts_with("common/");
}

TEST(Course, HoldsNoSolutionAndNoWrongSubmission) {
  for (const auto& [name, file] : course()) {
    EXPECT_FALSE(name.starts_with("solutions/")) << name;
    EXPECT_EQ(name.find("tests/"), std::string::npos) << name;
    EXPECT_EQ(name.find("author_check"), std::string::npos) << name;
  }
  // A passage that students have already in a lab's own sources is none of a solution's secrets.
  std::set<std::string> given;
  for (const char* folder : {"labs", "common"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.is_regular_file() && entry.path().extension() != ".md" && is_given(entry.path()))
        given.merge(passages(read_file(entry.path())));
  std::set<std::string> secret;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "solutions"))
    if (entry.is_regular_file() && entry.path().extension() == ".cu")
      secret.merge(passages(read_file(entry.path())));
  ASSERT_GT(secret.size(), 500U);
  for (const auto& [name, file] : course())
    for (const std::string& passage : passages(file.bytes))
      EXPECT_FALSE(secret.contains(passage) && !given.contains(passage)) << name << " shows\n" << passage;
}

// Breaks when the test above would not find a solution that is there.
TEST(Course, ASolutionWouldBeFound) {
  const auto solution = passages(read_file(kRoot / "solutions/01-pointwise/pointwise.cu"));
  const auto skeleton = passages(read_file(kRoot / "labs/01-pointwise/pointwise.cu"));
  EXPECT_GT(std::ranges::count_if(solution, [&](const auto& passage) { return !skeleton.contains(passage); }),
            3);
}

TEST(Course, LabsAreAsTheyWereAtTheBeginning) {
  const std::vector<Lab>& labs = all_labs();
  for (const Chosen& part : all_parts(labs)) {
    const std::string folder = "labs/" + part.lab->folder + "/";
    ASSERT_TRUE(course().contains(folder + part.part->program.source));
    EXPECT_NE(course().at(folder + part.part->program.source).bytes.find("TODO"), std::string::npos);
    for (const char* name : {"README.md", "hints.md", "spec.cpp"})
      EXPECT_TRUE(course().contains(folder + name));
    if (course().contains(folder + part.lab->prediction)) {
      const std::string prediction = course().at(folder + part.lab->prediction).bytes;
      EXPECT_EQ(prediction, read_file(kRoot / folder / part.lab->prediction)) << "unanswered as it is";
    }
  }
  EXPECT_TRUE(course().at("lab").executable);
}

TEST(Course, OnlyTheLabsAskedFor) {
  const std::vector<Lab>& labs = all_labs();
  std::set<std::string> folders;
  for (const CourseFile& file : student_files(checkout(), select(labs, {"01", "03"})))
    if (auto step = file.name.begin(); *step == "labs") folders.insert((++step)->string());
  EXPECT_EQ(folders, (std::set<std::string>{"01-pointwise", "03-fusion"}));
}

TEST(Course, PagesSpeakOfWhatIsThere) {
  for (const auto& [name, file] : course()) {
    if (!name.ends_with(".md")) continue;
    for (const char* words : {"solutions/", "author-check", "./lab test", "instructors:", "students:"})
      EXPECT_EQ(file.bytes.find(words), std::string::npos) << name << " speaks of " << words;
    for (size_t at = file.bytes.find("]("); at != std::string::npos; at = file.bytes.find("](", at + 2)) {
      std::string target = file.bytes.substr(at + 2, file.bytes.find_first_of(")#", at + 2) - at - 2);
      if (target.empty() || target.find("://") != std::string::npos ||
          target.find_first_of(" {") != std::string::npos)
        continue;
      const std::string path = (fs::path(name).parent_path() / target).lexically_normal().generic_string();
      const auto there = course().lower_bound(path);
      EXPECT_TRUE(there != course().end() && there->first.starts_with(path))
          << name << " links to " << target;
    }
  }
  const std::string& readme = course().at("README.md").bytes;
  EXPECT_NE(readme.find("`./lab setup` installs what is missing"), std::string::npos);
  for (const char* words :
       {"\n\n## Commands\n", "grade your file; `--file F`", "`./lab setup`, `./lab docs` | install",
        "\n## Any CUDA program", "[06 memory](labs/06-memory/README.md)", "\nLicence: "})
    EXPECT_NE(readme.find(words), std::string::npos) << words;
  for (const char* words : {"--solution", "./lab test", "every rung", " \n"})
    EXPECT_EQ(readme.find(words), std::string::npos) << words;
  EXPECT_EQ(course().at("docs/start.md").bytes.find("**teach**"), std::string::npos);
}

// Breaks when what an instructor keeps in the checkout, even in git, goes to the class.
TEST(Course, HoldsNothingThatAnInstructorAdded) {
  const Folder folder;
  Paths paths = checkout();
  paths.root = folder.path();
  for (const char* name : {"lab", "README.md", "labs/01-pointwise/spec.cpp", "docs/trust.md"})
    write_file(folder.path() / name, read_file(kRoot / name));
  write_file(folder.path() / "labs/01-pointwise/hidden.toml",
             "seed = 42\n [[ case ]]\npart = \"01\"\nn = 5\n");
  for (const char* name : {"hidden.toml", "class.csv", "submissions/ada/pointwise.cu", "graded/class.csv"})
    write_file(folder.path() / name, "n = 123457\n");
  const std::vector<Lab>& labs = all_labs();
  const auto names = [&](const std::vector<CourseFile>& files) {
    std::set<std::string> all;
    for (const CourseFile& file : files) all.insert(file.name.generic_string());
    return all;
  };
  const std::set<std::string> theirs = {"README.md", "docs/trust.md", "lab", "labs/01-pointwise/spec.cpp"};
  EXPECT_EQ(names(student_files(paths, select(labs, {"01"}))), theirs) << "without git";
  for (const std::vector<std::string>& git :
       {std::vector<std::string>{"init", "-q"}, {"add", "--all", "--force"}}) {
    std::vector<std::string> command = {"git", "-C", folder.path().string()};
    command.insert(command.end(), git.begin(), git.end());
    ASSERT_TRUE(run_command(command).ok());
  }
  EXPECT_EQ(names(student_files(paths, select(labs, {"01"}))), theirs) << "in git";
  EXPECT_EQ(names(autograder_files(paths, select(labs, {"01"}))),
            (std::set<std::string>{"lab", "labs/01-pointwise/spec.cpp"}));
}

// Breaks when a lab that is not committed is left out without a word, or an instructor's notes go out with
// one.
TEST(Course, WhatIsLeftOutAndWhatIsUnusualIsKnown) {
  const std::vector<Lab>& labs = all_labs();
  std::vector<CourseFile> files;
  for (const auto& [name, file] : course()) files.push_back(file);
  EXPECT_TRUE(missing_labs(files, all_parts(labs)).empty());
  EXPECT_TRUE(unusual_files(files, all_parts(labs)).empty())
      << unusual_files(files, all_parts(labs)).front() << " is part of every checkout";
  for (const char* name : {"labs/01-pointwise/grades.csv", "labs/01-pointwise/old/pointwise.cu",
                           "labs/01-pointwise/solution.cu"})
    files.push_back({.name = name, .bytes = "mine"});
  EXPECT_EQ(unusual_files(files, all_parts(labs)).size(), 3U);
  std::erase_if(files, [](const CourseFile& file) { return file.name == "labs/03-fusion/cosine.cu"; });
  EXPECT_EQ(missing_labs(files, all_parts(labs)), std::vector<std::string>{"03-fusion"});
}

// Breaks when a lab that an instructor added is missing in the students' README.
TEST(Course, TheReadmesTableFollowsTheLabs) {
  std::vector<Lab> labs = all_labs();
  Lab added = labs.front();
  added.folder = "07-reduce";
  added.title = "reduce: many to one";
  labs.push_back(added);
  const std::string readme = read_file(kRoot / "README.md");
  const std::string text = with_rows_for_labs(readme, all_parts(labs));
  EXPECT_NE(text.find("| [07 reduce](labs/07-reduce/README.md) | reduce: many to one | |"),
            std::string::npos);
  labs.pop_back();
  EXPECT_EQ(with_rows_for_labs(readme, all_parts(labs)), readme);
}

TEST(Course, APageIsCutWhereItSaysSo) {
  const auto kept = [](const fs::path& file) { return file == "docs/there.md"; };
  EXPECT_EQ(page_for_students("# T\n\nSee [a](there.md#x), [b](gone.md) and [c](https://x.y).\n", "docs/p.md",
                              kept),
            "# T\n\nSee [a](there.md#x), b and [c](https://x.y).\n");
  const std::string code = "A\n\n    y = f[a](gone.md)\n\n```\nf[a](gone.md)\n```\n\nB\n";
  EXPECT_EQ(page_for_students(code + "[b](gone.md)\n", "p.md", kept), code + "b\n");
  EXPECT_EQ(page_for_students("A\n\n<!-- instructors: -->\nsecret\n\nmore\n<!-- :instructors -->\nB\n",
                              "p.md", kept),
            "A\n\nB\n");
  EXPECT_EQ(page_for_students("<!-- students: yours\n\ntoo -->\n", "p.md", kept), "yours\n\ntoo\n");
  EXPECT_EQ(page_for_students("## Gone\n\nSee `solutions/x`.\n\n## Stays\n\nB\n", "p.md", kept),
            "## Stays\n\nB\n");
  EXPECT_EQ(page_for_students("| a |\n| - |\n| solutions/x |\n| y |\n", "p.md", kept),
            "| a |\n| - |\n| y |\n");
  EXPECT_EQ(page_for_students("| a |\n| - |\n| solutions/x |\n", "p.md", kept), "");
  EXPECT_EQ(page_for_students("- a\n  b\n- c,\n  solutions/x\n- d\n", "p.md", kept), "- a\n  b\n- d\n");
  EXPECT_EQ(page_for_students("A\n\n- solutions/x\n", "p.md", kept), "A\n");
  EXPECT_EQ(page_for_students("| a |\n| - |\n| [b](gone.md) |\n| [b](gone.md), [c](there.md) |\n",
                              "docs/p.md", kept),
            "| a |\n| - |\n| b, [c](there.md) |\n");
  EXPECT_EQ(page_for_students("A <!-- instructors: -->b,\nc<!-- :instructors -->\n\nd, "
                              "<!-- instructors: -->e, <!-- :instructors -->f\n",
                              "p.md", kept),
            "A\n\nd, f\n");
  EXPECT_EQ(page_for_students(
                "A <!-- instructors: -->b <!-- :instructors -->c <!-- instructors: -->d<!-- :instructors "
                "-->\n<!-- instructors: -->open",
                "p.md", kept),
            "A c\n");
}

// A clone of the course repository configures: no file is missing that CMake names. ROOFLINE_SLOW_TESTS=1
// also builds it and grades its skeleton, which takes minutes.
TEST(Course, AStudentsCloneWorks) {
  const Folder folder;
  write_all(folder.path());
  const fs::path build = folder.path() / "build" / "base";
  const auto run = [&](const std::vector<std::string>& command) {
    return run_command(command,
                       {.directory = folder.path(),
                        .limit = std::chrono::minutes(30),
                        .environment = {"ROOFLINE_PRESET=base", "ROOFLINE_NO_BUILD=", "ROOFLINE_ROOT="}});
  };
  const std::string toolkit = find_toolkit().home.string();
  const CommandResult configured = run({"cmake", "--preset", "base", "-DROOFLINE_CUDA_HOME=" + toolkit});
  ASSERT_TRUE(configured.ok()) << configured.output;
  for (const char* test : {"_test.cpp", "grader_tests", "simulator_tests", "gtest"})
    EXPECT_EQ(read_file(build / "build.ninja").find(test), std::string::npos) << test;
  const char* slow = std::getenv("ROOFLINE_SLOW_TESTS");
  if (slow == nullptr || *slow == 0) return;
  const CommandResult setup = run({"./lab", "setup"});
  ASSERT_TRUE(setup.ok()) << setup.output;
  const CommandResult graded = run({"./lab", "grade", "01", "--device", "sim"});
  EXPECT_EQ(graded.exit_code, 1) << graded.output;
  EXPECT_NE(graded.output.find("not-implemented"), std::string::npos) << graded.output;
  EXPECT_EQ(run({"./lab", "author-check"}).exit_code, 2);
  EXPECT_EQ(run({"./lab", "grade", "01", "--solution"}).exit_code, 2);
  EXPECT_EQ(run({"./lab", "test"}).exit_code, 2);
}

TEST(Autograder, TheZipHasWhatGradescopeAsksFor) {
  const Folder folder;
  const std::vector<Lab>& labs = all_labs();
  const std::string zip = gradescope_zip(checkout(), select(labs, {"03"}));
  EXPECT_EQ(zip, gradescope_zip(checkout(), select(labs, {"03"}))) << "the same bytes every time";
  write_file(folder.path() / "a.zip", zip);
  const CommandResult unpacked =
      run_command({"python3", "-m", "zipfile", "-e", "a.zip", "out"}, {.directory = folder.path()});
  ASSERT_TRUE(unpacked.ok()) << unpacked.output;
  const fs::path out = folder.path() / "out";
  EXPECT_EQ(read_file(out / "parts"), "03a\n03b\n03c\n");
  for (const char* name :
       {"setup.sh", "run_autograder", "roofline-labs/lab", "roofline-labs/CMakePresets.json",
        "roofline-labs/labs/03-fusion/spec.cpp", "roofline-labs/grader/main.cpp"})
    EXPECT_TRUE(fs::exists(out / name)) << name;
  for (const char* name :
       {"roofline-labs/solutions", "roofline-labs/labs/01-pointwise", "roofline-labs/grader/tests"})
    EXPECT_FALSE(fs::exists(out / name)) << name;
  EXPECT_LT(zip.size(), 6U << 20) << "sources are 4 MiB; has a folder come along that nobody needs there?";
  for (const char* name : {"setup.sh", "run_autograder"})
    EXPECT_TRUE(run_command({"bash", "-n", (out / name).string()}).ok()) << name;
}

// Breaks when an archive tool would refuse the archive, or programs lose their permission.
TEST(Autograder, ZipKeepsBytesAndPermissions) {
  const Folder folder;
  write_file(folder.path() / "a.zip",
             zip_archive({{.name = "a/b", .bytes = std::string("x\0y", 3), .executable = true},
                          {.name = "empty", .bytes = ""}}));
  const CommandResult tested =
      run_command({"python3", "-c",
                   "import zipfile; z = zipfile.ZipFile('a.zip'); assert z.testzip() is None; "
                   "print([(i.filename, oct(i.external_attr >> 16), z.read(i)) for i in z.infolist()])"},
                  {.directory = folder.path()});
  EXPECT_EQ(tested.output, "[('a/b', '0o100755', b'x\\x00y'), ('empty', '0o100644', b'')]\n");
}

// run_autograder with a grader that does what the test says.
class RunAutograder : public testing::Test {
 protected:
  std::string results_with(const std::string& grader) {
    const fs::path source = folder_.path() / "source" / "roofline-labs";
    write_file(folder_.path() / "source" / "parts", "01\n");
    fs::create_directories(folder_.path() / "submission");
    if (!grader.empty()) {
      write_file(source / "lab",
                 "#!/usr/bin/env bash\nresults=${!#}; results=${results#*=}\n" + grader + "\n");
      fs::permissions(source / "lab", fs::perms::owner_all);
    }
    const CommandResult run =
        run_command({(kRoot / "grader/handout/autograder/run_autograder").string()},
                    {.environment = {"AUTOGRADER=" + folder_.path().string(), "ROOFLINE_TIME_LIMIT=1"}});
    EXPECT_TRUE(run.ok()) << run.output;
    const std::string text = read_file(folder_.path() / "results" / "results.json");
    EXPECT_EQ(schema_faults("grader/formats/tests/schemas/gradescope.schema.json", text), "");
    return text;
  }
  Folder folder_;
};

TEST_F(RunAutograder, ThereIsAlwaysAResult) {
  const std::string graded = R"({"score": 7, "tests": []})";
  const std::string write = "echo '" + graded + "' > $results; ";
  EXPECT_EQ(results_with(write + "exit 0"), graded + "\n");
  EXPECT_EQ(results_with(write + "exit 1"), graded + "\n");
  EXPECT_EQ(results_with(write + "exit 3"), graded + "\n") << "a verdict of ours about our own fault";
  EXPECT_NE(results_with("exit 3").find("the grader could not run"), std::string::npos);
  EXPECT_NE(results_with("kill -SEGV $$").find("the grader could not run"), std::string::npos);
  EXPECT_NE(results_with("sleep 20").find("took longer"), std::string::npos);
  fs::remove_all(folder_.path() / "source");
  EXPECT_NE(results_with("").find("through no fault of yours"), std::string::npos);
}

TEST(Hidden, CasesAreAddedAndSayNothing) {
  const Folder folder;
  const fs::path file = folder.path() / "hidden.toml";
  write_file(file, "seed = 42\n[[case]]\npart = \"01\"\nn = 123457\nmisaligned = 1\n");
  std::vector<Lab> labs = all_labs();
  const size_t before = labs[0].parts[0].cases.size();
  EXPECT_EQ(add_hidden(labs, file, 0), 42U);
  ASSERT_EQ(labs[0].parts[0].cases.size(), before + 1);
  const Case& hidden = labs[0].parts[0].cases.back();
  EXPECT_EQ(hidden.title, "hidden case 1");
  ASSERT_EQ(hidden.settings.size(), 1U);
  EXPECT_EQ(hidden.settings[0].first, "n");
  EXPECT_EQ(hidden.misaligned_elements, 1U);
  EXPECT_EQ(add_hidden(labs, file, 7), 7U) << "a seed on the command line wins";
}

TEST(Hidden, AMistakeIsNamedWithItsLine) {
  const Folder folder;
  const fs::path file = folder.path() / "hidden.toml";
  const std::string part = "[[case]]\npart = \"01\"\n";
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"[[case]\n", ":1"},
           {"sed = 1\n", "sed is not known"},
           {"seed = 0\n", "seed is no number"},
           {"[[case]]\npart = \"99\"\n", "names no part"},
           {part, "the case has no n"},
           {part + "n = 5\nm = 6\n", ":4: the cases of this part have no m"},
           {part + "n = \"many\"\n", ":3: n is no number"}}) {
    write_file(file, text);
    std::vector<Lab> labs = all_labs();
    try {
      add_hidden(labs, file, 0);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace roofline::grader
