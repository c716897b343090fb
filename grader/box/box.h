// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/paths.h"
#include "grader/box/confinement.h"
#include "grader/box/leftovers.h"

/// Boxes: where what a learner wrote is compiled and run when it is not the learner who grades. A box sees
/// /usr, the toolkit and the files that were shown to it, all read only; no network, no other process, none
/// of our descriptors but those of the protocol.
namespace roofline::grader {

enum class Sandbox : std::uint8_t {
  kNone,        ///< a process group with limits: for one's own work on one's own machine
  kNamespaces,  ///< bubblewrap
  kContainer    ///< for root in a container that has no user namespaces: a user of its own for each box
};
std::string_view name_of(Sandbox sandbox);

/// What this machine refuses of what the sandbox needs; empty: nothing.
std::string sandbox_problem(Sandbox sandbox);
/// Throws InfrastructureError with one sentence where there is a problem.
void require_sandbox(Sandbox sandbox);

/// In a container nothing but permissions hides a file: closes folders to every user but their owner. Throws
/// InfrastructureError where that fails.
void close_to_others(const std::vector<std::filesystem::path>& folders);
/// What no submission may read: specs, solutions, the grader's own files.
void close_course(const Paths& paths);

/// What to execute so that a program runs in a box.
struct Entrance {
  std::vector<std::string> arguments;    ///< of execve; the first is the program's path
  std::vector<std::string> environment;  ///< complete
  std::filesystem::path directory;       ///< to be in before; empty: anywhere
  Confinement confinement;
};

class Box {
 public:
  enum class Kind : std::uint8_t { kCompile, kRun, kRunOnGpu };

  /// An empty box. `toolkit`, `driver`: folders to be seen at their own paths. Throws InfrastructureError.
  Box(Sandbox sandbox, Kind kind, std::filesystem::path toolkit, std::filesystem::path driver = {});
  ~Box();  ///< what was in it is gone, processes and files
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;

  /// Copies a file into the box, read only, as `name` (relative); returns its path for those inside.
  std::string show(const std::filesystem::path& file, const std::string& name);
  std::string write(std::string_view text, const std::string& name);
  /// A name in the box as those inside see it.
  std::string inside(const std::string& name) const;

  /// The one folder that those inside can write to and that outlives them: as they see it, and as we do. Only
  /// a compile box has it.
  std::string output_inside() const;
  const std::filesystem::path& output() const { return output_; }

  /// `environment`: NAME=VALUE, complete. `directory`: a name in the box; empty: a folder for temporary
  /// files. `keep`: the protocol's descriptors.
  Entrance enter(const std::vector<std::string>& program, const std::vector<std::string>& environment,
                 const std::string& directory, std::vector<int> keep);

  /// After the program ended by itself: whether it had begun. False: the box could not be made, which is no
  /// fault of the program.
  bool was_entered();

 private:
  void enter_namespaces(const std::vector<std::string>& program, const std::vector<std::string>& environment,
                        const std::string& directory, Entrance& entrance);
  void enter_container(const std::vector<std::string>& program, const std::vector<std::string>& environment,
                       const std::string& directory, Entrance& entrance);

  Sandbox sandbox_;
  Kind kind_;
  std::array<std::filesystem::path, 2> folders_;  ///< toolkit and driver
  BoxFolder folder_;
  std::filesystem::path shown_, output_;
  int uid_ = -1;              ///< of those inside, seen from outside; -1: ours
  int filter_ = -1;           ///< descriptor of the filter's bytes, for bubblewrap
  int report_[2] = {-1, -1};  ///< pipe on which bubblewrap says what became of the program
};

}  // namespace roofline::grader
