// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/lab/value.h"
#include "simulator/channel/observed.h"

namespace roofline::grader {

/// What the machine counted in the timed calls of one size; for a GPU in calls on the simulated one that is
/// like it.
struct Observation {
  const sim::Region& region;  ///< the first call
  const Settings& settings;
  const sim::Region* last = nullptr;  ///< the last call; none when there was only one
};
/// A rule about how the work is done, decided from the device's counters, never from the source text.
struct StructureCheck {
  std::string id{}, title{};
  std::function<std::optional<std::string>(const Observation&)> complaint{};  ///< nothing when it holds
};
/// The most spans, from start to end, that hold a moment in common; one that ends where another begins does
/// not.
unsigned most_at_a_time(const std::vector<std::pair<double, double>>& spans);

StructureCheck one_kernel();
StructureCheck kernels_between(unsigned least, unsigned most);
/// Sectors requested over the fewest that the bytes need.
StructureCheck coalesced(double limit);
/// Wavefronts of shared memory over the fewest that the accesses need: lanes that meet in a bank take turns.
StructureCheck no_bank_conflicts(double limit);
StructureCheck no_local_memory();
/// Code that was compiled at run time is kept: only the first call loads any.
StructureCheck no_new_code();
/// Graphs are made while the call is prepared: none is instantiated when it is timed.
StructureCheck no_new_graph();
/// DRAM bytes over the bytes that the work needs.
StructureCheck traffic_at_most(double limit, std::function<double(const Settings&)> required_bytes);

// Of programs that feed the device from the host; all in bytes.

/// What went over the link to the device is no less than was required, and at most `limit` times as much.
StructureCheck over_the_link(double limit, std::function<double(const Settings&)> required_bytes);
/// Memory that host and device can see.
StructureCheck pinned_at_most(std::function<double(const Settings&)> bytes);
/// Device memory alive at a time, the call's arrays included.
StructureCheck device_memory_at_most(std::function<double(const Settings&)> bytes);
/// Floating-point operations of all kernels together.
StructureCheck flops_at_least(std::function<double(const Settings&)> required);

// Of programs on several GPUs.

/// What each GPU sends to others, and what it receives, over the link between them, is at most `limit` times
/// these bytes, and together they send at least as many.
StructureCheck each_gpu_sends(double limit, std::function<double(const Settings&)> bytes);
/// Times that the program waited for a stream, an event or a device during a call; without the worker's own
/// waits behind it, for its first stream and for each GPU.
std::uint64_t host_waits(const sim::Region& region);
/// Streams wait for each other by events; the host waits for nothing.
StructureCheck host_does_not_wait();

}  // namespace roofline::grader
