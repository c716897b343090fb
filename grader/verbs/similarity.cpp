// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/similarity.h"

#include <cstdio>

#include "grader/base/file.h"
#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// Of the class, "lab-04": what people of earlier terms are called after.
std::string name_of_class(const fs::path& folder) {
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

ClassSources class_in(const fs::path& given) {
  return read_class_sources({fs::absolute(given).lexically_normal()});
}

/// The first pair, in a line.
void print_part(const ClassSimilarity& similarity, const PartSimilarity& part) {
  std::printf("  %-9s %s\n", part.part.c_str(), usual_similarity(part).c_str());
  if (part.comparison.pairs.empty() || part.comparison.pairs[0].both == 0) return;
  const Likeness& first = part.comparison.pairs[0];
  const auto who = [&](std::size_t work) {
    return printable(similarity.people[part.works[work].people[0]].id);
  };
  std::printf("            most unusual: %s and %s with %s in common\n", who(first.a).c_str(),
              who(first.b).c_str(), percent_text(first.both).c_str());
}

}  // namespace

int similarity_verb(const Paths& paths, const SimilarityRequest& request) {
  const std::vector<Lab>& labs = all_labs();
  const std::vector<Chosen> parts = request.labs.empty() ? all_parts(labs) : select(labs, request.labs);
  std::vector<ClassSources> classes;
  for (const fs::path& folder : request.classes) classes.push_back(class_in(folder));
  std::vector<std::pair<std::string, ClassSources>> earlier;
  for (const fs::path& folder : request.earlier)
    earlier.emplace_back(name_of_class(fs::absolute(folder).lexically_normal()), class_in(folder));
  const ClassSimilarity similarity = similarity_of(paths, classes, earlier, parts);
  std::error_code error;
  fs::create_directories(request.out, error);
  if (error) throw UsageError("cannot make " + request.out.string() + ": " + error.message());
  write_file(request.out / "similarity.html", similarity_page(similarity));
  write_file(request.out / "similarity.csv", similarity_csv(similarity));
  if (request.sources) write_layouts(paths, similarity, parts, request.out / "sources");
  for (const PartSimilarity& part : similarity.parts) print_part(similarity, part);
  std::printf("  page      %s\n  table     similarity.csv beside it%s\n",
              paths.shown(fs::absolute(request.out) / "similarity.html").c_str(),
              request.sources ? "; sources/README.txt says how MOSS and JPlag take the files" : "");
  std::printf("Similarity is no proof: read both programs, and talk with both people.\n");
  return 0;
}

}  // namespace roofline::grader
