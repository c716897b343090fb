// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/traced_call.h"

#include <optional>

#include "grader/base/error.h"
#include "grader/profile/lanes.h"

namespace roofline::grader {
namespace {

/// Device bytes of a call whose every request may be looked at: a second or so.
constexpr std::uint64_t kTracedBytes = 3 << 20;

/// The largest of the small cases without anything special about it.
std::optional<CallPlan> plan_of(const Part& part, const DeviceFacts& facts, std::uint64_t seed) {
  std::optional<CallPlan> best;
  for (const Case& one : part.cases) {
    if (one.gpu_only || one.hidden || one.special_values || one.misaligned_elements != 0 ||
        !one.alias.empty() || one.needs_memory != 0)
      continue;
    CallShape shape;
    shape.settings = Settings(one.settings, facts);
    shape.seed = seed;
    shape.guards = false;
    shape.fetch_inputs = false;
    const CallPlan plan(part.program, shape);
    const bool fits = plan.device_bytes() <= kTracedBytes;
    if (fits && (!best || plan.device_bytes() > best->device_bytes())) best = plan;
  }
  return best;
}

}  // namespace

LanePictures traced_call(const Part& part, const DeviceFacts& facts, const std::filesystem::path& worker,
                         const RigOptions& options, std::uint64_t seed, const sim::PictureRequest& request) {
  const std::optional<CallPlan> plan = plan_of(part, facts, seed);
  if (!plan) throw UsageError("this part has no case that is small enough to be looked at lane by lane");
  try {
    Rig rig(options, worker, part.program, plan->input_bytes(), plan->output_bytes());
    rig.simulated().picture(request);
    const CallOutcome outcome = rig.call(*plan);
    // Without an answer there is no machine to ask, either.
    if (outcome.fault.reason == Class::kTimeout) throw UsageError(outcome.fault.message);
    const sim::AccessPicture picture = rig.simulated().pictured();
    if (!picture.found && outcome.fault) throw UsageError("the program stopped: " + outcome.fault.message);
    if (!picture.found) throw UsageError(no_lanes(picture, request));
    LanePictures lanes = lanes_of(picture, request);
    lanes.what_ran = arguments_text(*plan);
    return lanes;
  } catch (const StartFault& fault) {
    throw UsageError(fault.what());
  }
}

}  // namespace roofline::grader
