// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace roofline::grader {

/// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// The whole file; throws std::runtime_error that names it.
std::string read_file(const std::filesystem::path& path);

/// By its owner.
bool is_executable(const std::filesystem::path& file);

/// Writes beside the file and renames, so that a reader sees the old or the new content and never half of
/// one. Makes missing folders. Throws std::runtime_error that names the file.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace roofline::grader
