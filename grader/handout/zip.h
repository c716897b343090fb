// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace roofline::grader {

struct ZipEntry {
  std::string name;  ///< with slashes, relative
  std::string bytes;
  bool executable = false;
};

/// A zip archive, stored and not compressed; the same entries give the same bytes.
std::string zip_archive(const std::vector<ZipEntry>& entries);

}  // namespace roofline::grader
