// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/report/report.h"
#include "grader/text/html.h"

/// The pieces that report.cpp puts together.
namespace roofline::grader {

/// "passed", "wrong-answer", "excellent" ... as a small label.
void outcome_chip(Html& html, const Result& result);
/// "87 %" with a bar and the thresholds as marks.
void roof_bar(Html& html, const Measurement& line);
/// "simulated NVIDIA A100-SXM4-40GB, toolkit 13.0, time model 3f9a1c2e" or "NVIDIA H200, driver 13.0,
/// toolkit 13.0".
std::string device_text(const DeviceRecord& device);
/// "modelled" or "measured".
std::string how_known(const DeviceRecord& device);

/// A table that says what a figure shows; closed on screen, open on paper.
void table_for_figure(Html& html, const std::string& what, const std::vector<std::string>& heads,
                      const std::vector<std::vector<std::string>>& rows);

/// The section of one part: state, checks, measurements, figures, source.
void part_section(Html& html, const ReportPart& part);
/// The graded file with what each line did, and the advisor's sentences at their lines.
void source_table(Html& html, const ReportPart& part);
/// The attempt that source_table shows: the last with counts; -1: none.
int attempt_with_lines(const ReportPart& part);

}  // namespace roofline::grader
