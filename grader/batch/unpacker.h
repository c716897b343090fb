// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "grader/box/box.h"
#include "grader/unpack/unpack.h"

/// Archives are read by a program of its own, in a box (grader/unpack/).
namespace roofline::grader {

/// Wall time for archives: of a submission, and of all of them together. Who unpacks when the latter is spent
/// has a second.
class UnpackingTime {
 public:
  using Seconds = std::chrono::duration<double>;
  static constexpr Seconds kOfSubmission{20}, kOfBatch{300}, kAfterwards{1};
  void begin_submission() { of_submission_ = kOfSubmission; }
  /// For the next archive.
  Seconds left() const { return std::min(of_submission_, std::max(of_batch_, kAfterwards)); }
  void spend(Seconds seconds) {
    of_submission_ -= seconds;
    of_batch_ -= seconds;
  }

 private:
  Seconds of_submission_ = kOfSubmission, of_batch_ = kOfBatch;
};

struct Unpacker {
  Sandbox sandbox = Sandbox::kNone;
  std::filesystem::path program;  ///< empty: built without libarchive
  std::shared_ptr<UnpackingTime> time = std::make_shared<UnpackingTime>();
};

/// By its name: zip, or tar with any compression.
bool is_archive(const std::string& name);

/// Of a student: the files of these names. What is wrong with the archive is in the contents' problem. Throws
/// InfrastructureError where a box cannot be made or there is no unpacker.
unpack::Contents unpack_submission(const Unpacker& unpacker, const std::filesystem::path& archive,
                                   const std::vector<std::string>& names);

/// Of a class, as a platform exports it: every file's name, and the content of sources, tables and archives.
unpack::Contents unpack_class(const Unpacker& unpacker, const std::filesystem::path& archive);

}  // namespace roofline::grader
