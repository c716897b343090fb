// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

/// Simulated times that were found once: the same program on the same simulated GPU takes them again.
namespace roofline::grader {

/// Which file that is, by its content: hashed once a process, and again when it changes.
std::string identity_of(const std::filesystem::path& file);
/// Of all files of the simulated GPU, wherever they lie.
std::string simulator_identity(const std::filesystem::path& simulator_directory);

/// Seconds; 0 where nothing is remembered in `file`.
double remembered_seconds(const std::filesystem::path& file);
void remember_seconds(const std::filesystem::path& file, double seconds);

}  // namespace roofline::grader
