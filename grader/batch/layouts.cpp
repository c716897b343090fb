// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The layout that other programs for the same purpose take: a folder a person, and one of what was given.
#include <algorithm>
#include <map>

#include "grader/base/file.h"
#include "grader/batch/similarity.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// pointwise.cu, or of several submissions pointwise-1.cu, pointwise-2.cu.
std::string numbered(const std::string& file, std::size_t number, std::size_t of) {
  const fs::path name(file);
  if (of == 1) return file;
  return name.stem().string() + "-" + std::to_string(number) + name.extension().string();
}

/// Whether the first person of a work is of an earlier class is the work's.
void write_people(const ClassSimilarity& similarity, const PartSimilarity& part, const fs::path& folder) {
  std::map<std::pair<bool, std::size_t>, std::vector<const Work*>> of;
  for (const Work& work : part.works)
    for (const std::size_t person : work.people) of[{work.earlier, person}].push_back(&work);
  for (const auto& [whose, works] : of) {
    std::string name = similarity.people[whose.second].id;
    std::ranges::replace(name, '/', '-');
    const fs::path place = folder / (whose.first ? "earlier" : "students") / name;
    std::size_t number = 0;
    for (const Work* work : works)
      write_file(place / numbered(part.file, ++number, works.size()), work->code.text);
  }
}

std::string how_to(const PartSimilarity& part, bool earlier, const std::string& base) {
  const std::string& id = part.part;
  return "MOSS, which uploads the files to Stanford:\n  moss -l cc -d -b " + id + "/base/" + base + " " + id +
         "/students/*/*.cu" + (earlier ? " " + id + "/earlier/*/*.cu" : "") +
         "\nJPlag, which runs here; -l text where its C++ parser refuses a kernel launch:\n  java -jar "
         "jplag.jar -l cpp -p .cu,.h -bc " +
         id + "/base " + (earlier ? "-old " + id + "/earlier -new " : "") + id + "/students\n\n";
}

}  // namespace

void write_layouts(const Paths& paths, const ClassSimilarity& similarity, const std::vector<Chosen>& parts,
                   const fs::path& folder) {
  std::string text;
  for (const PartSimilarity& part : similarity.parts) {
    const auto chosen = std::ranges::find(parts, part.part, &Chosen::id);
    if (chosen == parts.end()) continue;
    std::error_code error;
    for (const char* ours : {"base", "students", "earlier"})  // who is no longer in the class goes
      fs::remove_all(folder / part.part / ours, error);
    for (const GivenFile& file : given_files(paths, *chosen))
      write_file(folder / part.part / "base" / file.name, file.text);
    write_people(similarity, part, folder / part.part);
    const bool earlier = std::ranges::any_of(part.works, &Work::earlier);
    text += how_to(part, earlier, part.file);
  }
  write_file(folder / "README.txt",
             "One folder a person; `base` is what everybody was given. In this folder:\n\n" + text);
}

}  // namespace roofline::grader
