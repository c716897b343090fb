// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grader/learner/progress_file.h"
#include "grader/result/result.h"
#include "grader/text/terminal.h"

/// Every grade of the learner's own file is kept, so that the ladder of one's own versions can be drawn:
/// `.lab/attempts/<part id>/<UTC yyyymmddThhmmss>-<first 8 of the source's SHA-256>.json` is the result
/// (lab/result/v1), the `.cu` of the same name the source as it was graded.
namespace roofline::grader {

struct Attempt {
  Result result;                 ///< as lab/result/v1 keeps it (grader/formats/read_json.h)
  std::string source;            ///< the graded file; empty where it was not kept
  std::filesystem::path file{};  ///< of the result; empty where it is not from there
  /// Performance was measured or modelled: it has a rung on the ladder.
  bool timed() const;
};

/// `root` is Paths::state everywhere here. Keeps 300 attempts a part; beyond them the oldest go, those
/// without times first, and never the best. Throws std::runtime_error where it cannot write.
void keep_attempt(const std::filesystem::path& root, const Result& result, std::string_view source);

/// Oldest first. Files that cannot be read are left out.
std::vector<Attempt> attempts_of(const std::filesystem::path& root, const std::string& part);
/// Whether any was kept; none is read for it.
bool has_attempts(const std::filesystem::path& root, const std::string& part);

/// Whether `a` is worth more than `b`: passed, then the medal, then points, then fractions of the roofs.
bool better(const Result& a, const Result& b);
/// The best on the device of `like` (simulated and real ones are never compared), nullptr where there is
/// none.
const Attempt* best_of(const std::vector<Attempt>& attempts, const DeviceRecord& like);
/// The last on that device; `timed`: the last that has times.
const Attempt* last_of(const std::vector<Attempt>& attempts, const DeviceRecord& like, bool timed = false);

/// What changed against the last and the best of `before`: a small table, empty for a first attempt.
std::string change_text(const Result& now, const std::vector<Attempt>& before, const Terminal& terminal);

/// After a grade of the learner's own file: counts it, keeps it (unless a fault of ours left no verdict, or
/// the file changed meanwhile), adds it to `attempts`, those before it, and returns change_text. A disk that
/// is full is said on stderr and costs no verdict.
std::string remember(const std::filesystem::path& root, ProgressFile& progress,
                     std::vector<Attempt>& attempts, const Result& result, std::string_view source,
                     const Terminal& terminal);

}  // namespace roofline::grader
