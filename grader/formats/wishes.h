// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/formats/format.h"

/// `./lab grade --format NAME=FILE`: what one grade shall be written as.
namespace roofline::grader {

struct FormatWish {
  const Format* format = nullptr;
  std::filesystem::path file;  ///< empty: where the format belongs
};

/// "junit=junit.xml", "github". Throws UsageError.
std::vector<FormatWish> wishes_of(const std::vector<std::string>& texts);

/// `out` is told what was written.
void write_wishes(const std::vector<FormatWish>& wishes, const std::vector<Result>& results,
                  const Paths& paths, std::FILE* out);

}  // namespace roofline::grader
