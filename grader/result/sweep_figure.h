// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "grader/result/result.h"
#include "grader/text/svg.h"

namespace roofline::grader {

/// The three curves of the article: run time, arithmetic rate and bandwidth against the argument of the
/// sweep, on log axes, with both roofs, the knee where they meet, and the knee of the data sheet.
std::string sweep_svg(const SweepResult& sweep, const DeviceRecord& device);
/// The same as a figure for a page; nothing without points.
std::optional<Svg> sweep_figure(const SweepResult& sweep, const DeviceRecord& device);

/// Value of the argument at which the data sheet's two rates meet; nothing where it has no rates or the sweep
/// no points.
std::optional<double> data_sheet_knee(const SweepResult& sweep);

}  // namespace roofline::grader
