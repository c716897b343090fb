// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "grader/run/run.h"

/// The words of `run`, for ./lab and for the simulator on its own. Functions in a header, so that CLI11 is
/// compiled once a program.
namespace roofline::grader {

inline void add_run_options(CLI::App& run, RunOptions& options) {
  run.add_option("--device", options.device, "sim or sim:NAME[,KEY=NUMBER...]");
  run.add_option("--gpus", options.machine.gpus, "how many of the device the program finds, 1 to 16")
      ->check(CLI::Range(1u, 16u));
  run.add_option("--device-memory", options.machine.device_memory,
                 "what the device has less than its own memory, such as 128MiB")
      ->transform(CLI::AsSizeValue(false));
  run.add_flag("--counters", options.counters,
               "print what every kernel and source line did, and advice, when the program has ended");
  run.add_option("--check", options.check,
                 "look for bugs: memory, init, race, sync, separated by commas, or all");
  run.add_option("--trace", options.trace, "write a timeline (Chrome trace JSON) to this file");
  run.add_flag("--permute-fragments", options.machine.permute_fragments,
               "lay wmma fragments out as no hardware does: code that assumes a layout breaks");
  run.add_flag(
      "--shuffle-blocks", options.machine.shuffle_blocks,
      "run blocks in a mixed order, in short turns, where it can matter: results that depend on it change");
  run.add_option("--json", options.json, "write counters, advice and findings to a file; -: standard output");
  run.add_option("--sarif", options.sarif, "write advice and findings for editors and code hosts to a file");
  run.add_option("--explain", options.explain, "BLOCK,THREAD: print each instruction of one thread");
  run.add_option("--kernel", options.explain_kernel, "for --explain: part of the kernel's name");
  run.add_option("--launch", options.explain_launch, "for --explain: which of its launches")
      ->capture_default_str();
  run.add_option("--explain-limit", options.explain_limit, "for --explain: instructions to print")
      ->capture_default_str();
  run.add_option("--host-time", options.host_time,
                 "what the program's own code takes on its clocks: cpu (as here), free (nothing; the same in "
                 "each run), real (its clocks stay this computer's)")
      ->capture_default_str()
      ->check(CLI::IsMember({"cpu", "free", "real"}));
  run.add_option("--threads", options.machine.threads, "host cores for the simulated GPU; 0: all");
  run.add_option("--time-limit", options.machine.time_limit,
                 "seconds a kernel may take before it is stopped; 0: no limit")
      ->capture_default_str();
}

/// Everything from the program's name on is the program's own and never shown to the parser: CLI11 would
/// take options after `--` and the program's `--` for itself. `before`: words of ours that are no options.
/// Returns how many words are ours.
inline int split_run(const CLI::App& run, int argc, char** argv, RunOptions& options, int before = 0) {
  if (argc < 2 || argv[1] != run.get_name()) return argc;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    const CLI::Option* option = run.get_option_no_throw(std::string(word));
    if (option != nullptr && option->get_items_expected_min() > 0) {
      ++i;  // its value
    } else if (word != "--" && !word.starts_with('-') && before > 0) {
      --before;
    } else if (word == "--" || !word.starts_with('-')) {
      const int program = word == "--" ? i + 1 : i;
      if (program < argc) options.program = argv[program];
      for (int a = program + 1; a < argc; ++a) options.arguments.emplace_back(argv[a]);
      return i;
    }
  }
  return argc;
}

/// The help of `run` with what the parser is not shown.
inline std::string with_program(std::string help) {
  constexpr std::string_view kBefore = "run [OPTIONS]";
  const size_t at = help.find(kBefore);
  if (at != std::string::npos) help.insert(at + kBefore.size(), " [--] PROGRAM [ARGS ...]");
  return help;
}

}  // namespace roofline::grader
