// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The command line: ./lab VERB ... ends here. CLI11 is slow to compile: of what ./lab builds, only this file
// uses it.
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>

#include "grader/base/paths.h"
#include "grader/formats/format.h"
#include "grader/lab/selection.h"
#include "grader/lab/skeleton.h"
#include "grader/result/counter_names.h"
#include "grader/run_words.h"
#include "grader/text/completion.h"
#include "grader/text/terminal.h"
#include "grader/verbs/batch.h"
#include "grader/verbs/run.h"
#include "grader/verbs/show.h"
#include "grader/verbs/verbs.h"
#include "simulator/closest.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace {

constexpr int kWrongUsage = 2, kNoVerdict = 3;

/// The verbs that the entry script ./lab carries out itself; listed here so that --help is complete.
struct ScriptVerb {
  const char *name, *what;
};
constexpr ScriptVerb kScriptVerbs[] = {{"setup", "install what is missing and build"},
                                       {"test", "build and run the tests"},
                                       {"docs", "build the documentation site"},
                                       {"nvcc", "CUDA's compiler, wherever it was found or installed"}};

/// As --help lists the parser's own.
std::string script_verbs() {
  constexpr int kNameWidth = 28;
  std::string text;
  for (const ScriptVerb& verb : kScriptVerbs) text += "\n  " + pad_right(verb.name, kNameWidth) + verb.what;
  return text + "\n";
}

using Action = std::function<int(const Paths&)>;

class CommandLine {
 public:
  CommandLine() {
    app_.name("./lab");
    app_.set_help_flag("-h,--help", "print this help");
    app_.set_version_flag("--version", "Roofline Labs " ROOFLINE_VERSION, "print the version");
    app_.footer(
        script_verbs() +
        "\nLAB is a number or a name: 1, 01, pointwise; all means every lab.\n"
        "DEVICE is auto (a GPU where there is one), gpu, sim or sim:NAME, for example sim:h200.\n"
        "For an experiment, its numbers can be changed: sim:h200,sms=66,dram_gbps=2400 (docs/devices.md).\n"
        "Exit status: 0 passed, 1 not passed, 2 wrong usage, 3 no verdict for no fault of yours.\n"
        "./lab help VERB explains a verb, with examples. ./lab alone says what is next.");
    app_.get_formatter()->label("SUBCOMMAND", "VERB");
    app_.require_subcommand(0, 1);
    add_learning();
    add_export();
    add_devices();
    add_batch();
    add_term();
    add_run();
    add_completion();
  }

  int run(int argc, char** argv) {
    ask_for_help(argc, argv);
    refuse_unknown_verb(argc, argv);
    try {
      const int ours = std::min(split_run(*app_.get_subcommand("run"), argc, argv, run_),
                                split_run(*app_.get_subcommand("show"), argc, argv, show_.run, 1));
      app_.parse(ours, argv);
    } catch (const CLI::CallForHelp&) {
      std::fputs(help().c_str(), stdout);
      return 0;
    } catch (const CLI::CallForVersion& version) {
      std::printf("%s\n", version.what());
      return 0;
    } catch (const CLI::ParseError& error) {
      const auto chosen = app_.get_subcommands();
      const std::string verb = chosen.empty() ? "" : " " + chosen[0]->get_name();
      throw UsageError(std::string(error.what()) + "; see ./lab" + verb + " --help");
    }
    hide_seed(argc, argv);
    const auto chosen = app_.get_subcommands();
    const Paths paths = Paths::find();
    const std::vector<Lab> labs = all_labs();
    for (const Chosen& part : all_parts(labs)) keep_skeleton(paths.root, paths.state, part.file(paths));
    return chosen.empty() ? status_verb(paths) : actions_.at(chosen[0]->get_name())(paths);
  }

 private:
  CLI::App* add(const std::string& name, const std::string& what, const std::string& examples,
                Action action) {
    CLI::App* verb = app_.add_subcommand(name, what);
    verb->group("Verbs");
    verb->footer("Examples:\n" + examples);
    actions_[name] = std::move(action);
    return verb;
  }

  void add_learning() {
    CLI::App* grade =
        add("grade", "grade a lab: correctness, structure, fraction of the hardware limit, prediction",
            "  ./lab grade                      the lab you are at\n"
            "  ./lab grade 01                   your file of lab 01\n"
            "  ./lab grade 01 --quick           how it goes, in less time and without a medal\n"
            "  ./lab grade --solution all       the reference solutions\n"
            "  ./lab grade 1 --device sim:h200  on a simulated H200\n"
            "  ./lab grade 01 --file mine.cu --json result.json\n"
            "  ./lab grade swap                 a part by its file's name; 06b is the same\n"
            "  ./lab grade 01 --format junit=junit.xml --format github",
            [this](const Paths& paths) { return grade_verb(paths, grade_); });
    grade->add_option("LAB", grade_.labs, "number or name; all; none: the lab you are at");
    grade->add_flag("--solution", grade_.solution, "grade the reference solution");
    grade->add_flag("--quick", grade_.quick,
                    "fewer and smaller measurements: how it goes, without a medal; kept nowhere, and never "
                    "exit status 0");
    grade->add_option("--file", grade_.file, "grade this file as the lab's; a .patch is applied first");
    grade->add_option("--submission", grade_.submission, "grade the files of that name in this folder");
    grade->add_option("--hidden", grade_.hidden, "an instructor's cases and seed, in this file");
    grade->add_option("--device", grade_.device, "auto, gpu, sim or sim:NAME");
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
    CLI::App* watch = add("watch", "check your file whenever you save it; keys for the rest",
                          "  ./lab watch                      the lab you are at\n"
                          "  ./lab watch 04                   lab 04; ? shows the keys\n"
                          "  ./lab watch 1 --device sim:h200  on a simulated H200\n"
                          "  ./lab watch 01 > watch.log       line by line, for a log or an editor",
                          [this](const Paths& paths) { return watch_verb(paths, watch_); });
    watch->add_option("LAB", watch_.lab, "number or name; none: the lab you are at");
    watch->add_option("--device", watch_.device, "auto, gpu, sim or sim:NAME");
    add("list", "every lab: title, state, medal", "  ./lab list",
        [](const Paths& paths) { return list_verb(paths); });
    add("next", "the lab to do next, step by step", "  ./lab next",
        [](const Paths& paths) { return next_verb(paths); });
    CLI::App* hint = add("hint", "one hint more each time",
                         "  ./lab hint 01                    the next hint for lab 01\n"
                         "  ./lab hint 01 --all              all of them",
                         [this](const Paths& paths) { return hint_verb(paths, lab_, all_); });
    hint->add_option("LAB", lab_, "number or name; none: the lab you are at");
    hint->add_flag("--all", all_, "every hint from the first on");
    CLI::App* quiz = add("quiz", "five questions about a lab with drawn numbers, explained; not graded",
                         "  ./lab quiz 01                    other numbers each time\n"
                         "  ./lab quiz 01 --seed 7           these numbers again\n"
                         "  ./lab quiz 01 --seed 7 --json quiz.json < answers.txt\n"
                         "Exit status: 0 all answers are right, 1 not all.",
                         [this](const Paths& paths) { return quiz_verb(paths, quiz_); });
    quiz->add_option("LAB", quiz_.lab, "number or name; none: the lab you are at");
    quiz->add_option("--seed", quiz_.seed, "draw the numbers from this seed; 0: a fresh one");
    quiz->add_option("--json", quiz_.json, "write the answers and what was right to this file");
    CLI::App* report =
        add("report", "your page: roofline, attempts, what each source line did, what to do next",
            "  ./lab report                     writes results/report.html and opens it\n"
            "  ./lab report 01 03 --html mine.html --open no\n"
            "  ./lab report --of result.json    of a file that grade --json wrote",
            [this](const Paths& paths) { return report_verb(paths, report_); });
    report->add_option("LAB", report_.labs, "number or name; none: all");
    report->add_option("--html", report_.html, "write the page to this file; none: results/report.html");
    report->add_option("--of", report_.of, "draw the results in this file instead of your attempts");
    report->add_option("--open", report_.open, "in a browser: auto (where there is a screen), yes, no");
    CLI::App* reset = add("reset", "restore a lab's file as it was; yours is kept in .lab/backups",
                          "  ./lab reset 01", [this](const Paths& paths) { return reset_verb(paths, lab_); });
    reset->add_option("LAB", lab_, "number or name")->required();
    CLI::App* upgrade =
        add("upgrade", "bring your copy of the course up to date; your files stay yours",
            "  ./lab upgrade course-new.zip     what your instructor gave out: a folder or an archive\n"
            "  ./lab upgrade                    finish one that was interrupted",
            [this](const Paths& paths) { return upgrade_verb(paths, upgrade_); });
    upgrade->add_option("COURSE", upgrade_, "the new course: a folder, zip or tar");
  }

  void add_export() {
    std::string names;
    for (const Format& format : formats()) names += "\n  " + pad_right(format.name, 14) + format.what;
    CLI::App* verb =
        add("export", "results for other tools; a course repository; an autograder; the simulator",
            "  ./lab export --for students --out course       again: brings that folder up to date\n"
            "  ./lab export --for students --out course.zip\n"
            "  ./lab export --for students --built --out course\n"
            "  ./lab export --simulator simulator\n"
            "  ./lab export --format gradescope --lab 01 --out autograder.zip\n"
            "  ./lab export --format junit --from result.json --out junit.xml\n"
            "  ./lab export --format class --from results --out class.csv\n"
            "  ./lab export --format canvas --from results --gradebook grades.csv --column 'Lab 01'\n"
            "Formats:" +
                names,
            [this](const Paths& paths) {
              export_.version = ROOFLINE_VERSION;
              return export_verb(paths, export_);
            });
    verb->add_option("--for", export_.audience, "students: the course repository");
    verb->add_option("--format", export_.format, "one of the formats below");
    verb->add_option("--from", export_.from,
                     "file of ./lab grade --json, or the results folder of ./lab batch");
    verb->add_option("--out", export_.out, "file or folder to write; none: standard output");
    verb->add_option("--lab", export_.labs,
                     "number or name: labs of the repository or autograder; none: all");
    verb->add_flag("--yes", export_.yes,
                   "give out files, too, that you may have added to a lab for yourself");
    verb->add_flag(
        "--built", export_.built,
        "with its programs, for every x86-64 Linux with glibc 2.31 or later: nobody builds it again");
    verb->add_option("--simulator", export_.simulator,
                     "folder for the simulator on its own, and a wheel for pip");
    verb->add_option("--hidden", export_.hidden, "an instructor's cases and seed, for an autograder");
    verb->add_option("--course", export_.course, "course file: hints of its exam's labs stay at home");
    verb->add_option("--gradebook", export_.gradebook, "for canvas: the gradebook that Canvas exported");
    verb->add_option("--column", export_.column, "for canvas: the assignment whose column is filled");
  }

  void add_completion() {
    CLI::App* completion = add("completion", "words of ./lab for your shell's Tab key: bash or zsh",
                               "  source <(./lab completion bash)    in ~/.bashrc, with the path to ./lab\n"
                               "  source <(./lab completion zsh)     in ~/.zshrc, after compinit",
                               [this](const Paths& paths) { return print_completion(paths); });
    completion->add_option("SHELL", shell_, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  }

  /// Every verb and option as the parser knows them.
  int print_completion(const Paths& paths) {
    CompletionWords words;
    for (const CLI::App* verb : app_.get_subcommands({})) {
      CompletionVerb one{
          .name = verb->get_name(), .what = verb->get_description(), .options = {}, .words = {}};
      for (const CLI::Option* option : verb->get_options()) {
        if (option->get_positional()) one.labs = one.labs || option->get_name(true) == "LAB";
        for (const std::string& name : option->get_lnames())
          one.options.push_back({"--" + name, option->get_items_expected_max() > 0});
      }
      if (one.name == "completion") one.words = {"bash", "zsh"};
      words.verbs.push_back(std::move(one));
    }
    for (const ScriptVerb& verb : kScriptVerbs)
      words.verbs.push_back({.name = verb.name, .what = verb.what, .options = {}, .words = {}});
    const std::vector<Lab> labs = all_labs();
    for (const Chosen& part : all_parts(labs)) words.labs.push_back(part.id());
    for (const Lab& lab : labs) words.labs.push_back(lab.name());
    words.labs.emplace_back("all");
    words.devices = {"auto", "gpu", "sim"};
    for (const std::string& id : sim::known_devices(paths.simulator() / "devices"))
      words.devices.push_back("sim:" + id);
    std::fputs((shell_ == "bash" ? bash_completion(words) : zsh_completion(words)).c_str(), stdout);
    return 0;
  }

  void add_devices() {
    add("doctor", "explain this machine: what is here, what is missing, how to get it", "  ./lab doctor",
        [](const Paths& paths) { return doctor_verb(paths); });
    CLI::App* roofs = add("roofs", "measure (GPU) or model (simulated) every roof, beside the data sheet",
                          "  ./lab roofs\n"
                          "  ./lab roofs --device sim:t4",
                          [this](const Paths& paths) { return roofs_verb(paths, roofs_); });
    roofs->add_option("--device", roofs_.device, "auto, gpu, sim or sim:NAME");
    roofs->add_option("--json", roofs_.json, "write the values to this file");
    CLI::App* bench = add("bench", "naive, rungs, solution, yours, vendor's libraries side by side",
                          "  ./lab bench 04                   every version of lab 04's work\n"
                          "  ./lab bench all --json bench.json\n"
                          "  ./lab bench 05 --device sim:h200 --trace timelines",
                          [this](const Paths& paths) { return bench_verb(paths, bench_); });
    bench->add_option("LAB", bench_.labs, "number or name; all; none: the lab you are at");
    bench->add_option("--device", bench_.device, "auto, gpu, sim or sim:NAME");
    bench->add_option("--json", bench_.json, "write the table as Google Benchmark's JSON to this file");
    bench->add_flag("--table", bench_.table, "the table alone, without the doubling test of lab 05");
    bench->add_option("--only", bench_.only, "regular expression: only versions whose id matches");
    bench->add_option("--figures", bench_.figures, "folder for the figures (SVG); none: results/");
    bench->add_option("--trace", bench_.trace, "folder for a timeline of each version (Chrome trace JSON)");
#ifndef ROOFLINE_WITHOUT_AUTHOR_CHECK
    CLI::App* author = add("author-check", "prove that the labs hold what they promise; for authors",
                           "  ./lab author-check               every lab\n"
                           "  ./lab author-check 01 --only wrong/zeros\n"
                           "  ./lab author-check --device gpu",
                           [this](const Paths& paths) { return author_check_verb(paths, author_); });
    author->add_option("LAB", author_.labs, "number or name; none: all");
    author->add_option("--device", author_.device, "sim (default), sim:NAME, gpu or auto");
    author->add_option("--only", author_.only, "only submissions whose path contains this");
    CLI::App* exam = add("exam", "an exam whose numbers are drawn, or its answer key; for instructors",
                         "  ./lab exam --seed 20261201 --out exam.md\n"
                         "  ./lab exam --seed 20261201 --key\n"
                         "  ./lab exam 01 02 --seed 7        questions about two labs",
                         [this](const Paths& paths) { return exam_verb(paths, exam_); });
    exam->add_option("LAB", exam_.labs, "number or name; none: all");
    exam->add_option("--seed", exam_.seed, "draw the numbers from this seed; 0: a fresh one");
    exam->add_flag("--key", exam_.key, "with the answers and how they are derived");
    exam->add_option("--out", exam_.out, "write Markdown to this file; none: standard output");
#endif
  }

  void add_batch() {
    CLI::App* batch =
        add("batch", "grade a class: safely, and resumed after a kill; for instructors",
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

  void add_term() {
    CLI::App* syllabus =
        add("syllabus", "check a course file and print what it promises students; for instructors",
            "  ./lab syllabus course.toml                  labs, due times, points, rules, rubrics\n"
            "  ./lab syllabus course.toml --out syllabus.md",
            [this](const Paths& paths) { return syllabus_verb(paths, syllabus_); });
    syllabus->add_option("COURSE", syllabus_.course, "the course file")->required();
    CLI::App* fresh =
        add("new", "the folders of a new lab, which build and wait for your work; for authors",
            "  ./lab new 16-scale                          labs/16-scale and solutions/16-scale",
            [this](const Paths& paths) { return new_verb(paths, new_); });
    fresh->add_option("FOLDER", new_, "two digits and a name: 16-scale")->required();
    CLI::App* statistics =
        add("statistics", "how the labs of a term went, by section and check; for instructors",
            "  ./lab statistics lab-01 lab-02 --out term   a page and tables of two graded classes",
            [this](const Paths& paths) { return statistics_verb(paths, statistics_); });
    statistics->add_option("CLASS", statistics_.classes, "folders that ./lab batch wrote with --out")
        ->required();
    statistics->add_option("--out", statistics_.out, "folder for the page and the tables")
        ->capture_default_str();
    syllabus->add_option("--out", syllabus_.out, "Markdown file to write; none: standard output");
    CLI::App* similarity =
        add("similarity", "similar programs of a graded class, side by side; for instructors",
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

  void add_run() {
    CLI::App* run =
        add("run", "run any program built with nvcc on the simulated GPU",
            "  ./lab run ./saxpy 1000000\n"
            "  ./lab run --device sim:t4 --counters -- ./saxpy --fast\n"
            "  ./lab run --device sim:h200 --gpus 4 ./halo_exchange\n"
            "  ./lab run --check all ./saxpy            races, uninitialised memory, barriers, leaks\n"
            "  ./lab run --trace timeline.json ./saxpy  open it at https://ui.perfetto.dev\n"
            "  ./lab run --json saxpy.json --sarif saxpy.sarif ./saxpy\n"
            "  ./lab run --explain 0,5 ./saxpy          each instruction of one thread\n"
            "  ./lab run --explain '(1,0,0),(5,2,0)' --kernel tile --launch 3 ./matmul\n"
            "Columns of --counters, and what Nsight Compute calls them:\n" +
                counter_names_text(),
            [this](const Paths& paths) { return run_on_simulator(paths); });
    add_run_options(*run, run_);
    CLI::App* show =
        add("show", "draw what the threads of a warp do at one source line",
            "  ./lab show 01:12                          line 12 of your file of lab 01\n"
            "  ./lab show labs/07-onchip/transpose.cu:14 --warp 3\n"
            "  ./lab show stride.cu:7 ./stride 1000      of any program, built with nvcc -lineinfo",
            [this](const Paths& paths) { return show_verb(paths, show_); });
    show->add_option("FILE:LINE", show_.place, "a source file, or a lab, and a line")->required();
    show->add_option("--lab", show_.lab, "which lab the file is for, where its folder does not tell");
    show->add_option("--device", show_.device, "sim or sim:NAME")->capture_default_str();
    show->add_option("--block", show_.block, "which block, counted in x, then y, then z order");
    show->add_option("--warp", show_.warp, "which warp of the block");
    show->add_option("--launch", show_.launch, "which launch of a kernel of that file")
        ->capture_default_str();
    show->add_option("--request", show_.request, "which of the warp's requests; 0: the one that wastes most");
    show->add_option("--columns", show_.columns, "elements in a row of the picture of who wrote what")
        ->check(CLI::Range(1u, 64u))
        ->capture_default_str();
    show->add_option("--html", show_.html, "write the page to this file; none: results/show.html");
    show->add_option("--svg", show_.svg, "write the picture of the request to this file, too");
  }

  int run_on_simulator(const Paths& paths) {
    if (run_.program.empty()) throw UsageError("run needs a program; see ./lab run --help");
    run_.simulator = paths.simulator();
    return run_program(run_);
  }

  /// Any process may read our command line (ps), a worker too: the inputs follow from the seed.
  static void hide_seed(int argc, char** argv) {
    constexpr std::string_view kOption = "--seed";
    for (int i = 1; i < argc; ++i) {
      const std::string_view word = argv[i];
      if (word == kOption && i + 1 < argc) std::memset(argv[i + 1], '*', std::strlen(argv[i + 1]));
      if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with("="))
        std::memset(argv[i] + kOption.size() + 1, '*', word.size() - kOption.size() - 1);
    }
  }

  /// `help VERB` is `VERB --help`.
  static void ask_for_help(int& argc, char** argv) {
    static char option[] = "--help";
    if (argc < 2 || std::strcmp(argv[1], "help") != 0) return;
    argc = std::min(argc, 3);
    if (argc == 3) argv[1] = argv[2];
    argv[argc - 1] = option;
  }

  void refuse_unknown_verb(int argc, char** argv) const {
    if (argc < 2 || argv[1][0] == '-' || actions_.contains(argv[1])) return;
    std::vector<std::string> known;
    for (const ScriptVerb& verb : kScriptVerbs) known.emplace_back(verb.name);
    for (const auto& [name, action] : actions_) known.push_back(name);
    const std::string near = sim::closest(argv[1], known);
    throw UsageError(std::string("there is no verb \"") + argv[1] + "\"" +
                     (near.empty() ? "" : "; did you mean ./lab " + near + "?") + (near.empty() ? ";" : "") +
                     " ./lab --help lists every verb");
  }

  std::string help() const {
    const auto chosen = app_.get_subcommands();
    const std::string text = chosen.empty() ? app_.help() : chosen[0]->help("./lab");
    return chosen.empty() || chosen[0]->get_name() != "run" ? text : with_program(text);
  }

  CLI::App app_{
      "Roofline Labs: CUDA exercises graded against the limit of the hardware, with or without a GPU."};
  std::map<std::string, Action> actions_;
  GradeRequest grade_;
  ExportRequest export_;
  RoofsRequest roofs_;
  WatchRequest watch_;
  BenchRequest bench_;
  [[maybe_unused]] AuthorCheckRequest author_;
  [[maybe_unused]] ExamRequest exam_;
  ReportRequest report_;
  BatchRequest batch_;
  SyllabusRequest syllabus_;
  StatisticsRequest statistics_;
  SimilarityRequest similarity_;
  RunOptions run_;
  ShowRequest show_;
  QuizRequest quiz_;
  std::string lab_, shell_, new_, upgrade_;
  bool all_ = false;
};

}  // namespace
}  // namespace roofline::grader

int main(int argc, char** argv) {
  using namespace roofline::grader;
  // A worker that runs outside of a box has our uid: it must neither trace this process nor open its memory.
  prctl(PR_SET_DUMPABLE, 0);
  const auto complain = [](const std::exception& error) {
    const Terminal terminal = Terminal::of(STDERR_FILENO);
    std::fprintf(stderr, "%s %s\n", terminal.paint(Colour::kRed, "lab:").c_str(), error.what());
  };
  try {
    return CommandLine().run(argc, argv);
  } catch (const UsageError& error) {
    complain(error);
    return kWrongUsage;
  } catch (const std::exception& error) {
    complain(error);
    return kNoVerdict;
  }
}
