// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/handout/course.h"

/// What is handed out built: programs for every x86-64 Linux from glibc 2.31 on, made of the files that are
/// handed out.
namespace roofline::grader {

/// The oldest glibc that the programs run with, as a wheel's tag says it; cmake/portable/floor checks it.
constexpr const char* kPlatformTag = "manylinux_2_31_x86_64";

/// Builds `files` apart from the checkout, in build/handout, where the next time only what changed is built;
/// returns the folder with bin/, simulator/ and worker/, which belongs to build/handout. What is said
/// meanwhile goes to stderr. Throws UsageError in a course repository, which has no means to,
/// InfrastructureError where the build fails.
std::filesystem::path build_portable(const Paths& paths, const std::vector<CourseFile>& files);

/// `folder` holds these files and no other afterwards; those that have not changed are not touched.
void mirror(const std::vector<CourseFile>& files, const std::filesystem::path& folder);

/// The files below `folder`, named below `prefix`, to hand out.
std::vector<CourseFile> files_below(const std::filesystem::path& folder, const std::filesystem::path& prefix);

/// Writes files with their permissions.
void write_files(const std::vector<CourseFile>& files, const std::filesystem::path& folder);

/// The simulator on its own, `built` being what build_portable returned: a folder that runs wherever it is
/// put, with a README, and in it a wheel for pip. Returns the wheel's name.
std::string write_simulator(const Paths& paths, const std::filesystem::path& built,
                            const std::string& version, const std::filesystem::path& folder);

}  // namespace roofline::grader
