// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/box/box.h"

/// One function a verb of the command line; each stands in a file of its name and returns the exit status:
/// 0 everything asked for passed, 1 something did not, 2 wrong usage (UsageError), 3 no verdict (other
/// exceptions).
namespace roofline::grader {

struct GradeRequest {
  std::vector<std::string> labs;  ///< empty: the current one
  bool solution = false;
  bool quick = false;                ///< fewer and smaller measurements, no medal; kept nowhere
  bool compile = false;              ///< nothing else
  std::filesystem::path file;        ///< empty: the lab's own
  std::filesystem::path submission;  ///< folder in which somebody's files lie; empty: none
  std::filesystem::path hidden;      ///< an instructor's cases (grader/lab/hidden.h); empty: none
  std::string device = "auto";
  std::filesystem::path json;  ///< empty: none; "-": standard output, and the text goes to standard error
  std::uint64_t seed = 0;      ///< 0: drawn
  Sandbox sandbox = Sandbox::kNone;
  std::vector<std::string> formats;  ///< "NAME=FILE", or "NAME" for standard output
};
int grade_verb(const Paths& paths, const GradeRequest& request);

struct WatchRequest {
  std::string lab;  ///< empty: the current one
  std::string device = "auto";
};
/// Checks the learner's file whenever it is saved, until a key or a signal ends it.
int watch_verb(const Paths& paths, const WatchRequest& request);

/// No verb: progress, the current lab, three commands.
int status_verb(const Paths& paths);
int list_verb(const Paths& paths);
int next_verb(const Paths& paths);
/// `more`: what brings the next hint, where it is not `./lab hint`.
int hint_verb(const Paths& paths, const std::string& lab, bool all, const std::string& more = "");
int reset_verb(const Paths& paths, const std::string& lab);
/// The copy of the course becomes a newer edition: `given` is its folder or archive; empty: finish an upgrade
/// that was interrupted.
int upgrade_verb(const Paths& paths, const std::filesystem::path& given);
int doctor_verb(const Paths& paths);
struct BenchRequest {
  std::vector<std::string> labs;  ///< empty: the current one
  std::string device = "auto";
  bool table = false;          ///< no doubling test behind the table
  std::filesystem::path json;  ///< Google Benchmark's file; empty: none
  std::string only;            ///< regular expression: only versions whose id ("04/product/solution") matches
  std::filesystem::path figures;  ///< folder for the figures; empty: results/
  std::filesystem::path trace;    ///< folder for a Chrome trace of each version; empty: none
};
int bench_verb(const Paths& paths, const BenchRequest& request);
struct ReportRequest {
  std::vector<std::string> labs;  ///< empty: all
  std::filesystem::path html;     ///< empty: results/report.html
  std::filesystem::path of;       ///< a result file to draw, instead of the learner's attempts
  std::string open = "auto";      ///< in a browser: auto, yes, no
};
int report_verb(const Paths& paths, const ReportRequest& request);

struct QuizRequest {
  std::string lab;             ///< empty: the current one
  std::uint64_t seed = 0;      ///< 0: drawn
  std::filesystem::path json;  ///< answers and what was right; empty: none
};
/// Five questions about a lab, answered on standard input; 0 when all are right, else 1.
int quiz_verb(const Paths& paths, const QuizRequest& request);

/// The lab's broken kernels: each runs with its counters, and the learner says what is wrong with it. 0 when
/// all answers are right, else 1.
int broken_verb(const Paths& paths, const std::string& lab);

struct DiagnoseRequest {
  std::string lab;             ///< empty: the one that has programs without source
  std::filesystem::path file;  ///< answers to judge, somebody else's; empty: the lab's diagnosis.toml
  std::uint64_t draw = 0;      ///< of the programs; 0: the learner's own, or the file's
  std::filesystem::path json;  ///< empty: none
};
/// Gives the learner programs without source, and judges what the answers say that each of them waits for; 0
/// when enough are right.
int diagnose_verb(const Paths& paths, const DiagnoseRequest& request);

struct RoofsRequest {
  std::string device = "auto";
  std::filesystem::path json;  ///< the values as data; empty: none
};
int roofs_verb(const Paths& paths, const RoofsRequest& request);

struct ExportRequest {
  std::string audience;             ///< "students": a course repository
  std::string format;               ///< of grader/formats
  std::filesystem::path from, out;  ///< results to read; file or folder to write, empty: standard output
  std::filesystem::path gradebook;  ///< that the platform exported
  std::string column;               ///< of the gradebook, to be filled
  std::filesystem::path hidden;     ///< an instructor's cases, for an autograder
  std::vector<std::string> labs;    ///< what a course repository or an autograder is about; empty: all
  std::filesystem::path course;     ///< course file: hints of an exam's labs stay at home
  bool ladders = false;             ///< a course repository holds slower versions and answers
  bool yes = false;                 ///< files that no lab has by its form go out, too
  std::string version;              ///< of the project, for the edition and the wheel
  bool built = false;               ///< a course repository or an autograder brings its programs along
  std::filesystem::path simulator;  ///< folder for the simulator on its own; empty: none
};
int export_verb(const Paths& paths, const ExportRequest& request);

struct SyllabusRequest {
  std::filesystem::path course;  ///< the course file
  std::filesystem::path out;     ///< empty: standard output
};
/// Checks a course file and prints what it promises students.
int syllabus_verb(const Paths& paths, const SyllabusRequest& request);

/// Makes the folders of a new lab, "16-scale".
int new_verb(const Paths& paths, const std::string& folder);

struct StatisticsRequest {
  std::vector<std::filesystem::path> classes;  ///< folders that ./lab batch wrote
  std::filesystem::path out = "statistics";
};
int statistics_verb(const Paths& paths, const StatisticsRequest& request);

struct SimilarityRequest {
  std::vector<std::filesystem::path> classes;  ///< folders that ./lab batch wrote
  std::vector<std::filesystem::path>
      earlier;                    ///< the same of other terms: compared with, not among themselves
  std::vector<std::string> labs;  ///< empty: all that the classes hold
  std::filesystem::path out = "similarity";
  bool sources = false;  ///< the files, too, as MOSS and JPlag take them
};
/// Which programs of a class resemble each other.
int similarity_verb(const Paths& paths, const SimilarityRequest& request);

struct AuthorCheckRequest {
  std::vector<std::string> labs;  ///< empty: all
  std::string device = "sim";
  std::string only;  ///< only submissions whose path contains this
};
int author_check_verb(const Paths& paths, const AuthorCheckRequest& request);

struct ExamRequest {
  std::vector<std::string> labs;  ///< empty: all
  std::uint64_t seed = 0;         ///< 0: drawn
  bool key = false;               ///< with the answers
  std::filesystem::path out;      ///< empty: standard output
};
/// An exam with drawn numbers, or its answer key.
int exam_verb(const Paths& paths, const ExamRequest& request);

}  // namespace roofline::grader
