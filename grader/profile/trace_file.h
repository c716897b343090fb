// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/channel/observed.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {

/// A timeline in the Chrome trace event format, which https://ui.perfetto.dev and chrome://tracing open: one
/// process for the host's calls, one for each simulated GPU with its copy engines, streams and counters,
/// arrows from a call to the work that it submitted and from the work before an event to the work that waited
/// for it. Times are virtual microseconds. The same run gives the same bytes.
std::string trace_json(const sim::Trace& trace, const sim::Region& region,
                       const sim::DeviceDescription& device, const std::string& program);

}  // namespace roofline::grader
