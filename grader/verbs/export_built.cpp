// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/verbs/export_built.h"

#include "grader/base/file.h"
#include "grader/handout/portable.h"
#include "grader/judge/workbench.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr const char* kDevice = "sim";

/// Objects that lie here already, marked as old: what is then used becomes new.
void lend_objects(const fs::path& from, const fs::path& to, fs::file_time_type old) {
  fs::create_directories(to);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(from, error)) {
    if (entry.path().extension() != ".o") continue;
    const fs::path copy = to / entry.path().filename();
    if (fs::copy_file(entry.path(), copy, fs::copy_options::overwrite_existing, error))
      fs::last_write_time(copy, old, error);
  }
}

/// Compiles and simulates as on a student's machine, which will find the same under the same names.
void fill_cache(const Paths& paths, const fs::path& built, const std::vector<Chosen>& parts) {
  Paths students;
  students.root = fs::canonical(built.parent_path() / "source");
  students.build = built;
  students.state = built.parent_path() / "state";
  fs::remove_all(students.state);
  const fs::file_time_type old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  lend_objects(paths.cache(), students.cache(), old);
  Workbench(students, kDevice).compile_all(parts);
  for (const auto& entry : fs::directory_iterator(students.cache()))
    if (entry.path().extension() == ".o" && entry.last_write_time() > old) {
      fs::create_directories(students.cache_that_came());
      fs::copy_file(entry.path(), students.cache_that_came() / entry.path().filename());
    }
  fs::copy(students.cache() / "roofs", students.cache_that_came() / "roofs");
}

}  // namespace

std::vector<CourseFile> built_files(const Paths& paths, const std::vector<CourseFile>& course,
                                    const std::vector<Chosen>& parts) {
  const fs::path built = build_portable(paths, course);
  fill_cache(paths, built, parts);
  std::vector<CourseFile> files = files_below(built, "built");
  // Objects, too, belong into the students' repository.
  for (const CourseFile& file : course)
    if (file.name == ".gitignore") {
      files.push_back(file);
      files.back().bytes += "!/built/**\n";
    }
  return files;
}

}  // namespace roofline::grader
