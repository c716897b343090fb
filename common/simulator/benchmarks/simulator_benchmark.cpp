// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Wall time of whole kernels on the simulated GPU, first launch included: counters and memory checks are on.
// And what the checks of `lab run --check` cost.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "simulator/host/session.h"
#include "simulator/tests/program.h"

namespace roofline::sim {
namespace {

const std::filesystem::path kPrograms = std::filesystem::path(SIMULATOR_BUILD) / "benchmarks";

/// Compiles NAME.cu beside this file to a program with PTX for sm_80 and the shared runtime library.
std::string compiled(const std::string& name) {
  static std::set<std::string> done;
  std::filesystem::create_directories(kPrograms);
  const std::string program = kPrograms / name;
  if (!done.insert(name).second) return program;
  const std::string command = std::string(CUDA_HOME "/bin/nvcc -O3 -cudart shared -gencode ") +
                              "arch=compute_80,code=compute_80 -o " + program +
                              " " SIMULATOR_SOURCE "/benchmarks/" + name + ".cu";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("nvcc failed: " + command);
  return program;
}

struct Outcome {
  double wall_seconds = 0;  ///< of the kernel, as the program saw it
  Region region;
};

/// Runs the program on a fresh simulated device and reads the seconds that it prints.
Outcome run(const std::string& program, const MachineOptions& options) {
  Session session = Session::start(SIMULATOR_BUILD, options);
  session.begin_region();
  const test::Result ran =
      test::run({program}, test::simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())}),
                session.guest_fd());
  Outcome outcome;
  if (ran.status != 0 || std::sscanf(ran.out.c_str(), "%lf", &outcome.wall_seconds) != 1)
    throw std::runtime_error(program + " failed on the simulated device: " + ran.err);
  outcome.region = session.end_region();
  return outcome;
}

constexpr const char* kKernels[] = {"saxpy", "gemm", "reduce", "wmma"};

/// On so many host cores. Counters are always on: virtual time is made of them.
void whole_kernel(benchmark::State& state, const std::string& name, unsigned cores) {
  const std::string program = compiled(name);
  MachineOptions options;
  options.threads = cores;
  double lanes = 0, warps = 0, wall = 0, best = std::numeric_limits<double>::max();
  for (auto _ : state) {
    const Outcome outcome = run(program, options);
    state.SetIterationTime(outcome.wall_seconds);
    wall += outcome.wall_seconds;
    best = std::min(best, outcome.wall_seconds);
    for (const KernelRecord& kernel : outcome.region.kernels) {
      lanes += static_cast<double>(kernel.counters.lane_instructions);
      warps += static_cast<double>(kernel.counters.warp_instructions);
    }
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["cores"] = cores;
  state.counters["best_ms"] = best * 1e3;
  state.counters["lane_instructions/s"] = lanes / runs / best;
  state.counters["ns/warp_instruction"] = best / (warps / runs) * 1e9;
  state.counters["warp_instructions"] = warps / runs;
}

int register_kernels() {
  const unsigned all = std::max(1U, std::thread::hardware_concurrency());
  for (const std::string program : kKernels)
    for (unsigned cores = 1; cores <= all; cores *= 2)
      benchmark::RegisterBenchmark(("kernel/" + program + "/cores:" + std::to_string(cores)).c_str(),
                                   whole_kernel, program, cores)
          ->UseManualTime()
          ->Iterations(25)
          ->Unit(benchmark::kMillisecond);
  return 0;
}
const int g_kernels = register_kernels();

/// With a check, as a multiple (`times`) of the same kernel on one host core without: the best run of each,
/// taken in turn, so that a busy machine disturbs both.
void checked_kernel(benchmark::State& state, const std::string& name, u32 checks) {
  const std::string program = compiled(name);
  MachineOptions plain, checked;
  plain.threads = checked.threads = 1;
  checked.checks = checks;
  double best_plain = std::numeric_limits<double>::max(), best_checked = best_plain;
  for (auto _ : state) {
    best_plain = std::min(best_plain, run(program, plain).wall_seconds);
    const double seconds = run(program, checked).wall_seconds;
    state.SetIterationTime(seconds);
    best_checked = std::min(best_checked, seconds);
  }
  state.counters["best_ms"] = best_checked * 1e3;
  state.counters["times"] = best_checked / best_plain;
}

int register_checks() {
  const std::pair<const char*, u32> checks[] = {{"memory", kCheckMemory},
                                                {"sync", kCheckSync},
                                                {"init", kCheckInit},
                                                {"race", kCheckRace},
                                                {"all", kCheckAll}};
  for (const std::string program : kKernels)
    for (const auto& [name, bits] : checks)
      benchmark::RegisterBenchmark(("check_" + std::string(name) + "/" + program).c_str(), checked_kernel,
                                   program, bits)
          ->UseManualTime()
          ->Iterations(10)
          ->Unit(benchmark::kMillisecond);
  return 0;
}
const int g_checks = register_checks();

}  // namespace
}  // namespace roofline::sim

BENCHMARK_MAIN();
