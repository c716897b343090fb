// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "grader/report/report.h"
#include "grader/text/svg.h"

namespace roofline::grader {

/// A place on the roofline.
struct PlacedPoint {
  std::string part{}, what{};  ///< "03b", "bandwidth"
  unsigned attempt = 0;        ///< from 1
  double intensity = 0;        ///< FLOP per DRAM byte
  double tflops = 0;
  bool best = false;    ///< of the part's best attempt
  bool passed = false;  ///< the attempt passed
};

/// Rates that bound a device: measured or modelled where a grade has found them, else 0.
struct DeviceRoofs {
  double copy_gbps = 0, fp32_tflops = 0, tensor_tflops = 0;
  DataSheet sheet;

  double memory() const { return copy_gbps > 0 ? copy_gbps : sheet.gbps; }
  double fp32() const { return fp32_tflops > 0 ? fp32_tflops : sheet.fp32_tflops; }
  double tensor() const { return tensor_tflops > 0 ? tensor_tflops : sheet.tensor_tflops; }
};

/// One device and all that was graded on it.
struct DeviceRoofline {
  DeviceRecord device{};
  DeviceRoofs roofs{};
  std::vector<PlacedPoint> points{};
};

/// What the figures share: their width, and the space for words beside the axes.
inline constexpr double kFigureWidth = 720, kFigureLeft = 64, kFigureRight = 20;
/// "simulated NVIDIA H200, modelled"
std::string subtitle_of(const DeviceRecord& device);

/// Figures show the latest attempts and the best one: the page stays small, and a reader sees something.
inline constexpr size_t kMostAttempts = 8;
bool in_figures(const ReportPart& part, size_t attempt);

/// One for each device, in the order in which they were first used. Devices without a known memory roof are
/// left out.
std::vector<DeviceRoofline> rooflines_of(const ReportData& data);

Svg roofline_figure(const DeviceRoofline& device);

/// Fractions of the roof, attempt by attempt, one diagram for each measurement; nothing without two attempts.
std::optional<Svg> ladder_figure(const ReportPart& part);

/// Host calls, streams and copy engines of a graded call; nothing where there is no timeline.
std::optional<Svg> timeline_figure(const Timeline& timeline, const DeviceRecord& device);

}  // namespace roofline::grader
