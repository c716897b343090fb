// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grader/box/box.h"
#include "grader/unpack/unpack.h"

/// Archives are read by a program of its own, in a box (grader/unpack/).
namespace roofline::grader {

struct Unpacker {
  Sandbox sandbox = Sandbox::kNone;
  std::filesystem::path program;  ///< empty: built without libarchive
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
