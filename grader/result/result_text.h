// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/result/result.h"
#include "grader/text/terminal.h"

/// A result as a person reads it.
namespace roofline::grader {

/// "simulated NVIDIA A100-SXM4-40GB" or "NVIDIA H200".
std::string device_label(const DeviceRecord& device);

/// What was graded, check by check, measurements with bars, sweeps, the verdict.
std::string result_text(const Result& result, const Terminal& terminal);

/// What a check says, after the place that it names: "labs/01-pointwise/pointwise.cu:7: kernel ...".
std::string message_of(const Check& check, const Result& result);

/// What the program printed, without the simulated device's words that a check repeats.
std::string output_of(const Result& result);

/// The same under a heading, `indent` columns in: its first lines, so that the verdict stays in view. Empty
/// where nothing was printed.
std::string output_text(const Result& result, const Terminal& terminal, int indent);

/// One line a lab.
std::string summary_text(const std::vector<Result>& results, const Terminal& terminal);

/// "passed", "wrong-answer": the class where there is one, coloured by the verdict.
std::string verdict_text(Verdict verdict, Class reason, const Terminal& terminal);

}  // namespace roofline::grader
