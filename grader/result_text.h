// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/result.h"
#include "grader/terminal.h"

/// A result as a person reads it.
namespace roofline::grader {

/// "simulated NVIDIA A100-SXM4-40GB" or "NVIDIA H200".
std::string device_label(const DeviceRecord& device);

/// What was graded, check by check, measurements with bars, sweeps, the verdict.
std::string result_text(const Result& result, const Terminal& terminal);

/// One line a lab.
std::string summary_text(const std::vector<Result>& results, const Terminal& terminal);

/// "passed", "wrong-answer": the class where there is one, coloured by the verdict.
std::string verdict_text(Verdict verdict, Class reason, const Terminal& terminal);

}  // namespace roofline::grader
