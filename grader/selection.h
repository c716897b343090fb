// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grader/paths.h"
#include "grader/spec.h"

namespace roofline::grader {

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
};

/// Every part of every lab, in order.
std::vector<Chosen> all_parts(const std::vector<Lab>& labs);

/// What `words` name: a number (`1`, `01`), a number with a part (`03c`), a name (`pointwise`), a folder
/// (`01-pointwise`, `labs/01-pointwise/`) or `all`; a lab without a letter means all its parts. Each part
/// once, in the order named. Throws UsageError with the labs there are and the closest one.
std::vector<Chosen> select(const std::vector<Lab>& labs, const std::vector<std::string>& words);

/// The one of `known` with the fewest changed characters; empty when none is near.
std::string closest(const std::string& word, const std::vector<std::string>& known);

}  // namespace roofline::grader
