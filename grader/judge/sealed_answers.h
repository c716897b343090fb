// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/build/sealed.h"
#include "grader/judge/diagnosis.h"
#include "grader/lab/selection.h"

/// A lab's sealed programs as they are drawn for one learner, and what answers about them come to.
namespace roofline::grader {

/// The sealed programs of a part that asks about some: compiled from the sources among its solutions, or the
/// objects of a course repository. Throws UsageError where there are none.
std::vector<SealedProgram> sealed_of(const Chosen& part, const Paths& paths);

/// What is to be judged, and how.
struct Answers {
  std::string text, name;        ///< of the file, and what messages call it
  std::uint64_t draw = 0;        ///< of the programs that the answers must be about; 0: the file says it
  std::filesystem::path folder;  ///< where the programs are written: 01, 02 ...
  std::function<void(const Check&)> on_check{};  ///< called for each program once it is judged
};

/// Writes the programs of the draw and runs each as often as its answer needs: points for each that is
/// right, a pass for kDiagnosed of them. The first check says whether there are answers at all: not in a file
/// that is none, that is as it was handed out, or that says the same word of every program.
Result judge_answers(const Chosen& part, const Answers& answers, const std::vector<SealedProgram>& sealed,
                     const Paths& paths, const DeviceRecord& device);

/// That first check alone.
Check answered(const std::string& text, const std::string& name, unsigned count);

}  // namespace roofline::grader
