// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace roofline::grader {

/// A regular file of at most `most` bytes that is not a link, read through a descriptor so that it cannot
/// become one meanwhile.
std::optional<std::string> read_regular(const std::filesystem::path& file, std::size_t most);

}  // namespace roofline::grader
