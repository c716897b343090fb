// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/checks/finding.h"

namespace roofline::sim::channel {

struct WirePlace {
  Finding::Place place;
  void fields(auto& io) { io(place.what, place.file, place.line, place.ptx_line, place.ptx); }
};

/// A finding as the observer's channel carries it.
struct WireFinding {
  Finding finding;
  std::vector<WirePlace> places;

  WireFinding() = default;
  explicit WireFinding(Finding from) : finding(std::move(from)) {
    for (Finding::Place& place : finding.places) places.push_back({std::move(place)});
    finding.places.clear();
  }
  Finding take() {
    for (WirePlace& place : places) finding.places.push_back(std::move(place.place));
    return std::move(finding);
  }
  void fields(auto& io) {
    auto& f = finding;
    io(f.check, f.level, f.rule, f.message, f.advice, f.kernel, f.block, f.thread, places, f.count);
  }
};

}  // namespace roofline::sim::channel
