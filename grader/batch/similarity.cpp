// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/similarity.h"

#include <algorithm>

#include "grader/base/file.h"
#include "grader/lab/skeleton.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// Files of a folder with this ending, by name.
std::vector<fs::path> files_in(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ending) files.push_back(it->path());
  std::ranges::sort(files);
  return files;
}

GivenCode given_code(const Paths& paths, const Chosen& part) {
  GivenCode given;
  for (const GivenFile& file : given_files(paths, part)) given.add(file.text);
  const fs::path folder = part.folder(paths);
  for (const fs::path& file : files_in(folder / "experiments", ".cu")) given.add(read_file(file));
  std::error_code ignored;
  for (const fs::path& page :
       {folder / part.lab->theory, folder / part.lab->hints, paths.root / "docs" / "cuda-basics.md"})
    if (fs::exists(page, ignored)) given.add(code_of_page(read_file(page)));
  return given;
}

class People {
 public:
  explicit People(std::vector<SimilarPerson>& all) : all_(all) {}
  std::size_t number_of(const SimilarPerson& person) {
    const auto known = std::ranges::find(all_, person.id, &SimilarPerson::id);
    if (known != all_.end()) return static_cast<std::size_t>(known - all_.begin());
    all_.push_back(person);
    return all_.size() - 1;
  }

 private:
  std::vector<SimilarPerson>& all_;
};

/// The same bytes from another class are one program.
void add_sources(std::vector<Work>& works, const ClassSources& one, const std::string& part,
                 const std::string& earlier, const GivenCode& given, People people) {
  for (const ClassSource& source : one.sources) {
    if (source.part != part) continue;
    std::vector<std::size_t> whose;
    for (const std::string& id : source.people) {
      const std::string before = earlier.empty() ? "" : earlier + "/";
      whose.push_back(people.number_of({before + id, one.people.at(id)}));
    }
    const auto known = std::ranges::find_if(works, [&](const Work& work) {
      return work.earlier == !earlier.empty() && work.code.text == source.text;
    });
    if (known == works.end()) {
      works.push_back({read_code(source.text, given), whose, !earlier.empty()});
      continue;
    }
    for (const std::size_t person : whose)
      if (std::ranges::find(known->people, person) == known->people.end()) known->people.push_back(person);
  }
}

}  // namespace

std::vector<GivenFile> given_files(const Paths& paths, const Chosen& part) {
  std::vector<GivenFile> given;
  if (const auto skeleton = find_skeleton(paths.root, paths.state, part.file(paths)))
    given.push_back({part.part->program.source, skeleton->text});
  for (const fs::path& header : files_in(part.folder(paths), ".h"))
    given.push_back({header.filename().string(), read_file(header)});
  return given;
}

ClassSimilarity similarity_of(const Paths& paths, const std::vector<ClassSources>& classes,
                              const std::vector<std::pair<std::string, ClassSources>>& earlier,
                              const std::vector<Chosen>& parts) {
  ClassSimilarity all;
  for (const Chosen& chosen : parts) {
    if (chosen.part->about_sealed) continue;  // tables of the same words: all are alike
    PartSimilarity part{.part = chosen.id(),
                        .title = chosen.title(),
                        .file = chosen.part->program.source,
                        .works = {},
                        .comparison = {}};
    const GivenCode given = given_code(paths, chosen);
    for (const ClassSources& one : classes)
      add_sources(part.works, one, part.part, "", given, People(all.people));
    if (part.works.empty()) continue;
    for (const auto& [name, one] : earlier)
      add_sources(part.works, one, part.part, name, given, People(all.people));
    part.comparison = compare(part.works);
    all.parts.push_back(std::move(part));
  }
  if (all.parts.empty())
    throw UsageError("nobody handed in a file of these labs: there is nothing to compare");
  return all;
}

}  // namespace roofline::grader
