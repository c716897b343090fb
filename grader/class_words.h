// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "grader/verb_words.h"
#include "grader/verbs/batch.h"
#include "grader/verbs/verbs.h"

/// The words of what an instructor does with a class. Functions in a header, so that CLI11 is compiled once a
/// program.
namespace roofline::grader {

class ClassWords {
 public:
  ClassWords() = default;
  ClassWords(const ClassWords&) = delete;  // the parser writes into the members below
  ClassWords& operator=(const ClassWords&) = delete;

  void add_to(VerbWords& verbs) {
    add_batch(verbs);
    add_syllabus(verbs);
    add_new(verbs);
    add_statistics(verbs);
    add_similarity(verbs);
  }

 private:
  void add_batch(VerbWords& verbs) {
    CLI::App* batch =
        verbs.add("batch", "grade a class: safely, and resumed after a kill; for instructors",
                  "  ./lab batch submissions --out graded --lab 01\n"
                  "  ./lab batch submissions --out graded --lab 01 --roster class.csv --course course.toml\n"
                  "  ./lab batch submissions --out graded --lab 01 --course course.toml --rescore\n"
                  "  ./lab batch submissions --out graded --lab 04 --executor slurm --device gpu\n"
                  "  ./lab batch submissions --out graded --lab 01 --regrade ada\n"
                  "  ./lab batch --out graded --purge ada    what would be deleted; --yes deletes\n"
                  "The same command goes on where it was stopped.",
                  [this](const Paths& paths) { return batch_verb(paths, batch_); });
    batch->add_option("DIR", batch_.folder,
                      "what was handed in: a folder, or the archive that the platform exported");
    batch->add_option("--out", batch_.out, "folder for results, tables and the journal");
    batch->add_option("--lab", batch_.labs, "number or name; may be repeated")->delimiter(',');
    batch->add_option("--device", batch_.device, "auto, gpu, sim or sim:NAME");
    batch->add_option("--jobs", batch_.jobs, "tasks at a time; 0: one for each core or GPU");
    batch->add_option("--seed", batch_.seed, "draw inputs from this seed; 0: a fresh one for the class");
    batch->add_option("--hidden", batch_.hidden, "an instructor's cases and seed, in this file");
    batch->add_option(
        "--roster", batch_.roster,
        "CSV with columns id, name, email, submitted, or what Canvas, Moodle or Gradescope exports");
    batch->add_option("--course", batch_.course,
                      "course file: due times, points, sections, exam (./lab syllabus checks it)");
    batch->add_option("--ceiling", batch_.ceiling,
                      "end after this time, such as 2h: the same command goes on with what was not reached");
    batch->add_option("--budget", batch_.budget,
                      "time of a submission, such as 5min; otherwise 20 times the course's own solution's, "
                      "at least 1 and at most 15 minutes");
    batch->add_option("--format", batch_.formats, "further formats, separated by commas")->delimiter(',');
    batch->add_option("--executor", batch_.executor, "local or slurm");
    batch->add_option("--partition", batch_.partition, "Slurm: partition");
    batch->add_option("--memory", batch_.memory, "Slurm: memory of a task")->capture_default_str();
    batch->add_option("--time", batch_.time, "Slurm: time limit of a task")->capture_default_str();
    batch->add_flag("--rescore", batch_.rescore,
                    "give points anew, for example after a change of --course; runs nothing");
    batch->add_option("--regrade", batch_.regrade,
                      "run the submissions of this student again; may be repeated");
    batch->add_option("--purge", batch_.purge,
                      "instead of grading, delete what --out holds about this student (an id), or all");
    batch->add_flag("--yes", batch_.yes,
                    "go on where people are missing or unknown, without asking; with --purge, delete");
    batch->add_flag("--fresh", batch_.fresh, "forget what the folder holds and start over");
    batch->add_flag_callback(
        "--no-sandbox", [this] { batch_.sandbox = Sandbox::kNone; },
        "without boxes: submissions can then read and do what you can");
    batch->add_flag_callback(
        "--container", [this] { batch_.sandbox = Sandbox::kContainer; },
        "boxes for root in a container that has no user namespaces");
    batch->add_option("--task", batch_.task)->group("");
    batch->add_option("--gpu", batch_.gpu)->group("");
  }

  void add_syllabus(VerbWords& verbs) {
    CLI::App* syllabus =
        verbs.add("syllabus", "check a course file and print what it promises students; for instructors",
                  "  ./lab syllabus course.toml                  labs, due times, points, rules, rubrics\n"
                  "  ./lab syllabus course.toml --out syllabus.md",
                  [this](const Paths& paths) { return syllabus_verb(paths, syllabus_); });
    syllabus->add_option("COURSE", syllabus_.course, "the course file")->required();
    syllabus->add_option("--out", syllabus_.out, "Markdown file to write; none: standard output");
  }

  void add_new(VerbWords& verbs) {
    CLI::App* fresh =
        verbs.add("new", "the folders of a new lab, which build and wait for your work; for authors",
                  "  ./lab new 16-scale                          labs/16-scale and solutions/16-scale",
                  [this](const Paths& paths) { return new_verb(paths, new_); });
    fresh->add_option("FOLDER", new_, "two digits and a name: 16-scale")->required();
  }

  void add_statistics(VerbWords& verbs) {
    CLI::App* statistics =
        verbs.add("statistics", "how the labs of a term went, by section and check; for instructors",
                  "  ./lab statistics lab-01 lab-02 --out term   a page and tables of two graded classes",
                  [this](const Paths& paths) { return statistics_verb(paths, statistics_); });
    statistics->add_option("CLASS", statistics_.classes, "folders that ./lab batch wrote with --out")
        ->required();
    statistics->add_option("--out", statistics_.out, "folder for the page and the tables")
        ->capture_default_str();
  }

  void add_similarity(VerbWords& verbs) {
    CLI::App* similarity = verbs.add(
        "similarity", "similar programs of a graded class, side by side; for instructors",
        "  ./lab similarity graded --out similarity     a page and a table of a graded class\n"
        "  ./lab similarity lab-04 --earlier lab-04-2025\n"
        "  ./lab similarity graded --sources            the files, too, as MOSS and JPlag take them",
        [this](const Paths& paths) { return similarity_verb(paths, similarity_); });
    similarity->add_option("CLASS", similarity_.classes, "folders that ./lab batch wrote with --out")
        ->required();
    similarity
        ->add_option("--lab", similarity_.labs,
                     "number or name, may be repeated; none: all labs of the class")
        ->delimiter(',')
        ->allow_extra_args(false);  // else it would take the class that follows
    similarity
        ->add_option("--earlier", similarity_.earlier,
                     "a class of another term, may be repeated: compared with this one, not with itself")
        ->allow_extra_args(false);
    similarity->add_option("--out", similarity_.out, "folder for the page and the table")
        ->capture_default_str();
    similarity->add_flag("--sources", similarity_.sources,
                         "write sources/, too: a folder a student and the given code, for MOSS and JPlag");
  }

  BatchRequest batch_;
  SyllabusRequest syllabus_;
  StatisticsRequest statistics_;
  SimilarityRequest similarity_;
  std::string new_;
};

}  // namespace roofline::grader
