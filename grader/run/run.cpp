// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/run/run.h"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include "grader/base/paths.h"
#include "grader/base/printable.h"
#include "grader/box/child.h"
#include "grader/profile/check_report.h"
#include "grader/profile/cuda_program.h"
#include "grader/profile/explain.h"
#include "grader/profile/trace_file.h"
#include "grader/run/processes.h"
#include "grader/run/run_report.h"
#include "grader/text/terminal.h"
#include "simulator/host/session.h"

namespace roofline::grader {
namespace {

/// Patience with a program that was asked to end.
constexpr std::chrono::seconds kGrace{3};

/// Signals that ask `run` itself to end, and news about the program.
sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
  return set;
}

void say(const RunOptions& options, const std::string& sentence) {
  std::fprintf(stderr, "%s: %s\n", options.shown.c_str(), sentence.c_str());
}

std::string device_id(const RunOptions& options) {
  const std::string& device = options.device;
  if (device == "auto" || device == "sim" || device.empty()) return sim::MachineOptions().device;
  if (device.starts_with("sim:")) return device.substr(4);
  throw UsageError("--device " + device + ": " + options.shown +
                   " knows sim and sim:NAME; on a GPU, run the program itself");
}

/// What the program finds in its environment.
std::vector<std::string> environment_for(const CudaProgram& program, const RunOptions& options,
                                         const Processes& processes) {
  const std::string directory = options.simulator.string();
  const auto before = [](const std::string& first, const std::string& variable) {
    const char* old = std::getenv(variable.c_str());
    return variable + "=" + first + (old && *old ? std::string(":") + old : "");
  };
  std::vector<std::string> added = {
      before(directory, "LD_LIBRARY_PATH"),
      before(directory + "/libredirect_cudart.so", "LD_AUDIT"),  // where the runtime is linked in
      // For processes of the program that do not reach us.
      "ROOFLINE_DEVICE=" + options.machine.device, "ROOFLINE_GPUS=" + std::to_string(options.machine.gpus)};
  for (std::string& variable : processes.environment()) added.push_back(std::move(variable));
  std::string preload;
  const bool separators = directory.find_first_of(" :;") != std::string::npos;
  if (options.machine.host_time && !separators) {
    added.push_back("ROOFLINE_HOST_TIME=" + options.host_time);
    preload = directory + "/libvirtual_clock.so";
  }
  // The loader takes these for separators, and would go on without the library.
  if (program.needs_preload && separators)
    throw UsageError(options.program + " has the CUDA runtime linked in, and the simulated GPU lies in " +
                     directory +
                     ": move it to a path without spaces and colons, or build with nvcc -cudart shared");
  if (program.needs_preload)
    preload += (preload.empty() ? "" : ":") + directory + "/libcudart.so.13:" + directory + "/libcuda.so.1";
  if (!preload.empty()) added.push_back(before(preload, "LD_PRELOAD"));
  return environment_with(added);
}

/// How the program ended.
struct Ending {
  int status = 0;            ///< as waitpid gives it
  bool interrupted = false;  ///< `run` was asked to end
};

/// Waits for the program, then for others of its processes that use CUDA; passes on what asks `run` to end,
/// and insists after a while.
Ending wait_for(pid_t pid, const Processes& processes) {
  const sigset_t awaited = awaited_signals();
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> deadline;
  Ending ending;
  for (bool ended = false;;) {
    ended = ended || waitpid(pid, &ending.status, WNOHANG) == pid;
    if (ended && (ending.interrupted || !processes.are_running())) return ending;
    const timespec tick{1, 0};
    const int signal = sigtimedwait(&awaited, nullptr, &tick);
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
      if (!ended) kill(pid, signal);
      if (!deadline) deadline = Clock::now() + kGrace;
      ending.interrupted = true;
    }
    if (!ended && deadline && Clock::now() > *deadline) kill(pid, SIGKILL);
  }
}

/// Starts the program with the guest's end of the session's channel; throws UsageError when it cannot be
/// executed.
Ending run_with(Processes& processes, const CudaProgram& program, const RunOptions& options) {
  const sigset_t awaited = awaited_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &awaited, &before);
  std::vector<std::string> arguments = {options.program};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  const Child child = start_child({.arguments = std::move(arguments),
                                   .environment = environment_for(program, options, processes),
                                   .program = program.path,
                                   .keep = {processes.guest_fd()},
                                   .mask = &before});
  if (child.pid < 0) throw InfrastructureError(std::string("fork: ") + std::strerror(child.error));
  processes.begin();
  const Ending ending = wait_for(child.pid, processes);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child.error != 0)
    throw UsageError(options.program + " cannot be executed: " + std::strerror(child.error));
  return ending;
}

int exit_status(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// What a person must know about how the program itself ended.
void tell_signal(int status, const RunOptions& options) {
  if (!WIFSIGNALED(status)) return;
  say(options, options.program + " was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                   strsignal(WTERMSIG(status)) + ")");
  if (WTERMSIG(status) == SIGSEGV)
    say(options,
        "host code that dereferences a device pointer ends like this, as on a real GPU: copy with "
        "cudaMemcpy first");
}

/// What a person must know about one process. Whether something went wrong on its GPUs.
bool conclude(const ProcessRun& run, const RunOptions& options, bool succeeded) {
  const sim::Region& region = run.region;
  const auto tell = [&](const std::string& sentence) { say(options, run.prefix() + sentence); };
  if (!run.finished) {
    tell("the simulated GPU did not finish what " + options.program +
         " left running: its kernels were stopped");
    return true;
  }
  for (const std::string& name : region.missing_functions)
    tell("it called " + printable(name) + ", which the simulated GPU lacks");
  if (!region.load_errors.empty()) tell("its device code could not be loaded: see above");
  if (!region.traps.empty()) tell(std::to_string(region.traps.size()) + " kernel(s) faulted");
  if (region.unread_output_bytes)
    tell("kernels printed " + std::to_string(region.unread_output_bytes) +
         " bytes that were never shown: call cudaDeviceSynchronize before the program ends");
  if (region.host_code_seconds > 0 && options.host_time == "cpu")
    tell("note: " + options.program +
         " reads the host's clock: it showed simulated GPU time and the CPU time that the program's "
         "own code took on this computer, which differs from run to run (--host-time free leaves "
         "that out)");
  if (region.launches_refused && region.kernels.empty() && region.load_errors.empty())
    tell("note: no kernel ran: " + std::to_string(region.launches_refused) +
         (region.launches_refused == 1 ? " launch was" : " launches were") +
         " refused (call cudaGetLastError() after a launch: it tells why)");
  else if (region.kernels.empty() && region.missing_functions.empty() && region.load_errors.empty() &&
           succeeded && run.who.empty())
    tell("note: no kernel ran: " + options.program + " launched none");
  return !region.missing_functions.empty() || !region.traps.empty() || !region.load_errors.empty();
}

/// The n-th process's, from 0: clocks of different processes have nothing to do with each other, so each has
/// a file of its own.
std::filesystem::path trace_of(const RunOptions& options, size_t n) {
  if (n == 0) return options.trace;
  std::filesystem::path file = options.trace;
  return file.replace_filename(file.stem().string() + "-" + std::to_string(n + 1) +
                               file.extension().string());
}

void write_trace(const RunOptions& options, const std::filesystem::path& path, const ProcessRun& run) {
  const auto description = sim::load_device(options.simulator / "devices", options.machine.device);
  std::ofstream file(path);
  file << trace_json(run.trace, run.region, description, options.program);
  if (!file.flush()) throw UsageError(path.string() + " cannot be written: " + std::strerror(errno));
  const sim::Trace& trace = run.trace;
  say(options, run.prefix() + "simulated timeline: " + path.string() +
                   " (open it at https://ui.perfetto.dev)" +
                   (trace.dropped
                        ? "; it was cut: " + std::to_string(trace.dropped) + " later calls and pieces of work"
                        : ""));
}

}  // namespace

int run_program(const RunOptions& given) try {
  RunOptions options = given;
  if (options.simulator.empty()) options.simulator = Paths::find().simulator();
  const CudaProgram program = examine_program(options.program);
  std::optional<sim::ThreadRequest> thread;
  if (!options.explain.empty()) {
    thread = parse_thread(options.explain);
    thread->kernel = options.explain_kernel;
    thread->launch = std::max(1u, options.explain_launch);
  }
  sim::MachineOptions& machine = options.machine;
  machine.device = device_id(options);
  if (const char* level = std::getenv("ROOFLINE_VECTOR_LEVEL")) machine.vector_level = level;
  machine.checks = parse_checks(options.check);
  machine.trace = !options.trace.empty();
  machine.sharing = true;
  // The sanitizers' runtime insists on being the first library.
  machine.host_time = options.host_time != "real" && !program.is_sanitized;
  const Watching watching{.machine = machine,
                          .simulator = options.simulator,
                          .thread = thread,
                          .picture = options.picture,
                          .lines = options.counters || !options.json.empty() || !options.sarif.empty()};
  std::optional<Processes> processes;
  try {
    processes.emplace(watching);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
  const Ending ending = run_with(*processes, program, options);
  if (ending.interrupted) return exit_status(ending.status);
  std::vector<ProcessRun> runs = processes->take();
  tell_signal(ending.status, options);
  int code = exit_status(ending.status);
  bool wrong = false;
  for (const ProcessRun& run : runs)
    if (conclude(run, options, code == 0)) wrong = true;
  if (code == 0 && wrong) code = 1;
  std::erase_if(runs, [](const ProcessRun& run) { return !run.finished; });
  if (runs.empty()) return code;
  std::fflush(stdout);
  for (const ProcessRun& run : runs) {
    if (machine.checks == 0) break;
    std::fprintf(stderr, "\n%s%s%s", run.who.c_str(), run.who.empty() ? "" : "\n",
                 check_report(run.findings, Terminal::of(2)).c_str());
    if (count_errors(run.findings) != 0) code = 1;
  }
  if (machine.trace)
    for (size_t i = 0; i < runs.size(); i++) write_trace(options, trace_of(options, i), runs[i]);
  report_run(options, machine.device, runs, code);
  if (options.picture) options.on_picture(best_of(runs, &ProcessRun::picture));
  return code;
} catch (const UsageError& error) {
  say(given, error.what());
  return 2;
} catch (const std::runtime_error& error) {
  say(given, error.what());
  return 3;
}

}  // namespace roofline::grader
