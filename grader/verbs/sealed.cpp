// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/verbs/sealed.h"

#include "grader/base/file.h"

namespace roofline::grader {
namespace fs = std::filesystem;

bool has_sealed(const Chosen& part, const Paths& paths) {
  std::error_code ignored;
  return !part.lab->diagnosis.empty() && (fs::is_directory(part.solutions(paths) / kSealedFolder, ignored) ||
                                          fs::is_directory(part.folder(paths) / kSealedFolder, ignored));
}

std::vector<SealedProgram> sealed_of(const Chosen& part, const Paths& paths) {
  return sealed_programs(part.solutions(paths) / kSealedFolder, part.folder(paths) / kSealedFolder,
                         paths.cache());
}

std::vector<CourseFile> sealed_files(const std::vector<Chosen>& parts, const Paths& paths) {
  std::vector<CourseFile> files;
  const Lab* before = nullptr;
  for (const Chosen& part : parts) {
    if (part.lab == before || !has_sealed(part, paths)) continue;
    before = part.lab;
    for (const SealedProgram& program : sealed_of(part, paths))
      files.push_back(
          {.name = fs::path("labs") / part.lab->folder / kSealedFolder / (program.name + kSealedSuffix),
           .bytes = read_file(program.object)});
  }
  return files;
}

}  // namespace roofline::grader
