// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/channel/machine_options.h"
#include "simulator/channel/observed.h"

namespace roofline::grader {

/// `./lab run [--device sim:NAME] [--counters] [--check LIST] [--trace FILE]
/// [--explain BLOCK,THREAD] [--] PROGRAM [ARGS]`.
struct RunOptions {
  std::string device = "sim";  ///< "sim", "sim:NAME" or "auto": always the simulated GPU, NAME as in devices/
  bool counters = false;       ///< print counts by kernel and source line, and advice, to stderr at the end
  bool advice = true;          ///< with the counters
  std::filesystem::path json;  ///< the same for programs; "-": standard output, empty: none
  std::filesystem::path sarif;   ///< advice and findings for editors and code hosts
  std::string explain;           ///< BLOCK,THREAD whose path is printed, empty: none
  std::string explain_kernel;    ///< part of the kernel's name; empty: any
  unsigned explain_launch = 1;   ///< n-th launch of such a kernel
  unsigned explain_limit = 200;  ///< instructions that are printed
  /// What one warp does at a source line is written down, and given to `on_picture` when the program has
  /// ended.
  std::optional<sim::PictureRequest> picture{};
  std::function<void(const sim::AccessPicture&)> on_picture{};
  std::string check;  ///< "memory,init,race,sync" or "all": what to look for; empty: nothing
  /// Of the simulated GPU. An endless loop ends at the time limit; device, checks and trace are set by the
  /// above.
  sim::MachineOptions machine{.time_limit = 600};
  /// How long the program's own code takes on the clocks that it reads: "cpu" (what it takes here), "free"
  /// (nothing), or "real": its clocks are this computer's.
  std::string host_time = "cpu";
  std::string program;                 ///< a path, or a name looked up in PATH
  std::filesystem::path trace;         ///< write a timeline there; empty: none
  std::vector<std::string> arguments;  ///< the program's own
  std::filesystem::path simulator;     ///< folder of libcudart.so.13; empty: the one of this build
  std::string shown = "lab run";       ///< who speaks
};

/// Runs any nvcc-built program on the simulated GPU. Returns the program's exit status (128 + signal when one
/// killed it); 1 when it returned 0 although a kernel of any of its processes faulted or one called a
/// function that the simulated GPU lacks, or when a check found something; 2 when it cannot be run there at
/// all, with one sentence on stderr that says why.
int run_program(const RunOptions& options);

}  // namespace roofline::grader
