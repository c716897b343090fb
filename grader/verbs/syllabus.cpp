// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/syllabus.h"

#include <cstdio>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/lab/hidden.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {

int syllabus_verb(const Paths&, const SyllabusRequest& request) {
  const Course course = Course::read(request.course);
  const std::vector<Lab>& labs = all_labs();
  for (const auto& [part, rules] : course.labs)  // a mistake shows before the term
    if (!rules.hidden.empty()) {
      std::vector<Lab> fresh = all_labs();
      add_hidden(fresh, rules.hidden, 0);
    }
  std::vector<Chosen> parts = all_parts(labs);
  if (!course.labs.empty() || course.exam)
    std::erase_if(parts, [&](const Chosen& part) {
      return !course.labs.contains(part.id()) && course.exam_of({part.id()}) == nullptr;
    });
  const std::string text = syllabus(course, parts);
  if (request.out.empty()) {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  require_place(request.out);
  write_file(request.out, text);
  std::printf("%s\n", request.out.c_str());
  return 0;
}

}  // namespace roofline::grader
