// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/batch/class_sources.h"
#include "grader/lab/selection.h"
#include "grader/similarity/compare.h"

/// Who of a class handed in similar programs.
namespace roofline::grader {

struct SimilarPerson {
  std::string id, name;
  bool operator==(const SimilarPerson&) const = default;
};

/// A part of a lab: its programs are compared with each other.
struct PartSimilarity {
  std::string part, title, file;  ///< "03c", its title, "compiler.cu"
  std::vector<Work> works;        ///< Work::people are indices of ClassSimilarity::people
  ClassComparison comparison;
};
struct ClassSimilarity {
  std::vector<SimilarPerson> people;
  std::vector<PartSimilarity> parts;
};

/// `classes` as one, and with them `earlier` ones, whose people are called after their class: the names come
/// first in the pairs. Throws UsageError where there is nothing to compare.
ClassSimilarity similarity_of(const Paths& paths, const std::vector<ClassSources>& classes,
                              const std::vector<std::pair<std::string, ClassSources>>& earlier,
                              const std::vector<Chosen>& parts);

/// What everybody has of a part, as files: the skeleton first, then the headers of the lab.
struct GivenFile {
  std::string name, text;
};
std::vector<GivenFile> given_files(const Paths& paths, const Chosen& part);

/// A sentence: how similar any two programs of the part are.
std::string usual_similarity(const PartSimilarity& part);

/// A page that needs nothing else.
std::string similarity_page(const ClassSimilarity& similarity);
/// A row for each pair of each part, the most unusual first; at most kMostRows for each part.
std::string similarity_csv(const ClassSimilarity& similarity);
constexpr std::size_t kMostRows = 10'000;

/// The programs in the layout that MOSS and JPlag take, below `folder`: for each part a folder `base` and one
/// folder a person. Throws std::runtime_error that names what cannot be written.
void write_layouts(const Paths& paths, const ClassSimilarity& similarity, const std::vector<Chosen>& parts,
                   const std::filesystem::path& folder);

}  // namespace roofline::grader
