// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

#include "grader/lab/spec.h"

namespace roofline::grader {

/// What an instructor keeps from the class, a TOML file:
///
///     seed = 20260131            # everybody's inputs are drawn from it; left out: fresh ones for everybody
///     [[case]]
///     part = "01"
///     n = 123457                 # every setting of the part's own cases
///     misaligned = 1             # elements past an aligned address; left out: none
///
/// Adds the cases to the parts, behind their own, and returns the seed, `otherwise` where the file has none.
/// Their titles do not say what they are. Throws UsageError that names the line.
std::uint64_t add_hidden(std::vector<Lab>& labs, const std::filesystem::path& file, std::uint64_t otherwise);

}  // namespace roofline::grader
