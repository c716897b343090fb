// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/filter.h>
#include <sys/resource.h>

#include <utility>
#include <vector>

namespace roofline::grader {

/// What a child process gives up between fork and exec.
struct Confinement {
  int uid = -1;  ///< user and group to become, without supplementary groups; -1: stay
  std::vector<std::pair<int, rlimit>> limits{};
  std::vector<sock_filter> filter{};  ///< of system calls; empty: none
  bool first_to_go = false;           ///< when the machine runs out of memory
  std::vector<int> keep{};            ///< descriptors to leave open; all others above 2 are closed by exec
};

/// In the child: only system calls. False where the system refused, with errno set.
bool confine(const Confinement& confinement);

/// No file that is open now, but 0 to 2, outlives exec: what `confine` does where Linux is older than 5.11.
/// For between fork and exec, too.
bool close_listed_on_exec();

/// For code that nobody vouches for: no tracing of other processes, no namespaces or mounts, no keys, no BPF,
/// no clocks, no sockets but AF_UNIX. `shared_memory`: whether it may make memory that its limits do not
/// count, which drivers of real devices need.
std::vector<sock_filter> untrusted_code_filter(bool shared_memory);

}  // namespace roofline::grader
