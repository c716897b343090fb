// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/run/run.h"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>

#include "grader/base/paths.h"
#include "grader/base/printable.h"
#include "grader/box/child.h"
#include "grader/profile/check_report.h"
#include "grader/profile/cuda_program.h"
#include "grader/profile/explain.h"
#include "grader/profile/trace_file.h"
#include "grader/run/run_report.h"
#include "grader/text/terminal.h"
#include "simulator/host/session.h"

namespace roofline::grader {
namespace {

/// Patience with a program that was asked to end.
constexpr std::chrono::seconds kGrace{3};

/// Wall time that a kernel gets after its program has ended.
constexpr std::chrono::seconds kKernelGrace{20};

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
                                         int guest_fd) {
  const std::string directory = options.simulator.string();
  const auto before = [](const std::string& first, const std::string& variable) {
    const char* old = std::getenv(variable.c_str());
    return variable + "=" + first + (old && *old ? std::string(":") + old : "");
  };
  std::vector<std::string> added = {
      before(directory, "LD_LIBRARY_PATH"),
      before(directory + "/libredirect_cudart.so", "LD_AUDIT"),  // where the runtime is linked in
      "ROOFLINE_DEVICE_FD=" + std::to_string(guest_fd),
      // For other processes of the program.
      "ROOFLINE_DEVICE=" + options.machine.device, "ROOFLINE_GPUS=" + std::to_string(options.machine.gpus)};
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

/// Waits for the program; passes on what asks `run` to end, and insists after a while.
Ending wait_for(pid_t pid) {
  const sigset_t awaited = awaited_signals();
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> deadline;
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return {status, deadline.has_value()};
    const timespec tick{1, 0};
    const int signal = sigtimedwait(&awaited, nullptr, &tick);
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
      kill(pid, signal);
      if (!deadline) deadline = Clock::now() + kGrace;
    }
    if (deadline && Clock::now() > *deadline) kill(pid, SIGKILL);
  }
}

/// Starts the program with the guest's end of the session's channel; throws UsageError when it cannot be
/// executed.
Ending run_in_session(const CudaProgram& program, const RunOptions& options, sim::Session& session) {
  const sigset_t awaited = awaited_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &awaited, &before);
  std::vector<std::string> arguments = {options.program};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  const Child child = start_child({.arguments = std::move(arguments),
                                   .environment = environment_for(program, options, session.guest_fd()),
                                   .program = program.path,
                                   .keep = {session.guest_fd()},
                                   .mask = &before});
  if (child.pid < 0) throw InfrastructureError(std::string("fork: ") + std::strerror(child.error));
  session.close_guest_fd();
  const Ending ending = wait_for(child.pid);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child.error != 0)
    throw UsageError(options.program + " cannot be executed: " + std::strerror(child.error));
  return ending;
}

/// What the machine saw. The program has ended, but a kernel that it did not wait for may still run: it gets
/// a while, then the machine is ended, as a GPU stops the kernels of a program that is gone.
std::optional<sim::Region> region_of(sim::Session& session) {
  std::mutex mutex;
  std::condition_variable_any changed;
  const pid_t machine = session.machine_pid();
  const std::jthread impatience([&](std::stop_token stop) {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, stop, kKernelGrace, [&] { return stop.stop_requested(); }))
      kill(machine, SIGKILL);
  });
  try {
    return session.end_region();
  } catch (const std::runtime_error&) {
    return {};
  }
}

int exit_status(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// The exit status that `lab run` takes over, and what a person must know about it.
int conclude(int status, const RunOptions& options, const sim::Region& region) {
  int code = exit_status(status);
  if (WIFSIGNALED(status)) {
    say(options, options.program + " was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                     strsignal(WTERMSIG(status)) + ")");
    if (WTERMSIG(status) == SIGSEGV)
      say(options,
          "host code that dereferences a device pointer ends like this, as on a real GPU: copy with "
          "cudaMemcpy first");
  }
  for (const std::string& name : region.missing_functions)
    say(options, "it called " + printable(name) + ", which the simulated GPU lacks");
  if (!region.load_errors.empty()) say(options, "its device code could not be loaded: see above");
  if (!region.traps.empty()) say(options, std::to_string(region.traps.size()) + " kernel(s) faulted");
  if (region.unread_output_bytes)
    say(options, "kernels printed " + std::to_string(region.unread_output_bytes) +
                     " bytes that were never shown: call cudaDeviceSynchronize before the program ends");
  if (region.host_code_seconds > 0 && options.host_time == "cpu")
    say(options,
        "note: " + options.program +
            " reads the host's clock: it showed simulated GPU time and the CPU time that the program's "
            "own code took on this computer, which differs from run to run (--host-time free leaves "
            "that out)");
  if (region.launches_refused && region.kernels.empty() && region.load_errors.empty())
    say(options, "note: no kernel ran: " + std::to_string(region.launches_refused) +
                     (region.launches_refused == 1 ? " launch was" : " launches were") +
                     " refused (call cudaGetLastError() after a launch: it tells why)");
  else if (region.kernels.empty() && region.missing_functions.empty() && region.load_errors.empty() &&
           code == 0)
    say(options, "note: no kernel ran: " + options.program + " launched none");
  const bool wrong =
      !region.missing_functions.empty() || !region.traps.empty() || !region.load_errors.empty();
  if (code == 0 && wrong) code = 1;
  return code;
}

void write_trace(const RunOptions& options, const std::string& device, const sim::Trace& trace,
                 const sim::Region& region) {
  const auto description = sim::load_device(options.simulator / "devices", device);
  std::ofstream file(options.trace);
  file << trace_json(trace, region, description, options.program);
  if (!file.flush()) throw UsageError(options.trace.string() + " cannot be written: " + std::strerror(errno));
  say(options, "simulated timeline: " + options.trace.string() + " (open it at https://ui.perfetto.dev)" +
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
  sim::Session session = [&] {
    try {
      return sim::Session::start(options.simulator, machine);
    } catch (const std::runtime_error& error) {
      throw UsageError(error.what());
    }
  }();
  if (thread) session.follow(*thread);
  if (options.picture) session.picture(*options.picture);
  session.begin_region();
  const Ending ending = run_in_session(program, options, session);
  if (ending.interrupted) return exit_status(ending.status);
  const std::optional<sim::Region> seen = region_of(session);
  if (!seen) {
    say(options, "the simulated GPU did not finish what " + options.program +
                     " left running: its kernels were stopped");
    return std::max(1, exit_status(ending.status));
  }
  const sim::Region& region = *seen;
  int code = conclude(ending.status, options, region);
  std::vector<Finding> found;
  if (machine.checks != 0) {
    const std::vector<sim::Finding> findings = session.findings();
    std::fflush(stdout);
    std::fprintf(stderr, "\n%s", check_report(findings, Terminal::of(2)).c_str());
    if (count_errors(findings) != 0) code = 1;
    found = as_findings(findings);
  }
  if (machine.trace) write_trace(options, machine.device, session.trace(), region);
  report_run(options, machine.device, session, region, code, std::move(found));
  if (options.picture) options.on_picture(session.pictured());
  return code;
} catch (const UsageError& error) {
  say(given, error.what());
  return 2;
} catch (const std::runtime_error& error) {
  say(given, error.what());
  return 3;
}

}  // namespace roofline::grader
