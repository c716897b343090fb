// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// simulated-gpu: `./lab run` without the labs, for the simulator on its own (./lab export --simulator).
#include <cstdio>
#include <filesystem>

#include "grader/base/error.h"
#include "grader/run_words.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

constexpr int kWrongUsage = 2, kNoVerdict = 3;

/// bin/simulated-gpu lies beside simulator/, wherever the two were put.
fs::path simulator() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "simulator"; }

int list_devices() {
  for (const std::string& id : sim::known_devices(simulator() / "devices"))
    std::printf("sim:%-18s %s\n", id.c_str(), sim::load_device(simulator() / "devices", id).name.c_str());
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app{"Runs programs built with nvcc on a simulated GPU. Times that it shows are simulated."};
  app.name("simulated-gpu");
  app.set_version_flag("--version", "simulated-gpu " ROOFLINE_VERSION, "print the version");
  app.require_subcommand(1);
  RunOptions options;
  options.shown = "simulated-gpu";
  options.simulator = simulator();
  CLI::App* run = app.add_subcommand("run", "run a program");
  run->footer(
      "Examples:\n"
      "  simulated-gpu run ./saxpy 1000000\n"
      "  simulated-gpu run --check all -- ./saxpy      races, uninitialised memory, barriers, leaks\n"
      "  simulated-gpu run --counters --device sim:h200 -- ./saxpy\n"
      "Exit status: the program's; 1 where a kernel faulted or a check found something, 2 where the program\n"
      "cannot be run here.");
  add_run_options(*run, options);
  const CLI::App* devices = app.add_subcommand("devices", "list the simulated GPUs");
  try {
    app.parse(split_run(*run, argc, argv, options), argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(run->parsed() ? with_program(run->help("simulated-gpu")).c_str() : app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion& version) {
    std::printf("%s\n", version.what());
    return 0;
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + "; see simulated-gpu --help");
  }
  if (devices->parsed()) return list_devices();
  if (options.program.empty()) throw UsageError("run needs a program; see simulated-gpu run --help");
  return run_program(options);
}

}  // namespace
}  // namespace roofline::grader

int main(int argc, char** argv) {
  using namespace roofline::grader;
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "simulated-gpu: %s\n", error.what());
    return kWrongUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simulated-gpu: %s\n", error.what());
    return kNoVerdict;
  }
}
