// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "grader/result/result.h"

namespace roofline::grader {

/// What the learner has reached so far: `.lab/progress.json`, small and readable.
struct LabProgress {
  unsigned attempts = 0;       ///< grades of the learner's own file
  bool passed = false;         ///< ever
  Medal medal = Medal::kNone;  ///< the best
  double points = 0;           ///< the best
  double fraction = 0;         ///< of the roof that decides the best medal
  std::string device;          ///< on which the best was reached
  std::string last;            ///< verdict and class of the last attempt
  std::string when;            ///< of the last attempt
  unsigned hints = 0;          ///< hints shown
};

class ProgressFile {
 public:
  /// A missing file is an empty one; one that cannot be read is put aside as progress.json.bad, and said on
  /// stderr.
  explicit ProgressFile(std::filesystem::path path);
  LabProgress at(const std::string& part_id) const;
  void record(const Result& result);
  void set_hints(const std::string& part_id, unsigned shown);
  void forget_hints(const std::string& part_id) { set_hints(part_id, 0); }

 private:
  void save() const;
  std::filesystem::path path_;
  std::map<std::string, LabProgress> labs_;
};

}  // namespace roofline::grader
