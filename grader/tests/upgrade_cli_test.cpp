// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The course as an instructor gives it out, twice, and a student's copy of it in between.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "grader/base/file.h"
#include "grader/box/process.h"
#include "grader/lab/edition.h"

namespace roofline::grader::upgrade_cli {
namespace {
namespace fs = std::filesystem;

class UpgradeOfACourse : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(base_);
    expect(lab(ROOFLINE_SOURCE, {"export", "--for", "students", "--lab", "01,02", "--out", copy_.string()}),
           0, "Students clone it");
  }
  void TearDown() override { fs::remove_all(base_); }

  static std::vector<std::string> words_of(std::vector<std::string> words) {
    for (std::size_t i = 0; i < words.size(); ++i)  // --lab 01,02 is --lab 01 --lab 02 of export
      if (const std::size_t comma = words[i].find(','); comma != std::string::npos) {
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                     {"--lab", words[i].substr(comma + 1)});
        words[i].resize(comma);
      }
    words.insert(words.begin(), std::string(ROOFLINE_BUILD) + "/bin/lab");
    return words;
  }
  CommandResult lab(const fs::path& root, const std::vector<std::string>& words) const {
    return run_command(words_of(words), {.directory = base_,
                                         .limit = std::chrono::seconds(300),
                                         .environment = {"ROOFLINE_ROOT=" + root.string(),
                                                         "ROOFLINE_STATE=" + (state_of(root)).string()}});
  }
  /// The checkout's own is left alone.
  fs::path state_of(const fs::path& root) const { return root == copy_ ? copy_ / ".lab" : base_ / "state"; }
  static void expect(const CommandResult& result, int status, const std::string& text) {
    EXPECT_EQ(result.exit_code, status) << result.output;
    EXPECT_NE(result.output.find(text), std::string::npos)
        << "wanted: " << text << "\ngot: " << result.output;
  }
  /// The next edition: another lab and one less, a page and a skeleton that changed.
  fs::path newer() const {
    const fs::path folder = base_ / "newer", zip = base_ / "course-new.zip";
    expect(lab(ROOFLINE_SOURCE, {"export", "--for", "students", "--lab", "01,03", "--out", folder.string()}),
           0, "");
    for (const char* name : {"README.md", "labs/01-pointwise/pointwise.cu"})
      write_file(folder / name, read_file(folder / name) + "// mended\n");
    EXPECT_TRUE(run_command({"python3", "-c",
                             "import shutil; shutil.make_archive('course-new', 'zip', '.', 'newer')"},
                            {.directory = base_})
                    .ok());
    return zip;
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(copy_))
      if (entry.is_regular_file()) found.insert(entry.path().lexically_relative(copy_).generic_string());
    return found;
  }

  fs::path base_ =
      fs::canonical(fs::temp_directory_path()) / ("roofline-upgrade-cli-" + std::to_string(getpid()));
  fs::path copy_ = base_ / "copy", mine_ = copy_ / "labs/01-pointwise/pointwise.cu";
};

TEST_F(UpgradeOfACourse, KeepsTheStudentsFilesAndSaysWhatChanged) {
  const fs::path zip = newer();
  write_file(mine_, read_file(mine_) + "// my work\n");
  write_file(copy_ / "labs/02-intensity/intensity.cu", "// my work on a lab that goes\n");
  write_file(copy_ / "labs/01-pointwise/pointwise.h", "// my change\n");
  expect(lab(copy_, {"upgrade"}), 2, "Name the new one");
  expect(lab(copy_, {"upgrade", "nothing.zip"}), 2, "there is no nothing.zip");
  const CommandResult done = lab(copy_, {"upgrade", zip.string()});
  for (const char* said :
       {"This copy is now the course of",
        "labs/01-pointwise/pointwise.cu is as you left it; its skeleton has changed", "+// mended",
        "you had changed labs/01-pointwise/pointwise.h: yours is kept in .lab/backups/upgrade-",
        "labs/02-intensity is no longer part of the course; what you wrote in it stays"})
    expect(done, 0, said);
  EXPECT_TRUE(read_file(mine_).ends_with("// my work\n"));
  EXPECT_EQ(read_file(copy_ / "labs/02-intensity/intensity.cu"), "// my work on a lab that goes\n");
  EXPECT_FALSE(fs::exists(copy_ / "labs/02-intensity/README.md"));
  EXPECT_TRUE(fs::exists(copy_ / "labs/03-fusion/cosine.cu"));
  EXPECT_TRUE(read_file(copy_ / "README.md").ends_with("// mended\n"));
  expect(lab(copy_, {"upgrade", zip.string()}), 0, "already");
  expect(lab(copy_, {"reset", "01"}), 0, "Your file is kept in");
  EXPECT_TRUE(read_file(mine_).ends_with("// mended\n")) << "the skeleton of the new edition";
}

// Breaks when a kill at any time leaves a copy that the next command does not finish.
TEST_F(UpgradeOfACourse, AKillIsFinishedByTheNextCommand) {
  const fs::path zip = newer();
  write_file(mine_, "// my work\n");
  for (int round = 0; round < 40; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("ROOFLINE_ROOT", copy_.c_str(), 1);
      setenv("ROOFLINE_STATE", (copy_ / ".lab").c_str(), 1);
      if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
      execl(ROOFLINE_BUILD "/bin/lab", "lab", "upgrade", zip.c_str(), nullptr);
      _exit(1);
    }
    usleep(static_cast<useconds_t>(20'000 + 15'000 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) break;  // it was faster
  }
  expect(lab(copy_, {"upgrade", zip.string()}), 0, "");
  EXPECT_EQ(read_file(mine_), "// my work\n");
  const Edition edition = *read_edition(copy_);
  EXPECT_EQ(edition.labs, (std::vector<std::string>{"01-pointwise", "03-fusion"}));
  for (const auto& [name, sha256] : edition.files) {
    if (name == "labs/01-pointwise/pointwise.cu") continue;
    EXPECT_EQ(sha256_hex(read_file(copy_ / name)), sha256) << name;
  }
  for (const std::string& name : names())
    EXPECT_TRUE(edition.files.contains(name) || name == Edition::kFile || name.starts_with(".lab/")) << name;
  EXPECT_FALSE(fs::exists(copy_ / ".lab/upgrade"));
}

// The course's repository: the same command brings it up to date.
TEST_F(UpgradeOfACourse, AnExportIntoAnEarlierOneRenewsIt) {
  write_file(copy_ / "README.md", "# My course\n");
  write_file(copy_ / "syllabus.md", "mine\n");
  write_file(copy_ / "grader/old.cpp", "");  // nobody's: it stays
  const CommandResult done =
      lab(ROOFLINE_SOURCE, {"export", "--for", "students", "--lab", "01,03", "--out", copy_.string()});
  expect(done, 0, "had been changed there, kept in");
  EXPECT_FALSE(fs::exists(copy_ / "labs/02-intensity"));
  EXPECT_TRUE(fs::exists(copy_ / "labs/03-fusion/README.md"));
  EXPECT_EQ(read_file(copy_ / "syllabus.md"), "mine\n");
  EXPECT_NE(read_file(copy_ / "README.md"), "# My course\n");
  fs::create_directories(base_ / "full");
  write_file(base_ / "full/thesis.txt", "mine\n");
  expect(lab(ROOFLINE_SOURCE, {"export", "--for", "students", "--out", (base_ / "full").string()}), 2,
         "is not empty, and no earlier export");
  expect(lab(ROOFLINE_SOURCE, {"upgrade"}), 2, "git pull brings a checkout up to date");
}

TEST_F(UpgradeOfACourse, AZipIsTheSameCourse) {
  const fs::path zip = base_ / "course.zip";
  expect(lab(ROOFLINE_SOURCE, {"export", "--for", "students", "--lab", "01,02", "--out", zip.string()}), 0,
         "Students clone it");
  expect(lab(copy_, {"upgrade", zip.string()}), 0, "already");
}

}  // namespace
}  // namespace roofline::grader::upgrade_cli
