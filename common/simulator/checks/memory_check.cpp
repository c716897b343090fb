// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulator/checks/checker.h"
#include "simulator/text.h"

/// The memory check: faults of kernels, wrong frees, what was never freed.
namespace roofline::sim {

namespace {

std::string describe(u64 address, u64 bytes, const std::string& origin) {
  return "the " + std::to_string(bytes) + "-byte allocation at " + hex(address) + " (" + origin + ")";
}

Finding memory_finding(const char* rule, std::string message, std::string advice) {
  Finding finding;
  finding.check = kCheckMemory;
  finding.rule = rule;
  finding.message = std::move(message);
  finding.advice = std::move(advice);
  return finding;
}

struct Verdict {
  Check check;
  const char *rule, *advice;
};

Verdict verdict_on(const Trap& trap) {
  switch (trap.kind) {
    case TrapKind::kIllegalAddress:
    case TrapKind::kInvalidAddressSpace:
      if (trap.address == AddressFault::kFreed)
        return {kCheckMemory, "use-after-free",
                "free memory only when the last kernel that uses it has ended"};
      if (trap.address == AddressFault::kHostMemory)
        return {kCheckMemory, "host-pointer",
                "a kernel cannot reach the program's ordinary memory: give it a pointer from cudaMalloc, and "
                "cudaMemcpy the data there first"};
      if (trap.address == AddressFault::kDestroyedObject)
        return {kCheckMemory, "use-after-free",
                "destroy a texture or surface object only when the last kernel that uses it has ended"};
      if (trap.address == AddressFault::kWrongObject)
        return {
            kCheckMemory, "wrong-object",
            "use the function for what the object refers to: tex2D for a 2D array, tex1Dfetch for memory"};
      return {kCheckMemory, "out-of-bounds",
              "compare the index with the number of elements before the access: if (i < n)"};
    case TrapKind::kMisalignedAddress:
      return {kCheckMemory, "misaligned",
              "an access of 2, 4, 8 or 16 bytes needs an address that is a multiple of its size"};
    case TrapKind::kStackOverflow:
      return {kCheckMemory, "stack-overflow", "raise cudaLimitStackSize, or recurse less deeply"};
    case TrapKind::kDivergentBarrier:
      return {
          kCheckSync, "divergent-barrier",
          "every thread of a block must pass the same __syncthreads(): move it out of the condition or loop"};
    case TrapKind::kDeadlock:
      return {kCheckSync, "deadlock",
              "find what the waiting threads wait for, and who should bring it about"};
    case TrapKind::kIllegalInstruction:
      return {kCheckSync, "invalid-barrier", "a named barrier takes one thread count, a multiple of 32"};
    default:
      return {kCheckMemory, nullptr, nullptr};
  }
}

}  // namespace

std::string Checker::name_allocation(const std::string& call) {
  return call + " no. " + std::to_string(++calls_[call]);
}

void Checker::allocated(u64 address, u64 bytes, const std::string& origin) {
  live_[address] = {bytes, origin};
  freed_.erase(address);
  streams_.allocated(address, bytes);
  if (does(kCheckInit)) init_.allocated(address, bytes, origin);
}

void Checker::releasing(u64 address, bool ordered, u32 stream) {
  const auto found = live_.find(address);
  if (!ordered) streams_.host_waited_for_device(found == live_.end() ? streams_.gpu() : gpu_of(address));
  if (found == live_.end()) return;
  const std::string call = ordered ? "cudaFreeAsync" : "cudaFree";
  const std::string freed = found->second.origin + ", freed by " + name_allocation(call);
  if (ordered && does(kCheckMemory)) {
    streams_.begin(stream, call);
    streams_.writes(address, found->second.bytes);
    streams_.end(nullptr, true);
  }
  device_of(address).rename_allocation(address, freed);
  init_.released(address);
  freed_[address] = {found->second.bytes, freed};
  live_.erase(found);
}

void Checker::release_refused(u64 address) {
  if (!does(kCheckMemory)) return;
  if (const auto known = freed_.find(address); known != freed_.end()) {
    findings_.add(memory_finding(
        "double-free",
        "memory is freed twice: " + describe(address, known->second.bytes, known->second.origin),
        "free each allocation once; set the pointer to nullptr when it is freed"));
    return;
  }
  auto below = live_.upper_bound(address);
  if (below != live_.begin()) --below;
  if (below != live_.end() && address >= below->first && address < below->first + below->second.bytes) {
    findings_.add(memory_finding("invalid-free",
                                 "cudaFree of an address " + count_of(address - below->first, "byte") +
                                     " into " +
                                     describe(below->first, below->second.bytes, below->second.origin),
                                 "pass cudaFree the pointer that cudaMalloc gave"));
    return;
  }
  findings_.add(memory_finding("invalid-free", "cudaFree of " + hex(address) + ": " + explain(address),
                               "pass cudaFree only pointers that cudaMalloc gave"));
}

void Checker::trapped(const Trap& trap) {
  faulted_ = true;
  const Verdict verdict = verdict_on(trap);
  if (verdict.rule == nullptr || !does(verdict.check)) return;
  if (verdict.check == kCheckSync && sync_.reported()) return;  // it follows from what was found
  Finding finding;
  finding.check = verdict.check;
  finding.rule = verdict.rule;
  finding.advice = verdict.advice;
  finding.kernel = readable_name(trap.kernel);
  finding.block = triple(trap.block);
  finding.thread = triple(trap.thread);
  finding.message = trap.message;
  if (verdict.check == kCheckMemory)
    finding.message.resize(std::min(finding.message.find("\n    at "), finding.message.size()));
  Finding::Place place;
  place.what = "thread " + finding.thread;
  place.file = trap.source_file;
  place.line = trap.source_line;
  place.ptx_line = trap.ptx_line;
  finding.places.push_back(std::move(place));
  findings_.add(std::move(finding));
}

namespace {

/// A thread that reads too early reads what nobody has written yet: that is told as the race which it is.
bool is_side_of_race(const Finding& read, const std::deque<Finding>& all) {
  if (read.check != kCheckInit || read.places.empty()) return false;
  const Finding::Place& here = read.places.front();
  return std::any_of(all.begin(), all.end(), [&](const Finding& race) {
    if (race.check != kCheckRace || race.kernel != read.kernel) return false;
    return std::any_of(race.places.begin(), race.places.end(), [&](const Finding::Place& place) {
      return place.file == here.file && place.line == here.line &&
             (here.line != 0 || place.ptx_line == here.ptx_line);
    });
  });
}

constexpr size_t kMostFailed = 10;  // calls: further ones follow from those

Finding finding_of(const Checker::FailedCall& failed, u64 count) {
  const std::string error = failed.error + " (" + failed.text + ")";
  Finding finding =
      failed.launch
          ? memory_finding("failed-launch",
                           "the launch of kernel '" + failed.call + "'" + failed.site + " fails with " +
                               error + ": the kernel never ran, and the program never asked",
                           "a launch returns nothing: call cudaGetLastError() after it and check the result")
          : memory_finding("failed-call",
                           failed.call + failed.site + " fails with " + error +
                               ", and the program never calls cudaGetLastError()",
                           "check what every call returns; if the program handles the error and goes on, "
                           "cudaGetLastError() clears it");
  // What a call returned may have been looked at: nobody but the program knows.
  if (!failed.launch) finding.level = Finding::Level::kNote;
  finding.count = count;
  return finding;
}

}  // namespace

void Checker::call_failed(FailedCall call) {
  if (!does(kCheckMemory)) return;
  const auto known = std::ranges::find(unseen_, call, &std::pair<FailedCall, u64>::first);
  if (known != unseen_.end())
    ++known->second;
  else if (call.launch || unseen_.size() < kMostFailed)
    unseen_.emplace_back(std::move(call), 1);
}

std::vector<Finding> Checker::findings() {
  std::vector<Finding> all;
  for (const Finding& finding : findings_.all())
    if (does(finding.check) && !(init_.came_too_early(finding) && is_side_of_race(finding, findings_.all())))
      all.push_back(finding);
  for (const auto& [failed, count] : unseen_) all.push_back(finding_of(failed, count));
  all.insert(all.end(), lost_.begin(), lost_.end());
  if (auto lost = leak(0, ~u64{0})) all.push_back(std::move(*lost));
  return all;
}

std::optional<Finding> Checker::leak(u64 begin, u64 end) const {
  if (!does(kCheckMemory) || faulted_) return {};
  u64 bytes = 0;
  std::string list;
  size_t named = 0;
  for (auto it = live_.lower_bound(begin); it != live_.end() && it->first < end; ++it) {
    bytes += it->second.bytes;
    if (++named <= 10) list += "\n    " + describe(it->first, it->second.bytes, it->second.origin);
  }
  if (named == 0) return {};
  if (named > 10) list += "\n    and " + std::to_string(named - 10) + " more";
  Finding lost = memory_finding(
      "leak", count_of(named, "allocation") + " of " + count_of(bytes, "byte") + " never freed:" + list,
      "cudaFree what cudaMalloc gave; the end of the program frees it too");
  lost.level = Finding::Level::kNote;
  lost.count = named;
  return lost;
}

}  // namespace roofline::sim
