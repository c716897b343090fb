// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

namespace roofline::grader {

/// nvcc only calls other programs, one after the other: for the host gcc -E, cudafe++; for the device gcc -E,
/// cicc, fatbinary; then gcc -c. From the output of `nvcc --dryrun` for one file and PTX alone: a shell
/// script that runs both sides at the same time and leaves the host's unoptimised, which takes a third less,
/// or half. What the sides share, the name of the translation unit, is `unique` (letters and digits). Nothing
/// where the steps are not these, as of another version of nvcc: then nvcc itself has to compile.
std::optional<std::string> quick_compile_script(const std::string& dryrun, const std::string& unique);

}  // namespace roofline::grader
