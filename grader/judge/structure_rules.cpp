// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/structure_rules.h"

#include <algorithm>

#include "grader/base/symbol_name.h"
#include "grader/lab/structure.h"

namespace roofline::grader {
namespace {

constexpr const char* kHostWaits = "host-waits";  ///< also the id of host_does_not_wait()

Check structure_check(const std::string& id, const std::string& title) {
  return {.id = id, .title = title, .kind = CheckKind::kStructure};
}

Check rule_of_part(const StructureCheck& rule, std::span<const CountedCalls> counted, bool simulated) {
  Check check = structure_check(rule.id, rule.title);
  if (counted.empty()) {
    check.verdict = Verdict::kSkipped;
    check.reason = simulated ? Class::kNone : Class::kUnsupportedDevice;
    check.message = simulated ? "no timed call finished" : "only a simulated device counts this";
    return check;
  }
  check.verdict = Verdict::kPass;
  for (const CountedCalls& calls : counted) {
    const auto complaint =
        rule.complaint({calls.region, calls.settings, calls.last ? &*calls.last : nullptr});
    if (!complaint) continue;
    check.verdict = Verdict::kFail;
    check.reason = Class::kWrongStructure;
    check.message = *complaint;
    break;
  }
  return check;
}

// Rules of every part: nothing where they have nothing to say.
using RuleOfEveryPart = std::optional<Check>(const Part&, std::span<const CountedCalls>);

std::optional<Check> given_stream(const Part&, std::span<const CountedCalls> counted) {
  for (const CountedCalls& calls : counted) {
    auto complaint = used_default_stream(calls.region);
    if (!complaint && calls.last) complaint = used_default_stream(*calls.last);
    if (!complaint) continue;
    Check check = structure_check("stream", "work is launched in the given stream");
    check.reason = Class::kWrongStructure;
    check.message = *complaint;
    return check;
  }
  return std::nullopt;
}

/// Whether the host waits in a call that gives it nothing to wait for: no copy reaches it, none has left its
/// memory, and no graph is made of the call's kernels.
bool waits_for_nothing(const sim::Region& call) {
  if (call.kernels.empty() || host_waits(call) == 0) return false;
  if (call.kernels.size() == 1) return true;
  return call.host_to_device_bytes == 0 && call.device_to_host_bytes == 0 && call.graph_launches == 0;
}

constexpr const char* kAllocateOnce =
    "cudaMalloc() cost far more than in simulated time: allocate memory in the first call and keep the "
    "pointer "
    "in a static variable, or take cudaMallocAsync() and cudaFreeAsync() with your stream";

/// What the virtual clock does not charge and a program around the call would.
std::optional<Check> remark_on_waits(const Part& part, std::span<const CountedCalls> counted) {
  // Where a part has a rule on it, the rule has said it.
  if (std::ranges::find(part.structure, kHostWaits, &StructureCheck::id) != part.structure.end())
    return std::nullopt;
  // The first call may prepare something.
  const auto last_of = [](const CountedCalls& calls) { return calls.last ? *calls.last : calls.region; };
  const bool waits = std::ranges::any_of(counted, waits_for_nothing, last_of);
  const bool frees = std::ranges::any_of(
      counted, [](const sim::Region& call) { return !call.kernels.empty() && call.waiting_frees != 0; },
      last_of);
  if (!waits && !frees) return std::nullopt;
  Check check = structure_check(kHostWaits, "the call returns while its kernels run");
  check.verdict = Verdict::kSkipped;
  check.reason = Class::kUnsupportedDevice;
  check.message =
      waits
          ? "not graded: the host waits for the kernels. Leave cudaDeviceSynchronize() and its like to the "
            "caller, who may launch the next kernel meanwhile. cudaFree() waits, too, and on a GPU it and "
          : "not graded: every call frees memory, and cudaFree() waits for all that the GPU was given. On a "
            "GPU it and ";
  check.message += kAllocateOnce;
  return check;
}

/// Simulated, a printed line costs little, and none is lost.
std::optional<Check> remark_on_printing(const Part&, std::span<const CountedCalls> counted) {
  const auto prints = [](const CountedCalls& calls) {
    return (calls.last ? *calls.last : calls.region).printed_bytes != 0;
  };
  if (!std::ranges::any_of(counted, prints)) return std::nullopt;
  Check check = structure_check("kernels-print", "kernels do not print");
  check.verdict = Verdict::kSkipped;
  check.reason = Class::kUnsupportedDevice;
  check.message =
      "not graded: a kernel calls printf(). On a GPU threads wait for each other there, its arguments go "
      "through "
      "memory, and only the last 1 MB of text is kept: take it out when the fault is found";
  return check;
}

constexpr RuleOfEveryPart* kRulesOfEveryPart[] = {given_stream, remark_on_waits, remark_on_printing};

}  // namespace

std::vector<Check> structure_checks(const Part& part, std::span<const CountedCalls> counted, bool simulated) {
  std::vector<Check> checks;
  for (const StructureCheck& rule : part.structure) checks.push_back(rule_of_part(rule, counted, simulated));
  for (RuleOfEveryPart* rule : kRulesOfEveryPart)
    if (auto check = rule(part, counted)) checks.push_back(std::move(*check));
  return checks;
}

std::optional<std::string> used_default_stream(const sim::Region& region) {
  const auto kernel =
      std::ranges::find(region.kernels, sim::kLegacyDefaultStream, &sim::KernelRecord::stream);
  if (kernel == region.kernels.end()) {
    if (region.default_stream_copies == 0) return std::nullopt;
    return "a copy or a fill ran in the legacy default stream, which does not wait for the stream that your "
           "function was given; write cudaMemcpyAsync(..., stream), cudaMemsetAsync(..., stream)";
  }
  const std::string name = readable_symbol(kernel->name);
  return name +
         " ran in the legacy default stream instead of the stream that your function was given; write " +
         (kernel->graph_launch != 0
              ? "cudaGraphLaunch(exec, stream)"
              : name.substr(0, name.find('(')) + "<<<blocks, threads, shared bytes, stream>>>(...)");
}

}  // namespace roofline::grader
