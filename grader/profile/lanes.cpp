// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/lanes.h"

#include <algorithm>

#include "grader/base/printable.h"
#include "grader/base/symbol_name.h"

namespace roofline::grader {
namespace {

using sim::AccessPicture;

const char* name_of(AccessPicture::Kind kind) {
  return kind == AccessPicture::Kind::kLoad    ? "load"
         : kind == AccessPicture::Kind::kStore ? "store"
                                               : "atomic";
}

LaneRequest lane_request(const AccessPicture& picture, const AccessPicture::Request& from) {
  LaneRequest request;
  request.line = picture.instructions.at(from.instruction).line;
  request.what = name_of(from.kind);
  request.place = printable(picture.places.at(from.place).what);
  request.shared = from.shared;
  request.width = from.width;
  request.mask = from.mask;
  request.phase = static_cast<std::int64_t>(from.address % 128);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    request.offsets.push_back(
        request.active(lane) ? static_cast<std::int64_t>(from.addresses.at(lane) - from.address) : 0);
  request.cost = static_cast<double>(from.cost);
  request.ideal = static_cast<double>(from.ideal);
  return request;
}

}  // namespace

LanePictures lanes_of(const AccessPicture& picture, const sim::PictureRequest& asked) {
  LanePictures lanes;
  lanes.kernel = readable_symbol(picture.kernel);
  lanes.line = asked.line;
  lanes.launch = asked.launch;
  lanes.warp = asked.warp;
  lanes.warps = static_cast<unsigned>((picture.block_size.count() + kLanes - 1) / kLanes);
  lanes.block = asked.block;
  lanes.existing = picture.existing;
  for (const auto& request : picture.requests) lanes.requests.push_back(lane_request(picture, request));
  lanes.all_requests = picture.all_requests;
  for (const auto& step : picture.steps) {
    const unsigned line = picture.instructions.at(step.instruction).line;
    if (!lanes.steps.empty() && lanes.steps.back().line == line && lanes.steps.back().active == step.active)
      ++lanes.steps.back().count;
    else
      lanes.steps.push_back({line, step.active, 1});
  }
  lanes.all_steps = picture.all_steps;
  lanes.written_width = picture.written_width;
  if (picture.written_width != 0)
    lanes.written_place = printable(picture.places.at(picture.written_place).what);
  for (const auto& writer : picture.writers)
    lanes.writers.push_back({writer.element, writer.block, writer.thread});
  return lanes;
}

std::string no_lanes(const AccessPicture& picture, const sim::PictureRequest& request) {
  const std::string place = request.file + ":" + std::to_string(request.line);
  if (picture.launches == 0)
    return place +
           ": no kernel that was launched has code of this file; compile with nvcc -lineinfo, and see "
           "that the program launches it";
  if (picture.kernel.empty())
    return place + ": its kernels were launched " + std::to_string(picture.launches) +
           (picture.launches == 1 ? " time" : " times") + " only; --launch counts from 1";
  std::string text = place + ": " + picture.problem;
  if (!picture.lines.empty()) {
    text += "; lines that access memory:";
    for (const sim::u32 line : picture.lines) text += " " + std::to_string(line);
  }
  return text;
}

}  // namespace roofline::grader
