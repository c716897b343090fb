// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A patch becomes exactly the file that its author meant, or is refused with one sentence.
#include "grader/lab/submission_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "grader/base/file.h"
#include "grader/base/patch.h"
#include "grader/box/process.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

const std::string kBase = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const std::string kHead = "# expect: wrong-answer\n#\n# Two is missing.\n--- x.cu\n+++ wrong\n";
const std::string kPatch = kHead + "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";

std::string applied(const std::string& patch, const std::string& base = kBase) {
  return apply_patch(parse_patch(patch), base);
}

/// "LINE: SENTENCE", or "" for a patch that applies.
std::string refused(const std::string& patch, const std::string& base = kBase) try {
  applied(patch, base);
  return "";
} catch (const PatchError& error) {
  return std::to_string(error.line) + ": " + error.what();
}

void expect_refused(const std::string& patch, const std::string& begin, const std::string& base = kBase) {
  EXPECT_TRUE(refused(patch, base).starts_with(begin))
      << patch << "came to \"" << refused(patch, base) << '"';
}

TEST(Patch, IsReadAndApplied) {
  const Patch patch = parse_patch(kPatch + "@@ -6,2 +6,3 @@ void f()\n six\n seven\n+eight\n");
  EXPECT_EQ(patch.base, "x.cu");
  ASSERT_EQ(patch.hunks.size(), 2U);
  EXPECT_EQ(patch.hunks[0].line, 6U);
  EXPECT_EQ(apply_patch(patch, kBase), "one\n2\nthree\nfour\nfive\nsix\nseven\neight\n");
  EXPECT_EQ(applied(kHead + "@@ -2 +2 @@\n-two\n+2\n"), "one\n2\nthree\nfour\nfive\nsix\nseven\n");
  EXPECT_EQ(applied(kHead + "@@ -1,7 +0,0 @@\n-one\n-two\n-three\n-four\n-five\n-six\n-seven\n"), "");
  // As diff writes it, with times; without the last newline of all.
  EXPECT_EQ(parse_patch("--- a b.cu\t2026-01-01 00:00:00.0 +0000\n+++ b\t2026\n@@ -1 +1 @@\n-a\n+b").base,
            "a b.cu");
}

// What an editor does to the patch changes nothing of what it makes.
TEST(Patch, EmptyContextAndLineEndsOfWindows) {
  const std::string patch = kHead + "@@ -1,3 +1,2 @@\n a\n\n-b\n";
  EXPECT_EQ(applied(patch, "a\n\nb\n"), "a\n\n");
  const auto windows = [](std::string text) {
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
    return text;
  };
  EXPECT_EQ(applied(windows(patch), "a\n\nb\n"), "a\n\n");
  EXPECT_EQ(applied(patch, windows("a\n\nb\n")), "a\n\n");
  EXPECT_EQ(applied(windows(patch), windows("a\n\nb\n")), "a\n\n");
}

TEST(Patch, FilesWithoutANewlineAtTheEnd) {
  const std::string none = "\\ No newline at end of file\n";
  EXPECT_EQ(applied(kHead + "@@ -1,2 +1,2 @@\n a\n-b\n" + none + "+c\n" + none, "a\nb"), "a\nc");
  EXPECT_EQ(applied(kHead + "@@ -1,2 +1,2 @@\n a\n-b\n" + none + "+c\n", "a\nb"), "a\nc\n");
  EXPECT_EQ(applied(kHead + "@@ -1,2 +1,2 @@\n-a\n+c\n b\n" + none, "a\nb"), "c\nb");
  expect_refused(kHead + "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "6: its lines are not", "a\nb");
  expect_refused(kHead + "@@ -1,2 +1,2 @@\n-a\n+c\n" + none + " b\n", "6: a line without an end", "a\nb\n");
}

TEST(Patch, FollowsItsLinesWhenTheyMoved) {
  EXPECT_EQ(applied(kPatch, "zero\nnull\n" + kBase), "zero\nnull\none\n2\nthree\nfour\nfive\nsix\nseven\n");
  EXPECT_EQ(applied(kHead + "@@ -9,2 +9,1 @@\n five\n-six\n"), "one\ntwo\nthree\nfour\nfive\nseven\n");
  // Both hunks moved by the same lines: the second one stands where the first one leads.
  const std::string twice = kHead + "@@ -1,1 +1,1 @@\n-a\n+A\n@@ -3,1 +3,1 @@\n-b\n+B\n";
  EXPECT_EQ(applied(twice, "0\na\nb\nb\nb\n"), "0\nA\nb\nB\nb\n");
}

// No fuzz: a hunk whose context changed, or that fits twice, would be a guess.
TEST(Patch, ThatNoLongerFits) {
  expect_refused(kPatch, "6: its lines are not to be found near line 1", "one\nTWO\nthree\n");
  expect_refused(kPatch, "6: its lines are not to be found", "One\ntwo\nthree\n");
  expect_refused(kPatch, "6: its lines are not to be found", "");
  const std::string far(3 * 200, '\n');
  expect_refused(kPatch, "6: its lines are not to be found", far + kBase);
  expect_refused(kHead + "@@ -1,1 +1,1 @@\n-a\n+b\n", "6: its lines are not at line 1, and near it more",
                 "0\na\na\n");
  // Not above the hunk before it.
  expect_refused(kHead + "@@ -3,1 +3,1 @@\n-b\n+B\n@@ -5,1 +5,1 @@\n-a\n+A\n", "9: its lines are not",
                 "a\n0\nb\n0\n0\n");
}

TEST(Patch, ThatIsNone) {
  expect_refused("", "1: a patch begins with lines");
  expect_refused("int x;\n", "1: a patch begins with lines");
  expect_refused("# only a head\n", "2: a patch begins with lines");
  expect_refused("--- \n+++ b\n", "1: \"---\" names no file");
  expect_refused("--- x.cu\n@@ -1 +1 @@\n-a\n+b\n", "2: behind");
  expect_refused(kHead, "6: a hunk begins with");
  expect_refused(kHead + "int x;\n", "6: a hunk begins with");
  for (const char* header :
       {"@@", "@@ -1 @@", "@@ -1,2 +1,2", "@@ -x +1 @@", "@@ -1, +1 @@", "@@ -1,-2 +1 @@",
        "@@ -99999999999999999999 +1 @@", "@@ -1,2000000 +1 @@", "@@@ -1 +1 @@@"})
    EXPECT_TRUE(refused(kHead + header + "\n one\n").starts_with("6: ")) << header;
  expect_refused(kHead + "@@ -0,0 +1,1 @@\n+zero\n", "6: the hunk has no line of the file");
  expect_refused(kHead + "@@ -1,0 +2,1 @@\n+zero\n", "6: the hunk has no line of the file");
  expect_refused(kHead + "@@ -1,2 +1,2 @@\n one\n", "8: the hunk ends before");
  expect_refused(kHead + "@@ -1,1 +1,2 @@\n one\n two\n", "6: the hunk has other lines");
  expect_refused(kHead + "@@ -1,1 +1,1 @@\n one\n two\n", "8: this line belongs to no hunk");
  expect_refused(kHead + "@@ -1,1 +1,1 @@\n\\ No newline at end of file\n", "7: a line of a hunk begins");
  expect_refused(kHead + "@@ -1,2 +1,2 @@\n one\nint x;\n", "8: a line of a hunk begins");
  expect_refused(kPatch + "--- y.cu\n+++ wrong\n@@ -1 +1 @@\n-a\n+b\n", "11: this line belongs to no hunk");
  expect_refused(kPatch + "@@ -3,1 +3,1 @@\n-three\n+3\n", "11: the hunk lies before");
}

/// A checkout with one solution.
class SubmissionFile : public testing::Test {
 protected:
  void SetUp() override {
    paths_.root =
        fs::temp_directory_path() / ("roofline-submission-test-" + std::to_string(getpid())) / "tree";
    paths_.state = paths_.root / ".lab";
    write_file(paths_.root / "solutions/x.cu", kBase);
    write_file(paths_.root.parent_path() / "secret.cu", kBase);
    write_file(patch_, patch("solutions/x.cu"));
  }
  void TearDown() override { fs::remove_all(paths_.root.parent_path()); }

  static std::string patch(const std::string& base) {
    return "# expect: wrong-answer\n--- " + base + "\n+++ wrong\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
  }
  std::string refused(const std::string& text) const {
    write_file(patch_, text);
    try {
      submission_source(patch_, paths_);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  Paths paths_;
  const fs::path patch_ = fs::temp_directory_path() /
                          ("roofline-submission-test-" + std::to_string(getpid())) / "tree/no-two.patch";
};

TEST_F(SubmissionFile, IsAWholeFileOrAPatch) {
  EXPECT_TRUE(is_patch("a/b.patch") && !is_patch("b.cu") && !is_patch("patch"));
  EXPECT_TRUE(is_submission_file("b.patch") && is_submission_file("b.cu") && !is_submission_file("b.txt"));
  const fs::path whole = paths_.root / "solutions/x.cu";
  EXPECT_EQ(submission_text(whole, paths_), kBase);
  EXPECT_EQ(submission_source(whole, paths_), whole);
  EXPECT_EQ(submission_text(patch_, paths_), "one\n2\nthree\nfour\nfive\nsix\nseven\n");
  const fs::path source = submission_source(patch_, paths_);
  EXPECT_EQ(source.parent_path(), paths_.cache());
  EXPECT_TRUE(source.filename().string().starts_with("no-two-") && source.extension() == ".cu") << source;
  EXPECT_EQ(read_file(source), submission_text(patch_, paths_));
  EXPECT_THROW(submission_text(paths_.root / "none.patch", paths_), UsageError);
}

TEST_F(SubmissionFile, SaysWhichPatchNoLongerFitsWhatAndWhere) {
  write_file(paths_.root / "solutions/x.cu", "one\nTWO\n");
  const std::string said = refused(patch("solutions/x.cu"));
  EXPECT_TRUE(said.starts_with("no-two.patch:4: the hunk no longer fits solutions/x.cu: ")) << said;
  EXPECT_NE(said.find("make the patch anew"), std::string::npos) << said;
  EXPECT_TRUE(refused("int x;\n").starts_with("no-two.patch:1: a patch begins with"));
}

TEST_F(SubmissionFile, ChangesNothingOutsideOfTheCheckout) {
  fs::create_directory_symlink("..", paths_.root / "above");
  fs::create_symlink("../../secret.cu", paths_.root / "solutions/link.cu");
  for (const std::string& base :
       std::vector<std::string>{"../secret.cu", "solutions/../../secret.cu", "above/secret.cu",
                                "solutions/link.cu", "/etc/passwd", paths_.root / "solutions/x.cu"})
    EXPECT_NE(refused(patch(base)).find("lies outside of the checkout"), std::string::npos)
        << refused(patch(base));
  write_file(paths_.root / "notes.txt", kBase);
  EXPECT_NE(refused(patch("notes.txt")).find("is no .cu"), std::string::npos);
  EXPECT_NE(refused(patch("solutions/y.cu")).find("is not there"), std::string::npos);
  EXPECT_TRUE(refused(patch("solutions/y.cu")).starts_with("no-two.patch:2: "));
  EXPECT_EQ(refused(patch("solutions/../solutions/x.cu")), "");
}

TEST(Directive, StandsInACommentOfEitherKind) {
  EXPECT_EQ(directive("// expect: wrong-answer tail", "expect"), "wrong-answer tail");
  EXPECT_EQ(directive("# expect: too-slow\r", "expect"), "too-slow");
  EXPECT_EQ(directive("# expect:", "expect"), "");
  EXPECT_EQ(directive("# expected: x", "expect"), "");
  EXPECT_EQ(directive("expect: x", "expect"), "");
}

// diff writes what this reads, patch reads it as this does: every patch of the checkout.
TEST(WrongSubmissions, AreWhatPatchMakesOfThem) {
  const Paths paths = Paths::find();
  int patches = 0;
  for (const auto& entry : fs::recursive_directory_iterator(paths.root / "solutions")) {
    if (!is_patch(entry.path())) continue;
    const CommandResult theirs = run_command({paths.root / ".ci/patched", entry.path()});
    ASSERT_TRUE(theirs.ok()) << theirs.output;
    EXPECT_EQ(submission_text(entry.path(), paths), theirs.output) << entry.path();
    ++patches;
  }
  EXPECT_GT(patches, 100);
}

}  // namespace
}  // namespace roofline::grader
