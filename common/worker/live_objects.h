// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace roofline::worker {

/// Streams, events, graphs, executable graphs and memory that the program made and has not given back. The
/// calls that make and destroy them are defined in live_objects.cpp, which notes the handle and calls the
/// CUDA runtime: a program's own definition comes before a library's.
struct LiveObjects {
  int streams = 0, events = 0, graphs = 0, executable_graphs = 0;
  int device_memory = 0, host_memory = 0;  ///< allocations; managed ones are the device's

  bool operator==(const LiveObjects&) const = default;
};

/// Those of the whole process.
LiveObjects live_objects();

/// "2 graphs and 1 event": what lives now and did not before; empty where nothing does.
std::string left_alive(const LiveObjects& before, const LiveObjects& now);

}  // namespace roofline::worker
