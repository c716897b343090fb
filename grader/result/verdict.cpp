// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "grader/result/result.h"

namespace roofline::grader {

std::string_view name_of(Verdict verdict) {
  static constexpr std::string_view kNames[] = {"pass", "fail", "noisy", "skipped", "error"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view name_of(Class reason) {
  switch (reason) {
    case Class::kNone:
      return "";
    case Class::kDoesNotCompile:
      return "does-not-compile";
    case Class::kWrongAnswer:
      return "wrong-answer";
    case Class::kOutOfBounds:
      return "out-of-bounds";
    case Class::kMisaligned:
      return "misaligned";
    case Class::kRace:
      return "race";
    case Class::kUninitialised:
      return "uninitialised";
    case Class::kDeadlock:
      return "deadlock";
    case Class::kCrashed:
      return "crashed";
    case Class::kTimeout:
      return "timeout";
    case Class::kTooSlow:
      return "too-slow";
    case Class::kImpossible:
      return "impossible";
    case Class::kNotImplemented:
      return "not-implemented";
    case Class::kMemoryLimit:
      return "memory-limit";
    case Class::kBudgetExceeded:
      return "budget-exceeded";
    case Class::kDoubleFree:
      return "double-free";
    case Class::kNotReleased:
      return "not-released";
    case Class::kHostComputed:
      return "host-computed";
    case Class::kInputChanged:
      return "input-changed";
    case Class::kWrongStructure:
      return "wrong-structure";
    case Class::kWrongPrediction:
      return "wrong-prediction";
    case Class::kNotAnswered:
      return "not-answered";
    case Class::kInfrastructure:
      return "infrastructure";
    case Class::kNotReached:
      return "not-reached";
    case Class::kUnsupportedDevice:
      return "unsupported-device";
  }
  return "";
}

std::string_view name_of(CheckKind kind) {
  static constexpr std::string_view kNames[] = {"build", "correctness", "structure", "performance",
                                                "prediction"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::pair<std::string, std::string>> DeviceRecord::changes() const {
  std::vector<std::pair<std::string, std::string>> found;
  for (std::size_t at = simulated ? id.find(',') : id.npos; at != id.npos;) {
    const std::size_t next = id.find(',', at + 1);
    const std::string change = id.substr(at + 1, next == id.npos ? next : next - at - 1);
    const std::size_t equals = std::min(change.find('='), change.size());
    found.emplace_back(change.substr(0, equals), change.substr(std::min(equals + 1, change.size())));
    at = next;
  }
  return found;
}

const Check* Result::find(std::string_view id) const {
  const auto found = std::ranges::find_if(checks, [&](const Check& check) { return check.id == id; });
  return found == checks.end() ? nullptr : &*found;
}

bool right_not_timed(const Result& result) {
  return result.verdict == Verdict::kSkipped && std::ranges::any_of(result.checks, [](const Check& check) {
           return check.kind == CheckKind::kCorrectness && check.verdict == Verdict::kPass;
         });
}

int exit_status(const Result& result) {
  if (result.verdict == Verdict::kPass) return 0;
  return result.verdict == Verdict::kFail ? 1 : 3;
}

}  // namespace roofline::grader
