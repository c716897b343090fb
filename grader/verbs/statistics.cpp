// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <set>

#include "grader/base/file.h"
#include "grader/batch/statistics_page.h"
#include "grader/formats/json.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;

int statistics_verb(const Paths& paths, const StatisticsRequest& request) {
  std::vector<GradedClass> classes;
  std::set<std::string> names;
  for (const fs::path& given : request.classes) {
    const fs::path folder = fs::absolute(given).lexically_normal();
    const std::string name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    if (!names.insert(name).second)
      throw UsageError("two classes are called " + name + ": a column for each needs names that differ");
    std::error_code ignored;
    if (!fs::is_directory(folder / "results", ignored))
      throw UsageError(given.string() + " is no class that ./lab batch graded: it has no folder results");
    classes.push_back({name, read_graded_folder(folder / "results")});
  }
  std::error_code error;
  fs::create_directories(request.out, error);
  if (error) throw UsageError("cannot make " + request.out.string() + ": " + error.message());
  write_file(request.out / "statistics.csv", statistics_csv(classes));
  write_file(request.out / "checks.csv", checks_csv(classes));
  write_file(request.out / "grades.csv", grades_csv(classes));
  write_file(request.out / "statistics.html", statistics_page(classes));
  for (const StatisticsRow& row : statistics_rows(classes))
    if (row.section.empty())
      std::printf("  %-20s %4zu students, %zu passed, median %s %%, mean %s %%\n", row.name.c_str(),
                  row.spread.n, row.passed, decimal(row.spread.median).c_str(),
                  decimal(row.spread.mean).c_str());
  std::printf("  page      %s\n  tables    statistics.csv, checks.csv, grades.csv beside it\n",
              paths.shown(fs::absolute(request.out) / "statistics.html").c_str());
  return 0;
}

}  // namespace roofline::grader
