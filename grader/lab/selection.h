// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/paths.h"
#include "grader/lab/spec.h"

namespace roofline::grader {

/// Below a lab's solutions: "wrong", of a part that has a letter "wrong/swap", after its file swap.cu.
std::filesystem::path versions_of(const Part& part, std::string_view kind);

/// What one `./lab grade` id names, with its files. Points into the list of labs that it was chosen from.
struct Chosen {
  const Lab* lab = nullptr;
  const Part* part = nullptr;

  std::string id() const { return lab->id_of(*part); }
  const std::string& title() const { return part->title.empty() ? lab->title : part->title; }
  std::filesystem::path folder(const Paths& paths) const { return paths.root / "labs" / lab->folder; }
  std::filesystem::path solutions(const Paths& paths) const { return paths.root / "solutions" / lab->folder; }
  /// The file that the learner edits.
  std::filesystem::path file(const Paths& paths) const { return folder(paths) / part->program.source; }
  std::filesystem::path solution(const Paths& paths) const { return solutions(paths) / part->program.source; }
  /// Versions of the part, `kind` being "wrong", "variants" or "instead": solutions/01-pointwise/wrong, in a
  /// lab with parts solutions/06-memory/wrong/swap.
  std::filesystem::path versions(const Paths& paths, std::string_view kind) const {
    return solutions(paths) / versions_of(*part, kind);
  }
};

/// Every part of every lab, in order.
std::vector<Chosen> all_parts(const std::vector<Lab>& labs);

/// What `words` name: a number (`1`, `01`), a number with a part (`03c`), a name (`pointwise`), a folder
/// (`01-pointwise`, `labs/01-pointwise/`), a part's file (`swap`, `swap.cu`) or `all`; a lab without a letter
/// means all its parts. Each part
/// once, in the order named. Throws UsageError with the labs there are and the closest one.
std::vector<Chosen> select(const std::vector<Lab>& labs, const std::vector<std::string>& words);

}  // namespace roofline::grader
