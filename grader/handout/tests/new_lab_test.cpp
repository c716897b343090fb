// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The folders of a new lab: complete, without leftovers of the template, never over somebody's work. That
// they build and grade is shown by .ci/new-lab.
#include "grader/handout/new_lab.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/handout/author_check.h"
#include "grader/lab/hints.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

class NewLab : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "labs" / "01-pointwise");
    fs::create_directories(root_ / "grader" / "handout");
    fs::copy(fs::path(ROOFLINE_SOURCE) / "grader/handout/new_lab", root_ / "grader/handout/new_lab");
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path root_ = fs::temp_directory_path() / ("roofline-new-lab-" + std::to_string(getpid()));
};

// Breaks when a file is missing, or a placeholder is left in it.
TEST_F(NewLab, IsComplete) {
  const auto files = make_lab(root_, "16-scale-rows");
  EXPECT_EQ(files.size(), 12U);
  for (const fs::path& file : files) {
    const std::string text = read_file(root_ / file);
    EXPECT_FALSE(text.empty()) << file;
    EXPECT_EQ(text.find('@'), std::string::npos) << file << "\n" << text;
  }
  EXPECT_TRUE(fs::exists(root_ / "labs/16-scale-rows/scale-rows.cu"));
  EXPECT_NE(read_file(root_ / "labs/16-scale-rows/scale-rows.h").find("void scale_rows("), std::string::npos);
  EXPECT_GE(parse_hints(read_file(root_ / "labs/16-scale-rows/hints.md")).size(), 3U);
  EXPECT_EQ(parse_expectation(read_file(root_ / "solutions/16-scale-rows/wrong/zeros.cu"))->outcome,
            "wrong-answer");
}

// Breaks when a lab is overwritten, or half of one is left behind.
TEST_F(NewLab, WhatIsRefusedLeavesNothing) {
  for (const char* name : {"scale", "1-scale", "16-Scale", "16_scale", "16-", "16-a b", "../16-scale",
                           "16-a/b", "01-other", "16-pointwise", "16-2nd"})
    EXPECT_THROW(make_lab(root_, name), UsageError) << name;
  make_lab(root_, "16-scale");
  EXPECT_THROW(make_lab(root_, "16-scale"), UsageError);
  EXPECT_THROW(make_lab(root_, "16-other"), UsageError);
  std::size_t labs = 0;
  for (const auto& entry : fs::directory_iterator(root_ / "labs")) labs += entry.is_directory() ? 1 : 0;
  EXPECT_EQ(labs, 2U);
  fs::remove_all(root_ / "grader/handout/new_lab");
  EXPECT_THROW(make_lab(root_, "17-late"), UsageError) << "a course repository for students";
}

}  // namespace
}  // namespace roofline::grader
