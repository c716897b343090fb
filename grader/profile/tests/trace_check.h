// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

/// A timeline in the Chrome trace event format, read back and checked.
namespace roofline::grader {

struct TraceSlice {
  std::string name, category;
  int process = 0, track = 0;
  double start = 0, end = 0;
  nlohmann::json arguments;
  bool overlaps(const TraceSlice& other) const { return start < other.end && other.start < end; }
};

struct ReadTrace {
  nlohmann::json json;
  std::vector<TraceSlice> slices;
  std::map<std::pair<int, int>, std::string> tracks;
  std::map<int, std::string> processes;

  /// Slices of tracks whose name is this.
  std::vector<TraceSlice> on(const std::string& track) const {
    std::vector<TraceSlice> found;
    for (const auto& slice : slices)
      if (const auto name = tracks.find({slice.process, slice.track});
          name != tracks.end() && name->second == track)
        found.push_back(slice);
    return found;
  }
  std::vector<TraceSlice> named(const std::string& name, const std::string& category) const {
    std::vector<TraceSlice> found;
    for (const auto& slice : slices)
      if (slice.name == name && slice.category == category) found.push_back(slice);
    return found;
  }
};

/// Parses it and expects what every trace must hold: each track and process has a name, slices of a track do
/// not overlap, each arrow has a beginning and an end that lie in slices and point forward, counters are
/// never negative.
inline ReadTrace read_trace(const std::string& text) {
  ReadTrace trace;
  trace.json = nlohmann::json::parse(text);
  struct End {
    std::pair<int, int> track;
    double at = -1;
  };
  std::map<int, std::pair<End, End>> arrows;
  for (const auto& event : trace.json.at("traceEvents")) {
    const std::string phase = event.at("ph");
    const int process = event.at("pid");
    const std::pair track{process, event.value("tid", 0)};
    if (phase == "M" && event.at("name") == "thread_name") trace.tracks[track] = event.at("args").at("name");
    if (phase == "M" && event.at("name") == "process_name")
      trace.processes[process] = event.at("args").at("name");
    if (phase == "X") {
      const double start = event.at("ts"), length = event.at("dur");
      EXPECT_GE(length, 0);
      trace.slices.push_back({event.at("name"), event.at("cat"), process, track.second, start, start + length,
                              event.value("args", nlohmann::json::object())});
    }
    if (phase == "C") {
      for (const auto& [unit, value] : event.at("args").items()) EXPECT_GE(value.get<double>(), 0) << unit;
    }
    if (phase == "s") arrows[event.at("id")].first = {track, event.at("ts")};
    if (phase == "f") arrows[event.at("id")].second = {track, event.at("ts")};
  }
  std::map<std::pair<int, int>, std::vector<TraceSlice>> by_track;
  for (const auto& slice : trace.slices) by_track[{slice.process, slice.track}].push_back(slice);
  constexpr double kRounding = 1e-6;  // microseconds
  for (auto& [track, slices] : by_track) {
    EXPECT_TRUE(trace.tracks.contains(track)) << "a track without a name";
    EXPECT_TRUE(trace.processes.contains(track.first)) << "a process without a name";
    std::stable_sort(slices.begin(), slices.end(),
                     [](const auto& a, const auto& b) { return a.start < b.start; });
    for (size_t i = 1; i < slices.size(); ++i)
      EXPECT_LE(slices[i - 1].end, slices[i].start + kRounding)
          << trace.tracks[track] << ": " << slices[i - 1].name << " and " << slices[i].name;
  }
  const auto lies_in_a_slice = [&](const End& end) {
    const auto found = by_track.find(end.track);
    return found != by_track.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](const TraceSlice& slice) {
             return slice.start - kRounding <= end.at && end.at <= slice.end + kRounding;
           });
  };
  for (const auto& [id, ends] : arrows) {
    EXPECT_TRUE(lies_in_a_slice(ends.first)) << "arrow " << id << " begins nowhere";
    EXPECT_TRUE(lies_in_a_slice(ends.second)) << "arrow " << id << " ends nowhere";
    EXPECT_LE(ends.first.at, ends.second.at + kRounding) << "arrow " << id << " points back in time";
  }
  return trace;
}

}  // namespace roofline::grader
