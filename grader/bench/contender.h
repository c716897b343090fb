// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "grader/lab/selection.h"

namespace roofline::grader {

/// One version of a part's work, for `./lab bench`.
struct Contender {
  enum class Kind {
    kNaive,     ///< a file of wrong/ that is right, but too slow
    kRung,      ///< of variants/
    kSolution,  ///< the reference solution
    kYours,     ///< the learner's file
    kInstead    ///< of instead/: what one would take instead of writing a kernel
  };
  Kind kind = Kind::kYours;
  std::string name;                    ///< for people: "one kernel an operation"
  std::string id;                      ///< for data: "kernel-per-node"
  std::filesystem::path source;        ///< to compile: of a patch what it makes
  bool needs_gpu = false;              ///< a vendor's library that no simulated device runs
  bool checked = true;                 ///< false: it does not compute the result ("copies, computes nothing")
  std::vector<std::string> libraries;  ///< to link: "cublas"
  std::vector<std::pair<std::string, double>> simulated;  ///< settings that replace the part's in simulation
};
std::string_view name_of(Contender::Kind kind);  ///< "naive", "rung", "solution", "yours", "instead"

/// What a source says of itself at its beginning, a patch behind "# ":
///
///     // bench: device-to-device cudaMemcpyAsync    its name; makes a wrong submission the naive version
///     // needs: gpu                                 not run on a simulated device
///     // not checked: it computes nothing
///     // link: cublas
///     // simulated: k=512                           a smaller size where it would take minutes to simulate
struct BenchDirectives {
  std::string name;
  bool needs_gpu = false, checked = true;
  std::vector<std::string> libraries;
  std::vector<std::pair<std::string, double>> simulated;
};
/// Throws std::invalid_argument for a size that is no number.
BenchDirectives bench_directives(const std::string& text);

/// The versions of a part that there are, in this order: naive, rungs, solution, yours, instead. Without
/// solutions/ (a course's repository) it is the learner's file alone.
std::vector<Contender> contenders_of(const Chosen& chosen, const Paths& paths);

}  // namespace roofline::grader
