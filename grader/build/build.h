// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/box/box.h"
#include "grader/box/process.h"
#include "grader/build/diagnostics.h"
#include "grader/build/toolkit.h"

/// From a learner's file to a worker executable, compiled at most once for the same content.
namespace roofline::grader {

/// What to compile. The file is copied first and the copy compiled, so that what is hashed is what runs, and
/// headers beside a submission cannot replace the lab's.
struct BuildRequest {
  std::filesystem::path source;          ///< the learner's file
  std::filesystem::path folder;          ///< of the lab or of the roofs: its headers
  std::string header;                    ///< in `folder`: declares the function
  std::string function;                  ///< what the learner defines
  std::filesystem::path adapter;         ///< file that defines main; empty: the generic entry
  std::vector<int> capabilities = {80};  ///< PTX and SASS for each
  std::string shown{};                   ///< what messages call the source; empty: its path
  std::vector<std::string> libraries{};  ///< of the toolkit, beside cudart: "cublas"
  bool quick = false;  ///< PTX alone, as fast as possible: enough for a simulated device and correctness
  std::chrono::seconds limit{120};  ///< wall time of each of the compiler and the linker
};

struct BuildResult {
  std::filesystem::path worker;  ///< empty when it could not be built
  std::filesystem::path object;  ///< the learner's file alone, compiled; empty when it could not be
  std::string source_sha256;
  bool cached = false;
  bool timed_out = false;
  std::string sentence;  ///< what went wrong in one sentence
  std::vector<Diagnostic> diagnostics;
  std::string output;  ///< of the compiler: capped and printable
  bool ok() const { return !worker.empty(); }
};

class Builder {
 public:
  /// `tick` is called while a compiler runs. With a sandbox, what a learner wrote is compiled and linked in a
  /// box that sees the headers, never a spec or a solution.
  Builder(const Paths& paths, Toolkit toolkit, std::function<void()> tick = {},
          Sandbox sandbox = Sandbox::kNone);

  /// A submission that does not compile is a result, not an exception. Throws InfrastructureError when our
  /// own parts are missing or do not compile.
  BuildResult build(const BuildRequest& request);

  const Toolkit& toolkit() const { return toolkit_; }

  /// Removes what a process of ours that was killed while it compiled left in the cache.
  static void forget_work_of(const Paths& paths, int pid);

 private:
  struct Object;
  struct Unit;
  std::string environment_key(const BuildRequest& request) const;
  std::vector<std::string> compile_command(const BuildRequest& request) const;
  Object compile(const BuildRequest& request, const Unit& unit, const std::string& environment,
                 Sandbox sandbox);
  CommandResult compile_boxed(const BuildRequest& request, const std::string& text,
                              const std::filesystem::path& object);
  CommandResult link_boxed(const BuildRequest& request, const Object& learner, const Object& entry,
                           const std::filesystem::path& worker);
  std::vector<std::string> link_command(const std::string& learner, const std::string& entry,
                                        const std::string& worker_library, const std::string& worker) const;
  std::string quick_script(const std::vector<std::string>& command,
                           const std::vector<std::string>& environment, const std::string& key) const;
  Object entry(const BuildRequest& request, const std::string& environment);
  void link(const BuildRequest& request, const Object& learner, const Object& entry, const std::string& key,
            BuildResult& result);

  Paths paths_;
  Toolkit toolkit_;
  std::function<void()> tick_;
  Sandbox sandbox_;
};

/// SHA-256 over the names and contents of the headers that a file compiled for `folder` may see.
std::string headers_sha256(const std::filesystem::path& root, const std::filesystem::path& folder);
/// Those headers.
std::vector<std::filesystem::path> headers_for(const std::filesystem::path& root,
                                               const std::filesystem::path& folder);

}  // namespace roofline::grader
