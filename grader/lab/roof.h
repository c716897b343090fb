// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/lab/spec.h"

/// A roof is a trusted program, built and run exactly as a learner's part is, on the same device in the same
/// run. Its files stand in common/roofs/: NAME.h declares the function, NAME.cu defines it; the table is
/// roof.cpp.
namespace roofline::grader {

/// What of the device a roof measures: the lines of a roofline diagram, or something else.
enum class RoofKind { kOther, kMemory, kFp32, kTensor };

struct Roof {
  std::string id{}, title{}, unit{};  ///< "copy", "...", "GB/s" or "TFLOP/s"
  Program program{};                  ///< header and source relative to common/roofs
  NamedValues settings{};
  std::function<double(const Settings&)> work{};           ///< bytes or FLOPs of one call
  double unit_scale = 1e9;                                 ///< work per second over this is the value
  std::function<double(const DeviceFacts&)> data_sheet{};  ///< in `unit`
  RoofKind kind = RoofKind::kOther;
  bool keeps_buffers = false;  ///< a call prepares for its addresses: all calls that are timed get the same
  int minimum_capability = 0;  ///< below it there is no such roof
  bool of_hardware = true;     ///< false: a trusted version of some lab's work, no limit of the device
};

const std::vector<Roof>& all_roofs();
/// nullptr when there is none.
const Roof* find_roof(std::string_view id);
/// Throws std::out_of_range with the list of known roofs.
const Roof& roof(std::string_view id);

}  // namespace roofline::grader
