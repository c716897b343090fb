// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/batch/class_setup.h"
#include "grader/box/box.h"

namespace roofline::grader {

struct BatchRequest : ClassFiles {
  std::filesystem::path folder;  ///< what was handed in; with `task`, the out folder
  std::filesystem::path out;
  std::string device = "auto";
  unsigned jobs = 0;  ///< 0: a task for each core, or each GPU
  Sandbox sandbox = Sandbox::kNamespaces;
  std::string executor = "local";
  std::vector<std::string> formats;
  std::string ceiling, budget;  ///< "2h", "5 min" (grader/batch/ceiling.h); empty: what the course file says
  std::vector<std::string> regrade;  ///< students whose submissions are run again
  std::string purge;                 ///< a student's id, or "all": deleted instead of graded
  bool rescore = false, fresh = false;
  bool yes = false;  ///< go on though something looks wrong (grader/batch/doubts.h)
  std::string partition, memory = "4G", time = "01:00:00";  ///< Slurm's
  std::string task;  ///< not for people: one task of a class, in a process of its own
  int gpu = -1;      ///< for it
};
/// `--purge`: says what it would delete; with `yes` deletes it.
int purge_class(const Paths& paths, const BatchRequest& request);
/// Grades a class. 0: every submission has a verdict; 3: one has none, for no fault of a student.
int batch_verb(const Paths& paths, const BatchRequest& request);

}  // namespace roofline::grader
