// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include "grader/base/paths.h"
#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/box/box.h"
#include "grader/box/process.h"
#include "grader/build/toolkit.h"
#include "grader/call/gpu_probe.h"
#include "grader/text/svg.h"
#include "grader/text/table.h"
#include "grader/verbs/verbs.h"
#include "simulator/channel/vector_level.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

enum class State { kGood, kMissing, kOptional };

struct Finding {
  State state = State::kGood;
  std::string what, found;
  std::string remedy;  ///< a command or a sentence; empty when nothing is to be done
};

/// First line that a program prints, or nothing when it does not run.
std::string first_line(const std::vector<std::string>& command) {
  try {
    const CommandResult result = run_command(command, {.limit = std::chrono::seconds(20)});
    if (result.ok()) return printable(result.output.substr(0, result.output.find('\n')));
  } catch (const std::runtime_error&) {  // not installed
  }
  return {};
}

Finding program(const std::string& what, const std::vector<std::string>& command, const std::string& package,
                State otherwise = State::kMissing) {
  const std::string line = first_line(command);
  if (!line.empty()) return {State::kGood, what, line, ""};
  return {otherwise, what, "not found", "sudo apt-get install -y " + package};
}

Finding toolkit() {
  try {
    const Toolkit found = find_toolkit();
    return {State::kGood, "CUDA compiler", "nvcc " + found.version + " in " + found.home.string(), ""};
  } catch (const InfrastructureError& error) {
    return {State::kMissing, "CUDA compiler", error.what(), "./lab setup"};
  }
}

Finding gpu() {
  const GpuProbe& probe = probe_gpus();
  if (!probe.gpus.empty()) {
    std::string names;
    for (const Gpu& one : probe.gpus)
      names += (names.empty() ? "" : ", ") + one.name + " (compute capability " +
               std::to_string(one.capability / 10) + "." + std::to_string(one.capability % 10) + ", " +
               compact(one.memory_gb) + " GB)";
    return {State::kGood, "GPU", names + "; driver for CUDA " + probe.driver + " in " + probe.folder, ""};
  }
  return {State::kOptional, "GPU",
          (probe.library ? probe.problem : "none, no NVIDIA driver is installed") +
              "; not needed, labs run on the simulated GPU",
          ""};
}

Finding built(const Paths& paths) {
  std::string missing;
  for (const fs::path& part :
       {paths.simulator() / "libcudart.so.13", paths.simulator() / "libredirect_cudart.so",
        paths.simulator() / "libvirtual_clock.so", paths.worker_library()}) {
    std::error_code ignored;
    if (!fs::exists(part, ignored)) missing += (missing.empty() ? "" : ", ") + paths.shown(part);
  }
  if (missing.empty())
    return {State::kGood, "build",
            paths.shown(paths.build) +
                (paths.came_built() ? ", which came with the course: nothing is built here" : ""),
            ""};
  if (paths.came_built())
    return {State::kMissing, "build", "missing " + missing + ", which came with the course",
            "git checkout -- built"};
  return {State::kMissing, "build", "missing " + missing, "./lab setup"};
}

Finding simulated(const Paths& paths) {
  std::string names;
  for (const std::string& id : sim::known_devices(paths.simulator() / "devices"))
    names += (names.empty() ? "" : ", ") + ("sim:" + id);
  if (names.empty()) return {State::kMissing, "simulated GPUs", "none built", "./lab setup"};
  return {State::kGood, "simulated GPUs", names, ""};
}

/// For the submissions of others alone: nobody boxes one's own.
Finding sandbox() {
  Finding found = program("sandbox", {"bwrap", "--version"}, "bubblewrap", State::kOptional);
  if (found.state != State::kGood) return found;
  const std::string problem = sandbox_problem(Sandbox::kNamespaces);
  if (problem.empty()) return found;
  return {State::kOptional, "sandbox", found.found + " cannot box submissions of others here: " + problem,
          "allow unprivileged user namespaces, or grade with --container as root in a container"};
}

/// For a class as well: what students and platforms pack.
Finding archives(const Paths& paths) {
  std::error_code ignored;
  if (fs::exists(paths.build / "bin" / "unpack", ignored))
    return {State::kGood, "archives", "can be unpacked", ""};
  return {State::kOptional, "archives", "built without libarchive: ./lab batch takes folders alone",
          "sudo apt-get install -y libarchive-dev, then ./lab setup"};
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  std::string model;  // stays empty on ARM, whose kernel gives numbers alone
  for (std::string line; std::getline(info, line);)
    if (const size_t colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
      model = ", " + line.substr(colon + 2);
  static constexpr std::pair<std::string_view, const char*> kNames[] = {
      {"v4", "x86-64-v4 (AVX-512)"}, {"v3", "x86-64-v3 (AVX2)"}, {"v2", "x86-64-v2"}, {"armv8", "aarch64"}};
  std::string level;
  for (const auto& [known, name] : kNames)
    if (level.empty() && sim::channel::cpu_has(known)) level = ", " + std::string(name);
  return std::to_string(std::thread::hardware_concurrency()) + " cores" + level + model;
}

Finding memory() {
  std::ifstream info("/proc/meminfo");
  double available = 0, total = 0;
  for (std::string name, unit; info >> name;) {
    double kib = 0;
    info >> kib;
    std::getline(info, unit);
    if (name == "MemTotal:") total = kib * 1024 / 1e9;
    if (name == "MemAvailable:") available = kib * 1024 / 1e9;
  }
  constexpr double kComfortable =
      2;  // GB: the largest simulated size with inputs, outputs and the judge's copies
  const std::string text = compact(total) + " GB, " + compact(available) + " GB free";
  if (available >= kComfortable) return {State::kGood, "memory", text, ""};
  return {State::kOptional, "memory", text, "close other programs: a simulated grade needs about 2 GB"};
}

Finding disk(const Paths& paths) {
  std::error_code error;
  const fs::space_info space = fs::space(paths.root, error);
  const double free = static_cast<double>(space.available) / 1e9;
  const std::string text = compact(free) + " GB free at " + paths.root.string();
  if (free > 1) return {State::kGood, "disk", text, ""};
  return {State::kMissing, "disk", text,
          "rm -r " + paths.shown(paths.cache()) + "   (it is rebuilt when needed)"};
}

std::string system_name() {
  std::ifstream release("/etc/os-release");
  std::string name = "Linux";
  for (std::string line; std::getline(release, line);)
    if (line.starts_with("PRETTY_NAME=")) name = line.substr(12);
  std::erase(name, '"');
  utsname kernel{};
  uname(&kernel);
  const std::string release_name = kernel.release;
  return name + ", kernel " + release_name +
         (release_name.find("icrosoft") != std::string::npos ? " (Windows Subsystem for Linux)" : "");
}

}  // namespace

int doctor_verb(const Paths& paths) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::vector<Finding> findings = {
      {State::kGood, "system", system_name(), ""},
      {State::kGood, "processor", processor(), ""},
      memory(),
      disk(paths),
      program("C++ compiler", {"g++", "--version"}, "build-essential"),
  };
  if (!paths.came_built()) {
    findings.push_back(program("CMake", {"cmake", "--version"}, "cmake"));
    findings.push_back(program("Ninja", {"ninja", "--version"}, "ninja-build"));
  }
  for (const Finding& finding : {toolkit(), built(paths), simulated(paths), gpu(),
                                 program("git", {"git", "--version"}, "git", State::kOptional), sandbox()})
    findings.push_back(finding);
  if (!paths.came_built()) findings.push_back(archives(paths));
  Table table({{""}, {"what"}, {"found", Column::Align::kWrap}});
  bool missing = false;
  for (const Finding& finding : findings) {
    const bool good = finding.state == State::kGood;
    missing |= finding.state == State::kMissing;
    const std::string mark(good                               ? terminal.either("✓", "+")
                           : finding.state == State::kMissing ? terminal.either("✗", "x")
                                                              : terminal.either("·", "-"));
    const Colour colour = good                               ? Colour::kGreen
                          : finding.state == State::kMissing ? Colour::kRed
                                                             : Colour::kYellow;
    table.add({terminal.paint(colour, mark), finding.what,
               finding.found + (finding.remedy.empty()
                                    ? ""
                                    : "\n" + std::string(terminal.either("→ ", "-> ")) + finding.remedy)});
  }
  std::fputs(table.render(terminal).c_str(), stdout);
  std::printf("\n  %s\n", missing ? "Something is missing: do what the arrows say, then ./lab doctor again."
                                  : "This machine can grade every lab.");
  return missing ? 3 : 0;
}

}  // namespace roofline::grader
