// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/result/result.h"

/// From the one internal result to the files that other tools read. A format is one file here and one line of
/// the list in formats.cpp.
namespace roofline::grader {

/// One submission with its results, one a part, and what a class adds to them.
struct Graded {
  std::string id;           ///< names its files: "ada"; empty for a learner's own grade
  std::string name, email;  ///< from the roster, where there is one
  std::string section{};    ///< of the course; empty: none
  std::vector<Result> results;
  double factor = 1;            ///< what the late policy leaves of the points
  std::string remark;           ///< goes with the grade: "2 days late: 80 %"
  std::string comment{};        ///< a person's, for the student; empty: none
  std::optional<double> set{};  ///< the grade that a person gave instead
  std::string held;  ///< for a person to look at before the grade is final: "01/bandwidth: impossible"

  bool in_roster = true;  ///< false: there is a roster of the class, and nobody in it is this one

  std::string handed_in;        ///< "2026-11-20T23:59:00Z"; empty: not known
  double days_late = 0;         ///< that have begun
  std::size_t submissions = 1;  ///< of this student: the best of them is this one

  double raw_points() const;  ///< what the submission earned, before the late policy
  double points() const;  ///< the grade, two digits: what a person set, or raw_points with the late policy
  double max_points() const;
  bool not_reached() const;  ///< a part was not graded before the class had to end: there are no points yet
  Verdict verdict() const;   ///< error, then fail, noisy, skipped: the first that any part has
};

struct FormatOptions {
  std::filesystem::path root{};  ///< of the checkout: names of files are written relative to it
  std::string column{};          ///< of the gradebook, to be filled; empty: the only assignment there is
  std::string gradebook{};       ///< text of the gradebook that the platform exported
  std::vector<Graded> absent{};  ///< who handed in nothing: no results
  std::function<void(const std::string&)> note{};  ///< told what a person should look at
};

struct Format {
  enum class Of { kSubmission, kClass };  ///< a file a submission, or one for all of them

  std::string name;  ///< what --format says
  std::string what;  ///< one line, for --help
  std::string file;  ///< "results.json": name, or ending, of the file
  Of of = Of::kSubmission;
  bool fills_gradebook = false;  ///< that a platform exported: FormatOptions::gradebook
  bool names_people = false;     ///< must know who a student is: refused where the course file says anonymous
  /// A class has several entries, a submission one. Throws UsageError.
  std::string (*text)(const std::vector<Graded>& graded, const FormatOptions& options) = nullptr;
};

const std::vector<Format>& formats();
/// Throws UsageError that names what there is.
const Format& format_named(const std::string& name);

/// Every format into `folder`: of a class `FILE`, of a submission `NAME/ID.ENDING`. Returns what was written.
std::vector<std::filesystem::path> write_formats(const std::vector<std::string>& names,
                                                 const std::vector<Graded>& graded,
                                                 const std::filesystem::path& folder,
                                                 const FormatOptions& options = {});

/// What the formats share.
std::string decimal(double value);  ///< at most two digits after the point, none that say nothing: "12.5"
/// "passed", "skipped" or the class: "wrong-answer".
std::string outcome(const Check& check);
/// Where the points of a result come from; one line for all of them where nobody said.
std::vector<ScoreLine> score_lines(const Result& result);
/// A learner's text as one line of at most `limit` bytes.
std::string one_line(const std::string& text, size_t limit = 300);
/// JSON text of at most `limit` bytes a string.
std::string shortened(const std::string& text, size_t limit = 16384);

}  // namespace roofline::grader
