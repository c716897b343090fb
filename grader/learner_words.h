// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "grader/verb_words.h"
#include "grader/verbs/verbs.h"

/// The words of what a learner does. Functions in a header, so that CLI11 is compiled once a program.
namespace roofline::grader {

class LearnerWords {
 public:
  LearnerWords() = default;
  LearnerWords(const LearnerWords&) = delete;  // the parser writes into the members below
  LearnerWords& operator=(const LearnerWords&) = delete;

  void add_to(VerbWords& verbs) {
    add_grade(verbs);
    add_watch(verbs);
    add_finding_the_way(verbs);
    add_broken(verbs);
    add_diagnose(verbs);
    add_quiz(verbs);
    add_report(verbs);
    add_files(verbs);
  }

 private:
  void add_grade(VerbWords& verbs) {
    CLI::App* grade = verbs.add(
        "grade", "grade a lab: correctness, structure, fraction of the hardware limit, prediction",
        "  ./lab grade                      the lab you are at\n"
        "  ./lab grade 01                   your file of lab 01\n"
        "  ./lab grade 01 --quick           how it goes, in less time and without a medal\n"
        "  ./lab grade --solution all       the reference solutions\n"
        "  ./lab grade 1 --device sim:h200  on a simulated H200\n"
        "  ./lab grade 1 --device sim:h200,dram_gbps=9600  an experiment: its memory twice as fast\n"
        "  ./lab grade 01 --file mine.cu --json result.json\n"
        "  ./lab grade swap                 a part by its file's name; 06b is the same\n"
        "  ./lab grade 01 --format junit=junit.xml --format github",
        [this](const Paths& paths) { return grade_verb(paths, grade_); });
    grade->add_option("LAB", grade_.labs, "number or name; all; none: the lab you are at");
    grade->add_flag("--solution", grade_.solution, "grade the reference solution");
    grade->add_flag("--quick", grade_.quick,
                    "fewer and smaller measurements: how it goes, without a medal; kept nowhere, and never "
                    "exit status 0");
    grade->add_flag("--compile", grade_.compile,
                    "only compile, for the device: a later grade with the same cache starts at once");
    grade->add_option("--file", grade_.file, "grade this file as the lab's; a .patch is applied first");
    grade->add_option("--submission", grade_.submission, "grade the files of that name in this folder");
    grade->add_option("--hidden", grade_.hidden, "an instructor's cases and seed, in this file");
    grade->add_option("--device", grade_.device, "auto, gpu, sim or sim:NAME[,KEY=NUMBER...]");
    grade->add_option("--json", grade_.json, "write lab/result/v1 to this file; - is standard output");
    grade->add_option("--format", grade_.formats,
                      "write NAME=FILE in another tool's format, see ./lab export; github: GitHub Actions");
    grade->add_option("--seed", grade_.seed, "draw inputs from this seed, to repeat a grade; 0: a fresh one");
    grade->add_flag_callback(
        "--sandbox", [this] { grade_.sandbox = Sandbox::kNamespaces; },
        "compile and run in boxes, for a file that somebody else wrote");
    grade->add_flag_callback(
        "--container", [this] { grade_.sandbox = Sandbox::kContainer; },
        "boxes for root in a container that has no user namespaces");
  }

  void add_watch(VerbWords& verbs) {
    CLI::App* watch = verbs.add("watch", "check your file whenever you save it; keys for the rest",
                                "  ./lab watch                      the lab you are at\n"
                                "  ./lab watch 04                   lab 04; ? shows the keys\n"
                                "  ./lab watch 1 --device sim:h200  on a simulated H200\n"
                                "  ./lab watch 01 > watch.log       line by line, for a log or an editor",
                                [this](const Paths& paths) { return watch_verb(paths, watch_); });
    watch->add_option("LAB", watch_.lab, "number or name; none: the lab you are at");
    watch->add_option("--device", watch_.device, "auto, gpu, sim or sim:NAME[,KEY=NUMBER...]");
  }

  void add_finding_the_way(VerbWords& verbs) {
    verbs.add("list", "every lab: title, state, medal", "  ./lab list",
              [](const Paths& paths) { return list_verb(paths); });
    verbs.add("next", "the lab to do next, step by step", "  ./lab next",
              [](const Paths& paths) { return next_verb(paths); });
    CLI::App* hint = verbs.add("hint", "one hint more each time",
                               "  ./lab hint 01                    the next hint for lab 01\n"
                               "  ./lab hint 01 --all              all of them",
                               [this](const Paths& paths) { return hint_verb(paths, lab_, all_); });
    hint->add_option("LAB", lab_, "number or name; none: the lab you are at");
    hint->add_flag("--all", all_, "every hint from the first on");
  }

  void add_broken(VerbWords& verbs) {
    CLI::App* broken = verbs.add("broken", "a slow kernel: find out why from its counters; not graded",
                                 "  ./lab broken 01                  runs it, shows what it did, and asks\n"
                                 "Exit status: 0 all answers are right, 1 not all.",
                                 [this](const Paths& paths) { return broken_verb(paths, lab_); });
    broken->add_option("LAB", lab_, "number or name; none: the lab you are at");
  }

  void add_diagnose(VerbWords& verbs) {
    CLI::App* diagnose =
        verbs.add("diagnose", "programs without source: say what each waits for; judged by experiments",
                  "  ./lab diagnose                   gives you twelve programs; later judges your answers\n"
                  "  ./lab diagnose --json diagnosis.json\n"
                  "  ./lab diagnose --file theirs.toml --draw 4711    somebody's answers, for these programs",
                  [this](const Paths& paths) { return diagnose_verb(paths, diagnose_); });
    diagnose->add_option("LAB", diagnose_.lab, "number or name; none: the lab that has such programs");
    diagnose->add_option("--file", diagnose_.file, "judge these answers; none: diagnosis.toml of the lab");
    diagnose->add_option("--draw", diagnose_.draw, "the number that the programs are drawn from; none: yours")
        ->check(CLI::Range(1u, 999'999'999u));
    diagnose->add_option("--json", diagnose_.json, "write lab/result/v1 to this file");
  }

  void add_quiz(VerbWords& verbs) {
    CLI::App* quiz = verbs.add("quiz", "five questions about a lab with drawn numbers, explained; not graded",
                               "  ./lab quiz 01                    other numbers each time\n"
                               "  ./lab quiz 01 --seed 7           these numbers again\n"
                               "  ./lab quiz 01 --seed 7 --json quiz.json < answers.txt\n"
                               "Exit status: 0 all answers are right, 1 not all.",
                               [this](const Paths& paths) { return quiz_verb(paths, quiz_); });
    quiz->add_option("LAB", quiz_.lab, "number or name; none: the lab you are at");
    quiz->add_option("--seed", quiz_.seed, "draw the numbers from this seed; 0: a fresh one");
    quiz->add_option("--json", quiz_.json, "write the answers and what was right to this file");
  }

  void add_report(VerbWords& verbs) {
    CLI::App* report =
        verbs.add("report", "your page: roofline, attempts, what each source line did, what to do next",
                  "  ./lab report                     writes results/report.html and opens it\n"
                  "  ./lab report 01 03 --html mine.html --open no\n"
                  "  ./lab report --of result.json    of a file that grade --json wrote",
                  [this](const Paths& paths) { return report_verb(paths, report_); });
    report->add_option("LAB", report_.labs, "number or name; none: all");
    report->add_option("--html", report_.html, "write the page to this file; none: results/report.html");
    report->add_option("--of", report_.of, "draw the results in this file instead of your attempts");
    report->add_option("--open", report_.open, "in a browser: auto (where there is a screen), yes, no");
  }

  /// The files of the course, as they were and as they become.
  void add_files(VerbWords& verbs) {
    CLI::App* reset =
        verbs.add("reset", "restore a lab's file as it was; yours is kept in .lab/backups",
                  "  ./lab reset 01", [this](const Paths& paths) { return reset_verb(paths, lab_); });
    reset->add_option("LAB", lab_, "number or name")->required();
    CLI::App* upgrade =
        verbs.add("upgrade", "bring your copy of the course up to date; your files stay yours",
                  "  ./lab upgrade course-new.zip     what your instructor gave out: a folder or an archive\n"
                  "  ./lab upgrade                    finish one that was interrupted",
                  [this](const Paths& paths) { return upgrade_verb(paths, upgrade_); });
    upgrade->add_option("COURSE", upgrade_, "the new course: a folder, zip or tar");
  }

  GradeRequest grade_;
  WatchRequest watch_;
  DiagnoseRequest diagnose_;
  QuizRequest quiz_;
  ReportRequest report_;
  std::string lab_, upgrade_;
  bool all_ = false;
};

}  // namespace roofline::grader
