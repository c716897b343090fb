// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "grader/batch/task.h"

namespace roofline::grader {

/// A file that was handed in for a part, and by whom: several, if all of them handed in these bytes.
struct ClassSource {
  std::string part;  ///< "03c"
  std::string text;
  std::vector<std::string> people;  ///< as the class's tables call them: anonymous, if those are
};
struct ClassSources {
  std::map<std::string, std::string> people;  ///< id -> name, which may be empty
  std::vector<ClassSource> sources;           ///< by part, then by people; of every submission
};

/// What `./lab batch` keeps of a class's files. Who is no longer in the class is in none of it. Throws
/// UsageError where the folder is no graded class.
ClassSources read_class_sources(const BatchFolder& folder);

}  // namespace roofline::grader
