// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The command line: ./lab VERB ... ends here. CLI11 is slow to compile: of what ./lab builds, only this file
// and the *_words.h that it includes use it.
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "grader/base/paths.h"
#include "grader/class_words.h"
#include "grader/formats/format.h"
#include "grader/lab/selection.h"
#include "grader/lab/skeleton.h"
#include "grader/learner_words.h"
#include "grader/result/counter_names.h"
#include "grader/run/run.h"
#include "grader/run_words.h"
#include "grader/text/completion.h"
#include "grader/text/terminal.h"
#include "grader/verb_words.h"
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
    learner_.add_to(verbs_);
    add_export();
    add_devices();
    class_.add_to(verbs_);
    add_run();
    add_show();
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
    const std::vector<Lab>& labs = all_labs();
    for (const Chosen& part : all_parts(labs)) keep_skeleton(paths.root, paths.state, part.file(paths));
    return chosen.empty() ? status_verb(paths) : verbs_.action(chosen[0]->get_name())(paths);
  }

 private:
  void add_export() {
    std::string names;
    for (const Format& format : formats()) names += "\n  " + pad_right(format.name, 14) + format.what;
    CLI::App* verb =
        verbs_.add("export", "results for other tools; a course repository; an autograder; the simulator",
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
    verb->add_flag("--with-ladders", export_.ladders,
                   "with --for: slower versions and answers to open questions, which can then be read");
    verb->add_flag(
        "--built", export_.built,
        "with its programs, for every x86-64 Linux with glibc 2.31 or later: nobody builds it again");
    verb->add_option("--simulator", export_.simulator,
                     "folder for the simulator on its own, and a wheel for pip");
    verb->add_option("--hidden", export_.hidden, "an instructor's cases and seed, for an autograder");
    verb->add_option("--course", export_.course, "course file: hints of its exam's labs stay at home");
    verb->add_option("--gradebook", export_.gradebook,
                     "the gradebook that the platform exported, for a format that fills it");
    verb->add_option("--column", export_.column, "the assignment whose column is filled");
  }

  void add_completion() {
    std::string names, examples;
    for (const CompletionShell& shell : completion_shells()) {
      names += (names.empty() ? "" : " or ") + shell.name;
      examples += (examples.empty() ? "  " : "\n  ") +
                  pad_right("source <(./lab completion " + shell.name + ")", 35) + shell.where;
    }
    CLI::App* completion =
        verbs_.add("completion", "words of ./lab for your shell's Tab key: " + names, examples,
                   [this](const Paths& paths) { return print_completion(paths); });
    completion->add_option("SHELL", shell_, names)->required()->check(CLI::IsMember(shell_names()));
  }

  static std::vector<std::string> shell_names() {
    std::vector<std::string> names;
    for (const CompletionShell& shell : completion_shells()) names.push_back(shell.name);
    return names;
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
      if (one.name == "completion") one.words = shell_names();
      words.verbs.push_back(std::move(one));
    }
    for (const ScriptVerb& verb : kScriptVerbs)
      words.verbs.push_back({.name = verb.name, .what = verb.what, .options = {}, .words = {}});
    const std::vector<Lab>& labs = all_labs();
    for (const Chosen& part : all_parts(labs)) words.labs.push_back(part.id());
    for (const Lab& lab : labs) words.labs.push_back(lab.name());
    words.labs.emplace_back("all");
    words.devices = {"auto", "gpu", "sim"};
    for (const std::string& id : sim::known_devices(paths.simulator() / "devices"))
      words.devices.push_back("sim:" + id);
    for (const CompletionShell& shell : completion_shells())
      if (shell.name == shell_) std::fputs(shell.script(words).c_str(), stdout);
    return 0;
  }

  void add_devices() {
    verbs_.add("doctor", "explain this machine: what is here, what is missing, how to get it",
               "  ./lab doctor", [](const Paths& paths) { return doctor_verb(paths); });
    CLI::App* roofs =
        verbs_.add("roofs", "measure (GPU) or model (simulated) every roof, beside the data sheet",
                   "  ./lab roofs\n"
                   "  ./lab roofs --device sim:t4\n"
                   "  ./lab roofs --device sim:t4,dram_gbps=640  an experiment: its memory twice as fast",
                   [this](const Paths& paths) { return roofs_verb(paths, roofs_); });
    roofs->add_option("--device", roofs_.device, "auto, gpu, sim or sim:NAME[,KEY=NUMBER...]");
    roofs->add_option("--json", roofs_.json, "write the values to this file");
    CLI::App* bench = verbs_.add("bench", "naive, rungs, solution, yours, vendor's libraries side by side",
                                 "  ./lab bench 04                   every version of lab 04's work\n"
                                 "  ./lab bench all --json bench.json\n"
                                 "  ./lab bench 05 --device sim:h200 --trace timelines\n"
                                 "  ./lab bench 01 --device sim:h200,sms=66   an experiment: half the SMs",
                                 [this](const Paths& paths) { return bench_verb(paths, bench_); });
    bench->add_option("LAB", bench_.labs, "number or name; all; none: the lab you are at");
    bench->add_option("--device", bench_.device, "auto, gpu, sim or sim:NAME[,KEY=NUMBER...]");
    bench->add_option("--json", bench_.json, "write the table as Google Benchmark's JSON to this file");
    bench->add_flag("--table", bench_.table, "the table alone, without the doubling test of lab 05");
    bench->add_option("--only", bench_.only, "regular expression: only versions whose id matches");
    bench->add_option("--figures", bench_.figures, "folder for the figures (SVG); none: results/");
    bench->add_option("--trace", bench_.trace, "folder for a timeline of each version (Chrome trace JSON)");
#ifndef ROOFLINE_WITHOUT_AUTHOR_CHECK
    CLI::App* author = verbs_.add("author-check", "prove that the labs hold what they promise; for authors",
                                  "  ./lab author-check               every lab\n"
                                  "  ./lab author-check 01 --only wrong/zeros\n"
                                  "  ./lab author-check --device gpu",
                                  [this](const Paths& paths) { return author_check_verb(paths, author_); });
    author->add_option("LAB", author_.labs, "number or name; none: all");
    author->add_option("--device", author_.device, "sim (default), sim:NAME, gpu or auto");
    author->add_option("--only", author_.only, "only submissions whose path contains this");
    CLI::App* exam = verbs_.add("exam", "an exam whose numbers are drawn, or its answer key; for instructors",
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

  void add_run() {
    CLI::App* run =
        verbs_.add("run", "run any program built with nvcc on the simulated GPU",
                   "  ./lab run ./saxpy 1000000\n"
                   "  ./lab run --device sim:t4 --counters -- ./saxpy --fast\n"
                   "  ./lab run --device sim:h200 --gpus 4 ./halo_exchange\n"
                   "  ./lab run --device sim:t4,sms=80 ./saxpy an experiment: twice the SMs\n"
                   "  ./lab run --check all ./saxpy            races, uninitialised memory, barriers, leaks\n"
                   "  ./lab run --trace timeline.json ./saxpy  open it at https://ui.perfetto.dev\n"
                   "  ./lab run --json saxpy.json --sarif saxpy.sarif ./saxpy\n"
                   "  ./lab run --explain 0,5 ./saxpy          each instruction of one thread\n"
                   "  ./lab run --explain '(1,0,0),(5,2,0)' --kernel tile --launch 3 ./matmul\n"
                   "Columns of --counters, and what Nsight Compute calls them:\n" +
                       counter_names_text(),
                   [this](const Paths& paths) { return run_on_simulator(paths); });
    add_run_options(*run, run_);
  }

  void add_show() {
    CLI::App* show =
        verbs_.add("show", "draw what the threads of a warp do at one source line",
                   "  ./lab show 01:12                          line 12 of your file of lab 01\n"
                   "  ./lab show labs/07-onchip/transpose.cu:14 --warp 3\n"
                   "  ./lab show stride.cu:7 ./stride 1000      of any program, built with nvcc -lineinfo",
                   [this](const Paths& paths) { return show_verb(paths, show_); });
    show->add_option("FILE:LINE", show_.place, "a source file, or a lab, and a line")->required();
    show->add_option("--lab", show_.lab, "which lab the file is for, where its folder does not tell");
    show->add_option("--device", show_.device, "sim or sim:NAME[,KEY=NUMBER...]")->capture_default_str();
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
      if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('='))
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
    if (argc < 2 || argv[1][0] == '-' || verbs_.knows(argv[1])) return;
    std::vector<std::string> known;
    for (const ScriptVerb& verb : kScriptVerbs) known.emplace_back(verb.name);
    for (std::string& name : verbs_.names()) known.push_back(std::move(name));
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
  VerbWords verbs_{app_};
  LearnerWords learner_;
  ClassWords class_;
  ExportRequest export_;
  RoofsRequest roofs_;
  BenchRequest bench_;
  [[maybe_unused]] AuthorCheckRequest author_;
  [[maybe_unused]] ExamRequest exam_;
  RunOptions run_;
  ShowRequest show_;
  std::string shell_;
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
