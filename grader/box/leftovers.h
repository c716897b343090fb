// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

/// Folders of boxes that a killed grader (SIGKILL, power) left behind go away at the next start.
namespace roofline::grader {

/// A new folder in the system's place for such things. A lock in it says that its process lives.
class BoxFolder {
 public:
  /// Throws std::system_error.
  BoxFolder();
  ~BoxFolder();
  BoxFolder(const BoxFolder&) = delete;
  BoxFolder& operator=(const BoxFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// Removes the folders in `place` that nobody holds and that are older than a minute; how many. A process
/// identifier would not do: another container that shares the place has its own.
unsigned collect_leftovers(const std::filesystem::path& place);

}  // namespace roofline::grader
