// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <optional>

#include "grader/device.h"
#include "grader/grading.h"

namespace roofline::grader {
namespace {

/// Small cases end in well under a second; a hung kernel should not keep a learner waiting.
constexpr double kCaseDeadline = 12;
/// Restarts of the worker after faults, before the remaining cases are left out.
constexpr unsigned kMaxRestarts = 4;
/// Device bytes beyond which a case is long, and runs once.
constexpr std::uint64_t kOnceBeyond = std::uint64_t{1} << 30;

std::uint64_t available_host_bytes() {
  std::ifstream memory("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  while (memory >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024;
    memory.ignore(64, '\n');
  }
  return 0;
}

class CaseRunner {
 public:
  CaseRunner(Grading& grading, const DeviceChoice& device, const DeviceFacts& facts, std::string prefix)
      : grading_(grading), device_(device), facts_(facts), prefix_(std::move(prefix)) {}

  void run() {
    const auto& cases = grading_.part.cases;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const double done = static_cast<double>(i) / static_cast<double>(cases.size());
      grading_.progress("correctness", cases[i].title, 0.5 * done);
      Check check;
      check.id = prefix_ + cases[i].id;
      check.title = cases[i].title;
      check.kind = CheckKind::kCorrectness;
      decide(check, cases[i]);
      grading_.add(std::move(check));
    }
    if (rig_) keep_output();
  }

 private:
  std::optional<std::string> reason_to_skip(const Case& one) const {
    if (one.gpu_only && facts_.simulated) return "too large to simulate";
    if (one.needs_memory > facts_.memory_bytes) return "the device has too little memory";
    // Input, output, and the judge's own copy of it.
    if (one.needs_memory > 0 && 3 * one.needs_memory > available_host_bytes())
      return "this host has too little memory";
    return std::nullopt;
  }

  void decide(Check& check, const Case& one) {
    if (const auto why = reason_to_skip(one)) {
      check.verdict = Verdict::kSkipped;
      check.reason = Class::kUnsupportedDevice;
      check.message = *why;
      return;
    }
    if (stop_) {
      check.verdict = Verdict::kFail;
      check.reason = *stop_;
      check.message = "not run: an earlier case stopped the grade";
      return;
    }
    CallShape shape;
    shape.settings = Settings(one.settings, facts_);
    shape.seed = grading_.next_seed();
    shape.special_values = one.special_values;
    shape.misaligned_elements = one.misaligned_elements;
    shape.alias = one.alias;
    shape.guards = !facts_.simulated;
    const CallPlan plan(grading_.part.program, shape);
    Examination examination;
    try {
      examination = call_twice(plan);
    } catch (const StartFault& fault) {
      examination.fault = {Class::kCrashed, fault.what(), {}, 0};
      stop_ = Class::kCrashed;
    }
    if (examination.fault.reason == Class::kNotImplemented && any_right_) {
      examination.fault = {Class::kWrongAnswer, "nothing was written", {}, 0};
    }
    any_right_ = any_right_ || (!examination.fault && writes_something(plan));
    check.verdict = examination.fault ? Verdict::kFail : Verdict::kPass;
    check.reason = examination.fault.reason;
    check.message = examination.fault.message;
    check.file = examination.fault.file;
    check.line = examination.fault.line;
    check.detail = std::move(examination.detail);
    after_fault(examination.fault);
  }

  void remember(const CallPlan& plan, const CallOutcome& outcome) {
    const auto bytes = static_cast<double>(plan.device_bytes());
    if (!outcome.go || (grading_.probe && grading_.probe->bytes >= bytes)) return;
    std::string title;
    for (const auto& [name, value] : plan.shape().settings.all()) {
      title += (title.empty() ? "" : ", ") + name + " = " + std::to_string(static_cast<long long>(value));
    }
    grading_.probe = {plan.shape().settings, title, bytes, device_seconds(*outcome.go)};
  }

  /// The same call twice: right both times, and the same bits.
  Examination call_twice(const CallPlan& plan) {
    Rig& rig = rig_for(plan);
    const ExamineOptions options = grading_.examine_options();
    const CallOutcome first = rig.call(plan);
    Examination examination = examine(plan, first, rig.input(), options);
    if (examination.fault) return examination;
    remember(plan, first);
    if (plan.device_bytes() > kOnceBeyond) return examination;
    const CallOutcome second = rig.call(plan);
    if (second.fault) {
      examination.fault = second.fault;
    } else if (const auto differs = first_difference(plan, first, second)) {
      examination = different(plan, second, options, *differs);
    }
    return examination;
  }

  /// The second of two equal calls gave other bits: an answer that was not computed again, or a race.
  Examination different(const CallPlan& plan, const CallOutcome& second, const ExamineOptions& options,
                        const std::pair<std::string, std::uint64_t>& where) const {
    Examination examination = examine(plan, second, rig_->input(), options);
    if (examination.fault.reason == Class::kNotImplemented) {
      examination.fault = {
          Class::kWrongAnswer, "right when first called, nothing written when called again", {}, 0};
      return examination;
    }
    examination.fault = {Class::kRace,
                         "two runs with the same input differ, first at " + where.first + "[" +
                             std::to_string(where.second) + "]: a race, or memory that nobody initialised",
                         {},
                         0};
    return examination;
  }

  Rig& rig_for(const CallPlan& plan) {
    const bool fits = plan.input_bytes() <= room_.input && plan.output_bytes() <= room_.output;
    if (!rig_ || !rig_->usable() || !fits) {
      if (rig_) keep_output();
      rig_.reset();
      room_.input = std::max<std::uint64_t>({room_.input, plan.input_bytes(), std::uint64_t{16} << 20});
      room_.output = std::max<std::uint64_t>({room_.output, plan.output_bytes(), std::uint64_t{32} << 20});
      const double deadline = plan.device_bytes() > kOnceBeyond
                                  ? grading_.part.deadline_seconds
                                  : std::min(kCaseDeadline, grading_.part.deadline_seconds);
      rig_.emplace(rig_options(device_, grading_.options, deadline), grading_.submission.worker,
                   grading_.part.program, room_.input, room_.output);
    }
    return *rig_;
  }

  static bool writes_something(const CallPlan& plan) {
    return std::ranges::any_of(plan.arrays(), [](const ArrayPlan& array) {
      return array.argument->kind == Argument::Kind::kOutput && array.elements > 0;
    });
  }

  void after_fault(const Fault& fault) {
    if (fault.reason == Class::kNotImplemented || fault.reason == Class::kTimeout) stop_ = fault.reason;
    if (rig_ && !rig_->usable() && ++restarts_ >= kMaxRestarts) stop_ = fault.reason;
  }

  void keep_output() {
    std::string& all = grading_.result.program_output;
    if (all.size() < 64 * 1024) all += rig_->program_output();
  }

  Grading& grading_;
  const DeviceChoice& device_;
  const DeviceFacts& facts_;
  std::string prefix_;
  std::optional<Rig> rig_;
  Room room_;
  unsigned restarts_ = 0;
  bool any_right_ = false;
  std::optional<Class> stop_;
};

}  // namespace

void grade_correctness(Grading& grading, const DeviceChoice& device, const std::string& prefix) {
  const DeviceFacts facts =
      device.simulated == grading.facts.simulated ? grading.facts : device_facts(device, grading.options);
  CaseRunner(grading, device, facts, prefix).run();
}

}  // namespace roofline::grader
