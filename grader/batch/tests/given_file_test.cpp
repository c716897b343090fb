// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What options name may be missing, a folder, empty or anything: one sentence says which, before any work.
#include "grader/base/given_file.h"

#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/course.h"
#include "grader/batch/intake.h"
#include "grader/formats/wishes.h"
#include "grader/lab/hidden.h"

namespace roofline::grader {
namespace {

class GivenFiles : public Folder {
 protected:
  /// What a usage error says; empty where there was none.
  template <class Call>
  static std::string refusal(Call call) {
    try {
      call();
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  }
  std::string at(const char* name) const { return (folder_ / name).string(); }
};

TEST_F(GivenFiles, AreReadOrNamed) {
  write_file(at("file"), "text");
  EXPECT_EQ(read_given(at("file")), "text");
  EXPECT_EQ(refusal([&] { read_given(at("none")); }), "there is no file " + at("none"));
  EXPECT_EQ(refusal([&] { require_file(at("none"), "; make it"); }),
            "there is no file " + at("none") + "; make it");
  EXPECT_EQ(refusal([&] { read_given(folder_); }), folder_.string() + " is a folder, not a file");
}

// Breaks when a mistake in an option is called a fault of the machine, or is told in a parser's words.
TEST_F(GivenFiles, EveryReaderSaysTheSame) {
  const auto hidden = [](const std::string& file) {
    std::vector<Lab> labs = all_labs();
    add_hidden(labs, file, 0);
  };
  EXPECT_EQ(refusal([&] { hidden(at("none")); }), "there is no file " + at("none"));
  EXPECT_EQ(refusal([&] { Course::read(at("none")); }), "there is no file " + at("none"));
  EXPECT_EQ(refusal([&] { find_submissions(at("none"), {}); }), "there is no folder " + at("none"));
  write_file(at("empty"), "");
  write_file(at("garbage"), std::string("\x7f\x45\x00\xff\xfe\x01", 6));
  EXPECT_EQ(refusal([&] { hidden(at("empty")); }), at("empty") + " holds neither a seed nor a [[case]]");
  EXPECT_EQ(refusal([&] { hidden(at("garbage")); }).find(at("garbage") + ":1: "), 0U);
  EXPECT_EQ(refusal([&] { Course::read(at("garbage")); }).find(at("garbage") + " line 1: "), 0U);
  EXPECT_EQ(refusal([&] {
              find_submissions(at("garbage"), {});
            }).find(at("garbage") + " is neither a folder nor an archive"),
            0U);
}

// Breaks when a grade of minutes ends in "cannot write".
TEST_F(GivenFiles, PlacesAreLookedAtBeforeTheWork) {
  write_file(at("file"), "text");
  EXPECT_EQ(refusal([&] { require_place(at("new/deep/file.json")); }), "");
  EXPECT_EQ(refusal([&] { require_place(at("file")); }), "") << "it is replaced";
  EXPECT_EQ(refusal([&] { require_place(at("file/below/x.json")); }),
            at("file") + " is a file, not a folder");
  EXPECT_NE(refusal([&] { (void)wishes_of({"junit=" + folder_.string()}); }).find(" is a folder"),
            std::string::npos);
}

}  // namespace
}  // namespace roofline::grader
