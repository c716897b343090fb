// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/intake.h"
#include "grader/box/process.h"

namespace roofline::grader {

/// A folder of submissions for lab 01, and what is taken in of each.
class Intakes : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    parts_ = select(labs_, {"01"});
    unpacker_.program = std::filesystem::path(ROOFLINE_BUILD) / "bin" / "unpack";
    std::error_code ignored;
    if (!std::filesystem::exists(unpacker_.program, ignored)) unpacker_.program.clear();
  }
  void write(const std::string& name, const std::string& text) { write_file(folder_ / name, text); }
  void shell(const std::string& script) {
    const CommandResult result = run_command({"sh", "-c", script}, {.directory = folder_});
    ASSERT_TRUE(result.ok()) << script << "\n" << result.output;
  }
  Intake take(const std::string& id) {
    for (const HandedIn& one : find_submissions(folder_, {}))
      if (one.label == id) return take_in(one, parts_, unpacker_);
    ADD_FAILURE() << "no submission " << id;
    return {};
  }
  std::string source(const Intake& intake) { return intake.parts.at("01").source; }

  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_;
  Unpacker unpacker_;
};

}  // namespace roofline::grader
