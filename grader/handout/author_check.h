// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/lab/selection.h"
#include "grader/result/result.h"

/// What a lab's folder must hold, and what its submissions must come to.
namespace roofline::grader {

/// The first line of a file in wrong/ or variants/: `// expect: CLASS WORDS`, of a patch `# expect: ...`. In
/// wrong/, CLASS is a class of verdict (`wrong-answer`) and every word must occur in the id or message of a
/// failed check; in variants/ it is a medal (`pass`, `good`, `excellent`), or `none` for a variant that is
/// correct and earns no medal. A further line `needs: gpu` skips it on simulated devices.
struct Expectation {
  std::string outcome;
  std::vector<std::string> words{};
  std::string needs{};  ///< device it makes sense on: "" any, "gpu", "sim:NAME"
};
/// Nothing when the first five lines hold no `expect:`.
std::optional<Expectation> parse_expectation(const std::string& text);

/// Empty when the folders are complete; else one sentence a fault: missing and stray files, hints, TODOs
/// without a line budget, submissions without an expectation, patches that do not apply.
std::vector<std::string> folder_faults(const Chosen& chosen, const Paths& paths);

/// Whether these checks refuse a wrong submission for its own reason, whatever else would fail.
bool is_refused(const Expectation& expected, const std::vector<Check>& checks);
/// Empty when a wrong submission was refused for its own reason.
std::string wrong_fault(const Expectation& expected, const Result& result);
/// Empty when a variant passed with the medal it names.
std::string variant_fault(const Expectation& expected, const Result& result);
/// Empty when the solution passed and clears `excellent` with margin: 5 points, or half of the
/// slack up to the roof where that is less.
std::string solution_fault(const Result& result);
/// Empty when the untouched skeleton was recognised as such; the file of a part that is to be repaired when
/// it was refused for a bug and earned nothing.
std::string skeleton_fault(const Result& result, bool repair = false);

}  // namespace roofline::grader
