// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace roofline::grader {

/// What a measurement on a GPU depends on beside the program: clocks, power limit, throttle reasons, ECC,
/// PCIe, MIG, WSL. Asked of nvidia-smi; empty values are left out, and without that program only what the
/// kernel tells is there.
std::vector<std::pair<std::string, std::string>> gpu_environment(int ordinal);

/// One line of `nvidia-smi --query-gpu` output for the fields of gpu_environment.
std::vector<std::pair<std::string, std::string>> parse_smi(const std::string& line);

}  // namespace roofline::grader
