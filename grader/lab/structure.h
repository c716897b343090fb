// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "grader/lab/value.h"
#include "simulator/channel/observed.h"

namespace roofline::grader {

/// What the machine counted in the timed calls of one size (simulated devices only).
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

}  // namespace roofline::grader
