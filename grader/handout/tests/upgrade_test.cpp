// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A copy of the course becomes a newer one: whatever a student did to it, and wherever it is interrupted.
#include "grader/handout/upgrade.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "grader/base/file.h"
#include "grader/base/line_diff.h"
#include "grader/base/patch.h"
#include "grader/box/process.h"
#include "grader/handout/zip.h"
#include "grader/lab/skeleton.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

using Tree = std::map<std::string, std::string>;  // content by name

const std::string kOldSkeleton = "// Lab 01\n\nvoid f() {\n  // TODO\n}\n",
                  kNewSkeleton = "// Lab 01, mended\n\nvoid f(int n) {\n  // TODO\n}\n",
                  kMine = "// Lab 01\n\nvoid f() {\n  mine();\n}\n";

const Tree kOld = {{"lab", "#!old\n"},
                   {"README.md", "old\n"},
                   {"labs/01-x/x.cu", kOldSkeleton},
                   {"labs/01-x/prediction.toml", "n = \"\"\n"},
                   {"labs/01-x/x.h", "old\n"},
                   {"labs/02-y/y.cu", "// TODO y\n"},
                   {"labs/02-y/w.cu", "// TODO w\n"},
                   {"labs/02-y/y.h", "y\n"},
                   {"grader/a.cpp", "old\n"},
                   {"grader/gone.cpp", "gone\n"},
                   {"grader/same.cpp", "same\n"},
                   {"docs/old/page.md", "page\n"},
                   {"docs/gone/page.md", "page\n"}};
const Tree kNew = {{"lab", "#!new\n"},
                   {"README.md", "new\n"},
                   {"labs/01-x/x.cu", kNewSkeleton},
                   {"labs/01-x/prediction.toml", "n = \"\"\n"},
                   {"labs/01-x/x.h", "new\n"},
                   {"labs/03-z/z.cu", "// TODO z\n"},
                   {"grader/a.cpp", "new\n"},
                   {"grader/same.cpp", "same\n"},
                   {"docs/old", "a page now\n"},
                   {"notes.txt", "the course's notes\n"},
                   {"extra/deep/page.md", "deep\n"}};
/// What the student did.
const Tree kTheirs = {{"labs/01-x/x.cu", kMine},
                      {"labs/01-x/prediction.toml", "n = 7\n"},
                      {"labs/01-x/x.h", "old, and my macro\n"},
                      {"labs/02-y/y.cu", "my y\n"},
                      {"grader/gone.cpp", "gone, and my line\n"},
                      {"notes.txt", "my notes\n"},
                      {"extra", "a file of mine\n"},
                      {"docs/old/mine.md", "my page\n"},
                      {"labs/01-x/bench.py", "my script\n"},
                      {".lab/progress.json", "{\"01\": \"gold\"}\n"}};

Edition edition_of(const Tree& files, const std::string& made) {
  Edition edition{
      .version = "0.1.0", .made = made, .labs = {}, .files = {}, .own = {}, .executable = {"lab"}};
  for (const auto& [name, text] : files) {
    edition.files[name] = sha256_hex(text);
    if (name.ends_with(".cu") || name.ends_with("prediction.toml")) edition.own[name] = text;
    const std::string lab = fs::path(name).parent_path().filename().string();
    if (name.ends_with(".cu") && (edition.labs.empty() || edition.labs.back() != lab))
      edition.labs.push_back(lab);
  }
  return edition;
}
const Edition kBefore = edition_of(kOld, "2026-10-01T10:00:00Z"),
              kAfter = edition_of(kNew, "2026-11-01T10:00:00Z");

class Upgrading : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(base_); }
  void TearDown() override { fs::remove_all(base_); }

  static void write_tree(const fs::path& root, const Tree& tree) {
    for (const auto& [name, text] : tree) {
      if (std::error_code ignored; fs::is_directory(root / name, ignored)) fs::remove_all(root / name);
      write_file(root / name, text);
    }
  }
  /// A copy as it was given out, with what the student did to it since.
  fs::path copy(const std::string& name, const Tree& theirs = kTheirs) const {
    const fs::path root = base_ / name;
    write_tree(root, kOld);
    fs::permissions(root / "lab", fs::perms(0755));
    write_file(root / Edition::kFile, edition_text(kBefore));
    write_tree(root, theirs);
    return root;
  }
  static Incoming incoming() { return {.edition = kAfter, .bytes = kNew}; }
  static Tree tree_of(const fs::path& root) {
    Tree tree;
    for (const auto& entry : fs::recursive_directory_iterator(root))
      if (entry.is_regular_file() && entry.path().lexically_relative(root).begin()->string() != ".git")
        tree[entry.path().lexically_relative(root).generic_string()] = read_file(entry.path());
    return tree;
  }
  static UpgradeReport upgraded(const fs::path& root) {
    Upgrade upgrade(root, root / ".lab");
    EXPECT_TRUE(upgrade.stage(incoming()));
    return upgrade.apply();
  }
  static void expect_new(const fs::path& root) {
    const Tree tree = tree_of(root);
    for (const auto& [name, text] : kNew) {
      if (kAfter.own.contains(name)) continue;
      EXPECT_EQ(tree.at(name), text) << name;
    }
    for (const char* mine : {"labs/01-x/x.cu", "labs/01-x/prediction.toml", "labs/02-y/y.cu",
                             "labs/01-x/bench.py", ".lab/progress.json"})
      EXPECT_EQ(tree.at(mine), kTheirs.at(mine)) << mine;
    for (const char* gone : {"grader/gone.cpp", "labs/02-y/y.h", "labs/02-y/w.cu", "docs/gone/page.md"})
      EXPECT_FALSE(tree.contains(gone)) << gone;
    EXPECT_FALSE(fs::exists(root / "docs/gone"));
    EXPECT_FALSE(fs::exists(root / ".lab/upgrade"));
    EXPECT_EQ(read_edition(root)->files, kAfter.files);
    EXPECT_NE(fs::status(root / "lab").permissions() & fs::perms::owner_exec, fs::perms::none);
  }
  /// Everything that the student wrote is somewhere.
  static void expect_nothing_lost(const fs::path& root) {
    std::string all;
    for (const auto& [name, text] : tree_of(root)) all += text;
    for (const auto& [name, text] : kTheirs) EXPECT_NE(all.find(text), std::string::npos) << name;
  }

  fs::path base_ = fs::temp_directory_path() / ("roofline-upgrade-test-" + std::to_string(getpid()));
};

TEST_F(Upgrading, WhatIsGivenIsNewAndWhatIsTheirsStays) {
  const fs::path root = copy("course");
  const UpgradeReport done = upgraded(root);
  expect_new(root);
  expect_nothing_lost(root);
  EXPECT_EQ(done.backed_up, (std::vector<std::string>{"docs/old/mine.md", "docs/old/page.md", "extra",
                                                      "grader/gone.cpp", "labs/01-x/x.h", "notes.txt"}));
  EXPECT_EQ(read_file(done.backups / "files/notes.txt"), "my notes\n");
  EXPECT_EQ(done.added, 4U);
  EXPECT_EQ(done.changed, 5U);
  EXPECT_EQ(done.removed, 6U);
  EXPECT_EQ(done.labs_gone, std::vector<std::string>{"02-y"});
  ASSERT_EQ(done.skeletons.size(), 1U) << "the prediction's form is as it was";
  EXPECT_EQ(done.skeletons[0].first, "labs/01-x/x.cu");
  EXPECT_EQ(apply_patch(parse_patch(done.skeletons[0].second), kOldSkeleton), kNewSkeleton);
  EXPECT_EQ(find_skeleton(root, root / ".lab", root / "labs/01-x/x.cu")->text, kNewSkeleton)
      << "for ./lab reset";
  EXPECT_FALSE(Upgrade(root, root / ".lab").stage(incoming())) << "once is enough";
}

TEST_F(Upgrading, WhoDidNothingHasTheNewSkeletons) {
  const fs::path root = copy("course", {});
  const UpgradeReport done = upgraded(root);
  EXPECT_TRUE(done.backed_up.empty() || done.backed_up == std::vector<std::string>{"docs/old/page.md"});
  EXPECT_TRUE(done.skeletons.empty());
  Tree tree = tree_of(root);
  std::erase_if(
      tree, [](const auto& file) { return file.first.starts_with(".lab/") || file.first == Edition::kFile; });
  EXPECT_EQ(tree, kNew);
}

// Breaks when a kill at any step loses something, or ends elsewhere than an upgrade that was left alone.
TEST_F(Upgrading, AKillAtAnyStepIsFinishedByTheNextRun) {
  const fs::path calm = copy("calm");
  upgraded(calm);
  const Tree wanted = tree_of(calm);
  int steps = 0;
  for (bool finished = false; !finished; ++steps) {
    ASSERT_LT(steps, 200);
    const fs::path root = copy("killed");
    Upgrade upgrade(root, root / ".lab");
    ASSERT_TRUE(upgrade.stage(incoming()));
    const pid_t child = fork();
    if (child == 0) {
      int left = steps;
      upgrade.apply([&] {
        if (left-- == 0) raise(SIGKILL);
      });
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    finished = WIFEXITED(status);
    EXPECT_EQ(upgrade.pending(), !finished && fs::exists(root / ".lab/upgrade/ready"));
    expect_nothing_lost(root);
    if (upgrade.pending()) {
      const UpgradeReport done = upgrade.apply();
      EXPECT_EQ(done.backed_up.size(), 6U) << "what the first run kept is named, too";
      EXPECT_EQ(done.skeletons.size(), 1U);
    }
    Tree tree = tree_of(root);
    std::erase_if(tree, [](const auto& file) { return file.first.starts_with(".lab/upgrade/"); });
    EXPECT_EQ(tree, wanted) << "after step " << steps;
    fs::remove_all(root);
  }
  EXPECT_GT(steps, 20);
}

// Breaks when what a run left that was killed at the very end, with all but the cleaning done, stays for
// ever.
TEST_F(Upgrading, WhatAKilledRunLeftGoesWithTheNextOne) {
  const fs::path root = copy("course");
  upgraded(root);
  write_file(root / ".lab/upgrade/new/README.md", "left");
  EXPECT_FALSE(Upgrade(root, root / ".lab").stage(incoming())) << "it is the newest already";
  EXPECT_FALSE(fs::exists(root / ".lab/upgrade"));
}

// Breaks when a run that was killed while the new course was read begins with half of it.
TEST_F(Upgrading, HalfAStagedCourseIsNone) {
  const fs::path root = copy("course");
  write_file(root / ".lab/upgrade/new/README.md", "half of");
  write_file(root / ".lab/upgrade/new/stray.md", "of another");
  EXPECT_FALSE(Upgrade(root, root / ".lab").pending());
  upgraded(root);
  expect_new(root);
  EXPECT_FALSE(fs::exists(root / "stray.md"));
}

TEST_F(Upgrading, AGitRepositoryWithCommittedWork) {
  const fs::path root = copy("course", {});
  fs::remove_all(root / ".lab");
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"git", "-C", root.string(), "-c", "user.name=ada", "-c", "user.email=ada@example.org"});
    EXPECT_TRUE(run_command(words, {}).ok()) << words.back();
  };
  git({"init", "-q"});
  write_file(root / ".gitignore", "/.lab/\n");
  git({"add", "-A"});
  git({"commit", "-qm", "the course"});
  write_tree(root, kTheirs);
  git({"add", "-A"});
  git({"commit", "-qm", "my work"});
  EXPECT_EQ(find_skeleton(root, root / ".lab", root / "labs/01-x/x.cu")->text, kOldSkeleton);
  const UpgradeReport done = upgraded(root);
  expect_new(root);
  expect_nothing_lost(root);
  EXPECT_EQ(apply_patch(parse_patch(done.skeletons.at(0).second), kOldSkeleton), kNewSkeleton)
      << "committed or not";
  EXPECT_EQ(find_skeleton(root, root / ".lab", root / "labs/01-x/x.cu")->text, kNewSkeleton);
}

// The course's repository was pulled: its commit has the skeleton that was given out.
TEST_F(Upgrading, AfterAPullTheSkeletonIsTheNewOne) {
  const fs::path root = copy("course", {});
  fs::remove_all(root / ".lab");
  const auto commit = [&](const std::string& what) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"add", "-A"}, {"commit", "-qm", what}}) {
      std::vector<std::string> all = {"git",         "-C", root.string(),   "-c",
                                      "user.name=a", "-c", "user.email=a@b"};
      all.insert(all.end(), words.begin(), words.end());
      EXPECT_TRUE(run_command(all, {}).ok());
    }
  };
  EXPECT_TRUE(run_command({"git", "-C", root.string(), "init", "-q"}, {}).ok());
  commit("the course");
  write_tree(root, kNew);
  write_file(root / Edition::kFile, edition_text(kAfter));
  commit("the course, newer");
  // What a merge made of both has a TODO, too, and was never given out.
  write_file(root / "labs/01-x/x.cu", kNewSkeleton + "// TODO: ask about this\n");
  commit("my work");
  EXPECT_EQ(find_skeleton(root, root / ".lab", root / "labs/01-x/x.cu")->text, kNewSkeleton);
}

std::string refusal(const std::function<void()>& what) {
  try {
    what();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_F(Upgrading, WhatDoesNotFitIsRefusedBeforeAnythingChanges) {
  const fs::path root = copy("course");
  const Tree before = tree_of(root);
  const auto stage = [&](const fs::path& where, const Incoming& what) {
    return refusal([&] { Upgrade(where, where / ".lab").stage(what); });
  };
  Incoming older = incoming();
  older.edition.made = "2026-09-01T10:00:00Z";
  EXPECT_NE(stage(root, older).find("ask for a newer one"), std::string::npos);
  fs::create_directories(base_ / "other");
  EXPECT_NE(stage(base_ / "other", incoming()).find("git pull"), std::string::npos);

  const fs::path given = base_ / "given";
  const auto read = [&] { return refusal([&] { (void)read_incoming(given, base_ / "scratch"); }); };
  EXPECT_NE(read().find("there is no"), std::string::npos);
  write_tree(given, kNew);
  EXPECT_NE(read().find("edition.json"), std::string::npos);
  write_file(given / Edition::kFile, edition_text(kAfter));
  fs::remove(given / "grader/a.cpp");
  EXPECT_NE(read().find("grader/a.cpp is missing"), std::string::npos);
  for (const char* name :
       {"../out", "/etc/passwd", ".git/hooks/post-commit", ".lab/cache/x", "build/base/bin/lab"}) {
    Edition bad = kAfter;
    bad.files[name] = sha256_hex("");
    write_file(given / Edition::kFile, edition_text(bad));
    EXPECT_NE(read().find("no file of a course"), std::string::npos) << name;
  }
  write_file(given / Edition::kFile, "{");
  EXPECT_NE(read().find("cannot be read"), std::string::npos);
  EXPECT_EQ(tree_of(root), before);
}

TEST_F(Upgrading, AnArchiveWithAFolderInIt) {
  const fs::path root = copy("course");
  std::vector<ZipEntry> entries;
  for (const auto& [name, text] : kNew) entries.push_back({"course-2/" + name, text, name == "lab"});
  entries.push_back({"course-2/" + std::string(Edition::kFile), edition_text(kAfter)});
  write_file(base_ / "new.zip", zip_archive(entries));
  Upgrade upgrade(root, root / ".lab");
  EXPECT_TRUE(upgrade.stage(read_incoming(base_ / "new.zip", upgrade.scratch())));
  upgrade.apply();
  expect_new(root);
  write_file(base_ / "bad.zip", "PK, but no archive");
  EXPECT_NE(refusal([&] { (void)read_incoming(base_ / "bad.zip", base_ / "scratch"); }).find("no archive"),
            std::string::npos);
  write_file(base_ / "evil.zip", zip_archive({{"../evil", "text"}}));
  EXPECT_NE(refusal([&] { (void)read_incoming(base_ / "evil.zip", base_ / "scratch"); }).find("leads out"),
            std::string::npos);
}

// Breaks when a diff is not what `patch` makes the new text from.
TEST(LineDiff, IsAPatch) {
  std::string before, after;
  for (int i = 0; i < 60; ++i) {
    before += "line " + std::to_string(i % 7) + "\n";
    if (i % 13 != 5) after += "line " + std::to_string(i % 7) + "\n";
    if (i % 17 == 3) after += "new " + std::to_string(i) + "\n";
  }
  const std::string diff = line_diff(before, after, "x.cu");
  EXPECT_EQ(apply_patch(parse_patch(diff), before), after) << diff;
  EXPECT_GT(parse_patch(diff).hunks.size(), 1U);
  EXPECT_EQ(line_diff(before, before, "x.cu"), "");
  EXPECT_EQ(apply_patch(parse_patch(line_diff("a\nb\n", "b\nc\n", "x")), "a\nb\n"), "b\nc\n");
}

}  // namespace
}  // namespace roofline::grader
