// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/verbs/sealed.h"

#include "grader/base/file.h"
#include "grader/judge/sealed_answers.h"

namespace roofline::grader {
namespace fs = std::filesystem;

std::vector<CourseFile> sealed_files(const std::vector<Chosen>& parts, const Paths& paths) {
  std::vector<CourseFile> files;
  for (const Chosen& part : parts) {
    if (!part.part->about_sealed) continue;
    for (const SealedProgram& program : sealed_of(part, paths))
      files.push_back(
          {.name = fs::path("labs") / part.lab->folder / kSealedFolder / (program.name + kSealedSuffix),
           .bytes = read_file(program.object)});
  }
  return files;
}

}  // namespace roofline::grader
