// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What `./lab watch` says of wrong submissions within its seconds: those whose fault is no matter of time
// must not be called right.
#include <gtest/gtest.h>

#include <algorithm>

#include "grader/judge/workbench.h"
#include "grader/lab/selection.h"
#include "grader/lab/submission_file.h"

namespace roofline::grader {
namespace {

struct Watched {
  const char* part;
  const char* file;  ///< below the lab's wrong/; empty: the solution, which must be called right
};

void PrintTo(const Watched& one, std::ostream* out) { *out << one.part << " " << one.file; }

class WatchSubmissions : public testing::TestWithParam<Watched> {};

TEST_P(WatchSubmissions, AreToldFromTheSolution) {
  const Paths paths = Paths::find();
  Workbench workbench(paths, "sim");
  const std::vector<Lab> labs = all_labs();
  const Chosen part = select(labs, {GetParam().part}).front();
  const bool solution = *GetParam().file == '\0';
  const auto file = solution ? part.solution(paths) : part.versions(paths, "wrong") / GetParam().file;
  const Result result =
      workbench.check(part, {.source = solution ? file : submission_source(file, paths), .prediction = {}});
  std::string said;
  for (const Check& check : result.checks)
    if (check.verdict == Verdict::kFail) said += check.id + ": " + check.message + "\n";
  const bool timed = !part.part->goals.empty() || !part.part->sweeps.empty() ||
                     !part.part->overlaps.empty() || !part.part->qualities.empty();
  if (solution)
    EXPECT_TRUE(timed ? right_not_timed(result) : result.verdict == Verdict::kPass) << said;
  else
    EXPECT_EQ(result.verdict, Verdict::kFail) << "called right in a hurry";
}

INSTANTIATE_TEST_SUITE_P(
    Labs, WatchSubmissions,
    testing::Values(
        // Swapping starts beyond four layers, and each case of it takes a while.
        Watched{"06b", "no-wait-for-departure.patch"}, Watched{"06b", "no-wait-for-layer.patch"},
        Watched{"06b", "no-wait-for-return.patch"}, Watched{"06b", "no-wait-for-room.patch"},
        Watched{"06b", "wrong-way.patch"}, Watched{"06b", "keep-all.patch"}, Watched{"06b", ""},
        // Four layers fit as they are.
        Watched{"06a", "keep-all.patch"}, Watched{"06a", "never-released.patch"},
        Watched{"06a", "other-mask.patch"}, Watched{"06a", ""},
        // What no value shows.
        Watched{"04", "default-stream.patch"}, Watched{"04", "last-wait.patch"},
        Watched{"04", "no-barrier.patch"}, Watched{"04", "transposed-b.patch"},
        Watched{"04", "multiples-of-16.patch"}, Watched{"04", ""},
        // Buffers that are used again.
        Watched{"09b", "decoded-too-early.patch"}, Watched{"09b", "last-batch-dropped.patch"},
        Watched{"09b", "no-wait-for-step.patch"}, Watched{"09b", ""},
        Watched{"09c", "given-back-too-early.patch"}, Watched{"09c", "last-batch-dropped.patch"},
        Watched{"09c", "ready-first.patch"}, Watched{"09c", ""},
        // What only a step with an overflow shows, and what only tensors of odd sizes do.
        Watched{"12a", "partial-overflow.patch"}, Watched{"12a", "nan-missed.patch"},
        Watched{"12a", "not-in-a-row.patch"}, Watched{"12a", "never-grows.patch"},
        Watched{"12a", "tail-not-updated.patch"}, Watched{"12a", ""},
        // Steps, edges and the mask.
        Watched{"11", "no-barrier.patch"}, Watched{"11", "no-tail.patch"},
        Watched{"11", "causal-one-more.patch"}, Watched{"11", "sum-not-rescaled.patch"}, Watched{"11", ""},
        // Chunks, neighbours and their events.
        Watched{"13a", "remainder-forgotten.patch"}, Watched{"13a", "no-event.patch"},
        Watched{"13a", "each-in-its-order.cu"}, Watched{"13a", ""},
        // Buckets, and what waits for whom.
        Watched{"13b", "last-bucket-forgotten.patch"}, Watched{"13b", "no-wait-at-the-end.patch"},
        Watched{"13b", ""},
        // One bug each.
        Watched{"14b", "always-copied.patch"}, Watched{"14d", "guard-alone.patch"},
        Watched{"14e", "warps-in-step.patch"}, Watched{"14f", "second-barrier-gone.patch"},
        Watched{"14h", "recorded-too-early.patch"}, Watched{"14h", ""},
        // Data that change, and what a step leaves for the next one.
        Watched{"15", "stale-graph.patch"}, Watched{"15", "halves-forgotten.patch"},
        Watched{"15", "norm-one-mean.patch"}, Watched{"15", ""},
        // Two solvers.
        Watched{"05", "dt-of-all.patch"}, Watched{"05", "never-destroyed.patch"}, Watched{"05", ""},
        // Long rows, and caches of which a thread sees more than one step.
        Watched{"10a", "half-sums.patch"}, Watched{"10a", "one-digit.patch"}, Watched{"10a", ""},
        Watched{"10b", "not-rescaled.patch"}, Watched{"10b", "no-maximum.patch"}, Watched{"10b", ""},
        Watched{"10c", "scaled-after-exponential.patch"}, Watched{"10c", "unsigned-bytes.patch"},
        Watched{"10c", "scale-in-the-sum.patch"}, Watched{"10c", ""}),
    [](const auto& watched) {
      std::string name = std::string("Lab") + watched.param.part + "_" +
                         (*watched.param.file == '\0' ? "solution" : watched.param.file);
      name = name.substr(0, name.find('.'));
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace roofline::grader
