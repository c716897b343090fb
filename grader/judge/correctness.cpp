// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <ranges>
#include <span>

#include "grader/base/units.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/grading.h"
#include "grader/judge/structure_rules.h"

namespace roofline::grader {
namespace {

/// Small cases end in well under a second; a hung kernel should not keep a learner waiting.
constexpr double kCaseDeadline = 12;
/// Restarts of the worker after faults, before the remaining cases are left out.
constexpr unsigned kMaxRestarts = 4;
/// Device bytes beyond which a case is long, and runs once.
constexpr std::uint64_t kOnceBeyond = std::uint64_t{1} << 30;
/// Lane instructions up to which a case runs once more with every check of the simulated device on: they make
/// it several times slower. Of those with more, the first that have so many in all: a kernel that fills the
/// device has more in its smallest case.
constexpr std::uint64_t kCheckedUpTo = 20'000'000, kCheckedBeyond = 150'000'000;
/// Arrays of so many bytes are always checked: nobody gets out of it by doing more than the case needs, and
/// nobody needs ten times as much as that.
constexpr std::uint64_t kCheckedBytes = 64 * 1024, kMostChecked = 10 * kCheckedUpTo;
/// Cases without a written word before the rest is left out on a GPU, which does not tell whether a kernel
/// ran.
constexpr unsigned kMostUnwritten = 3;
/// A quick grade: device bytes up to which a case is small, the cases that run even when time is up, and how
/// long a kernel may take.
constexpr std::uint64_t kSmallBytes = 3 << 20;
constexpr std::size_t kLeastCases = 4;
constexpr double kQuickDeadline = 5;
/// Blocks that run at each end of a grid where it is too large for the simulated device.
constexpr std::uint64_t kBlocksAtEnds = 4;
constexpr const char* kNothingWritten = "nothing was written here";
constexpr Room kFirstRoom = {std::uint64_t{16} << 20, std::uint64_t{32} << 20};

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

/// Takes the time from here to the end of the block from a budget, whatever happens meanwhile.
class SpentTime {
 public:
  explicit SpentTime(Budget& budget) : budget_(budget) {}
  ~SpentTime() {
    budget_.spend(std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count());
  }
  SpentTime(const SpentTime&) = delete;
  SpentTime& operator=(const SpentTime&) = delete;

 private:
  Budget& budget_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

class CaseRunner {
 public:
  CaseRunner(Grading& grading, const DeviceChoice& device, const DeviceFacts& facts, std::string prefix)
      : grading_(grading), device_(device), facts_(facts), prefix_(std::move(prefix)) {}

  void run() {
    const std::vector<Case> cases = quick_ ? telling_first(grading_.part.cases) : grading_.part.cases;
    const auto begin = std::chrono::steady_clock::now();
    std::size_t left_out = 0, ran = 0;
    if (quick_) make_room();
    const std::size_t first_check = grading_.result.checks.size();
    for (std::size_t i = 0; i < cases.size() && !grading_.ended; ++i) {
      const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - begin;
      const bool late =
          ran >= kLeastCases && cases[i].tells.empty() && so_far.count() > grading_.options.quick_seconds;
      if (quick_ && (late || !is_small(cases[i]))) {
        ++left_out;
        continue;
      }
      if (cases[i].gpu_only && facts_.simulated && !grading_.facts.simulated) continue;  // the GPU decided it
      ++ran;
      const double done = static_cast<double>(i) / static_cast<double>(cases.size());
      grading_.progress("correctness", cases[i].title, 0.5 * done);
      Check check{.id = prefix_ + cases[i].id, .title = cases[i].title, .kind = CheckKind::kCorrectness};
      if (cases[i].hidden && !hidden_) end_visible();
      decide(check, cases[i]);
      if (quick_ && !hidden_ && !cases[i].tells.empty()) check.detail.emplace_back("tells", cases[i].tells);
      if (hidden_) conceal(check);
      grading_.add(std::move(check));
    }
    if (left_out > 0) leave_out(left_out);
    tell_unwritten_from_missing(std::span(grading_.result.checks).subspan(first_check));
    for (std::optional<Rig>* rig : {&rig_, &checked_})
      if (*rig && (quick_ || rig == &rig_)) keep_output(**rig);
  }

 private:
  static std::vector<Case> telling_first(std::vector<Case> cases) {
    std::ranges::stable_partition(cases, [](const Case& one) { return !one.tells.empty() && !one.hidden; });
    return cases;
  }

  /// Hidden cases come last, in workers of their own: what a program prints of them is not kept.
  void end_visible() {
    for (std::optional<Rig>* rig : {&rig_, &checked_}) {
      if (*rig && (quick_ || rig == &rig_)) keep_output(**rig);
      rig->reset();
    }
    hidden_ = true;
  }

  /// Of a hidden case the kind of the fault, neither sizes nor values; and no line, whose number and file are
  /// what the program says (#line): a thousand of them would spell the size.
  static void conceal(Check& check) {
    check.detail.clear();
    check.file.clear();
    check.line = 0;
    if (check.verdict == Verdict::kFail)
      check.message = "an instructor's case: sizes and values are not shown";
  }

  /// On a GPU only other cases show that there is a kernel: then an output without a written word is a wrong
  /// answer.
  void tell_unwritten_from_missing(std::span<Check> checks) const {
    const auto is_missing = [](const Check& check) { return check.reason == Class::kNotImplemented; };
    if (facts_.simulated || !std::ranges::any_of(checks, [&](const Check& check) {
          return check.verdict == Verdict::kFail && !is_missing(check);
        }))
      return;
    for (Check& check : checks | std::views::filter(is_missing)) {
      check.reason = Class::kWrongAnswer;
      check.message = kNothingWritten;
    }
  }

  void leave_out(std::size_t count) {
    grading_.add({.id = prefix_ + "other-cases",
                  .title = "the larger cases",
                  .kind = CheckKind::kCorrectness,
                  .verdict = Verdict::kSkipped,
                  .message = std::to_string(count) + " not run yet"});
  }

  /// One worker for every small case: a new one for each that needs more memory would take a second in all.
  void make_room() {
    for (const Case& one : grading_.part.cases) {
      if (!is_small(one)) continue;
      const CallPlan plan = plan_for(one, 1);
      room_.include(plan);
      checked_room_.include(plan);
    }
  }

  bool is_small(const Case& one) const {
    return !one.gpu_only && one.needs_memory == 0 && plan_for(one, 1).device_bytes() <= kSmallBytes;
  }

  CallPlan plan_for(const Case& one, std::uint64_t seed) const {
    CallShape shape;
    shape.settings = Settings(one.settings, facts_);
    shape.seed = seed;
    shape.hidden = one.hidden;
    shape.special_values = one.special_values;
    shape.misaligned_elements = one.misaligned_elements;
    shape.misaligned_alone = one.misaligned_alone;
    shape.alias = one.alias;
    shape.guards = !facts_.simulated;
    return {grading_.part.program, shape};
  }

  std::optional<std::string> reason_to_skip(const Case& one) const {
    if (one.gpu_only && facts_.simulated)
      return "too large to simulate: only a GPU decides it. Until then read your code for it: does a 32-bit "
             "number, such as blockIdx.x * blockDim.x, hold an index or a size?";
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
      if (one.gpu_only && !stop_ && one.needs_memory <= facts_.memory_bytes) reach(check, one);
      return;
    }
    if (stop_) {
      check.verdict = Verdict::kSkipped;  // not passed, and nothing is known of it
      check.message = "not run: an earlier case stopped the grade";
      return;
    }
    const CallPlan plan = plan_for(one, grading_.next_seed());
    Examination examination = examined(plan);
    if (grading_.tries_again(examination.fault)) examination = examined(plan_for(one, grading_.next_seed()));
    if (examination.fault.reason == Class::kNotImplemented && any_right_) {
      examination.fault = {Class::kWrongAnswer, kNothingWritten, {}, 0};
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

  Examination examined(const CallPlan& plan) {
    try {
      return quick_ ? call_once(plan) : call_twice(plan);
    } catch (const StartFault& fault) {
      stop_ = Class::kCrashed;
      Examination examination;
      examination.fault = grading_.budget->exhausted();
      if (!examination.fault) examination.fault = {Class::kCrashed, fault.what(), {}, 0};
      return examination;
    }
  }

  /// Too many blocks to simulate, but those at both ends of a grid have the smallest and the largest indices:
  /// an address outside of the arrays is a fault whatever is in them. Anything else proves nothing.
  void reach(Check& check, const Case& one) {
    RigOptions options = grading_.rig_options(device_, kCaseDeadline);
    options.machine.blocks_at_ends = kBlocksAtEnds;
    // Nor does it prove anything how much memory is filled where arrays are as large as a GPU's.
    options.budget = std::make_shared<Budget>(grading_.options.limits);
    const SpentTime spent(*grading_.budget);
    Fault fault;
    try {
      Rig rig(options, grading_.submission.worker, grading_.part.program, kFirstRoom.input,
              kFirstRoom.output);
      fault = rig.simulated().reach(plan_for(one, 1));
    } catch (const StartFault&) {
      return;
    }
    if (fault.reason != Class::kOutOfBounds && fault.reason != Class::kMisaligned) return;
    check.verdict = Verdict::kFail;
    check.reason = fault.reason;
    check.message = fault.message +
                    "\nIs an index or a size beyond 2^31 here, in a 32-bit number such as blockIdx.x * "
                    "blockDim.x? Of the blocks only the first and the last were run.";
    check.file = fault.file;
    check.line = fault.line;
  }

  void remember(const CallPlan& plan, const CallOutcome& outcome) {
    const auto bytes = static_cast<double>(plan.device_bytes());
    if (hidden_ || !outcome.go || (grading_.probe && grading_.probe->bytes >= bytes)) return;
    grading_.probe = {plan.shape().settings, arguments_text(plan), bytes, device_seconds(*outcome.go)};
  }

  /// The same call twice: right both times, and the same bits.
  Examination call_twice(const CallPlan& plan) {
    Rig& rig = rig_for(plan);
    const ExamineOptions options = grading_.examine_options();
    const CallOutcome first = rig.call(plan);
    Examination examination = examine(plan, first, rig.input(), options);
    if (examination.fault.reason == Class::kWrongAnswer && is_small(first)) explain(plan, examination.fault);
    if (examination.fault) return examination;
    remember(plan, first);
    if (plan.device_bytes() > kOnceBeyond) return examination;
    const CallOutcome second = rig.call(plan);
    if (second.fault) {
      examination.fault = second.fault;
    } else if (const auto differs = first_difference(plan, first, second)) {
      examination = different(plan, second, options, *differs);
    } else if (plan.device_bytes() <= kCheckedBytes && lane_instructions(first) > kMostChecked) {
      examination.fault = {Class::kTooSlow,
                           format_number("%.3g", static_cast<double>(lane_instructions(first))) +
                               " instructions of threads for arrays of " +
                               std::to_string(plan.device_bytes()) + " bytes: too many to be checked",
                           {},
                           0};
    } else if (is_checked(plan, first)) {
      examination.fault = bug_in(plan, &first);
    }
    // Elsewhere the calls that are timed are looked at.
    if (!examination.fault && first.go && !grading_.part.is_timed())
      if (auto complaint = used_default_stream(*first.go))
        examination.fault = {Class::kWrongStructure, std::move(*complaint), {}, 0};
    return examination;
  }

  /// A quick grade: with every check on, where the device has them.
  Examination call_once(const CallPlan& plan) {
    Rig& rig = facts_.simulated ? checked_rig(plan) : rig_for(plan);
    const CallOutcome outcome = rig.call(plan);
    Examination examination = examine(plan, outcome, rig.input(), grading_.examine_options());
    if (!facts_.simulated || !rig.usable()) return examination;
    Fault bug = rig.simulated().finding();
    if (!bug && !examination.fault && outcome.go)
      if (auto complaint = used_default_stream(*outcome.go))
        examination.fault = {Class::kWrongStructure, std::move(*complaint), {}, 0};
    if (!bug) return examination;
    if (examination.fault.reason == Class::kWrongAnswer) {
      add_cause(std::move(bug), examination.fault);
    } else if (!examination.fault) {
      examination.fault = std::move(bug);
    }
    keep_output(rig);
    checked_.reset();  // a bug that was found once is not told again
    return examination;
  }

  /// None on a GPU: the same cases run on a simulated device, too.
  static std::uint64_t lane_instructions(const CallOutcome& outcome) {
    std::uint64_t instructions = 0;
    if (outcome.go)
      for (const sim::KernelRecord& kernel : outcome.go->kernels)
        instructions += kernel.counters.lane_instructions;
    return instructions;
  }
  static bool is_small(const CallOutcome& outcome) {
    return outcome.go && lane_instructions(outcome) <= kCheckedUpTo;
  }

  bool is_checked(const CallPlan& plan, const CallOutcome& first) {
    if (!first.go) return false;
    if (is_small(first) || plan.device_bytes() <= kCheckedBytes) return true;
    const std::uint64_t instructions = lane_instructions(first);
    if (instructions > left_to_check_) return false;
    left_to_check_ -= instructions;
    return true;
  }

  /// A wrong answer, and what may be its cause.
  void explain(const CallPlan& plan, Fault& fault) {
    Fault bug = bug_in(plan);
    if (!bug || bug.reason == Class::kTimeout) return;
    add_cause(std::move(bug), fault);
  }

  static void add_cause(Fault bug, Fault& fault) {
    fault.message = bug.message + "\nAnd the answer is wrong: " + fault.message;
    fault.file = std::move(bug.file);
    fault.line = bug.line;
    if (bug.reason == Class::kRace || bug.reason == Class::kDeadlock) fault.reason = bug.reason;
  }

  /// Right, but perhaps by luck: what the checks of the simulated device find in the same call. Where the
  /// order of blocks may not matter it is another one there, and the bits are those of `first` all the same.
  Fault bug_in(const CallPlan& plan, const CallOutcome* first = nullptr) {
    Rig& rig = checked_rig(plan);
    const CallOutcome outcome = rig.call(plan);
    Fault fault = outcome.fault;
    if (!fault) fault = rig.simulated().finding();
    if (!fault && first != nullptr && grading_.part.any_block_order)
      if (const auto differs = first_difference(plan, *first, outcome))
        fault = {Class::kRace,
                 "two runs with the same input differ, first at " + differs->first + "[" +
                     std::to_string(differs->second) +
                     "], when blocks run in another order: the result depends on which block comes first",
                 {},
                 0};
    if (fault) checked_.reset();  // a bug that was found once is not told again
    return fault;
  }

  Rig& checked_rig(const CallPlan& plan) {
    if (!checked_ || !checked_->usable() || !checked_room_.fits(plan)) {
      checked_.reset();
      checked_room_.include(plan);
      RigOptions options = grading_.rig_options(device_, quick_ ? kQuickDeadline : 3 * kCaseDeadline);
      options.machine.checks = sim::kCheckAll;
      options.machine.shuffle_blocks = grading_.part.any_block_order;
      checked_.emplace(options, grading_.submission.worker, grading_.part.program, checked_room_.input,
                       checked_room_.output);
    }
    return *checked_;
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
    if (!rig_ || !rig_->usable() || !room_.fits(plan)) {
      if (rig_) keep_output(*rig_);
      rig_.reset();
      room_.include(plan);
      const double deadline = plan.device_bytes() > kOnceBeyond
                                  ? grading_.part.deadline_seconds
                                  : std::min(kCaseDeadline, grading_.part.deadline_seconds);
      rig_.emplace(grading_.rig_options(device_, deadline), grading_.submission.worker, grading_.part.program,
                   room_.input, room_.output);
    }
    return *rig_;
  }

  static bool writes_something(const CallPlan& plan) {
    return std::ranges::any_of(plan.arrays(), [](const ArrayPlan& array) {
      return array.argument->kind == Argument::Kind::kOutput && !array.argument->scratch &&
             array.elements > 0;
    });
  }

  void after_fault(const Fault& fault) {
    if (fault.reason == Class::kTimeout || grading_.budget->exhausted()) stop_ = fault.reason;
    if (fault.reason == Class::kNotImplemented && (facts_.simulated || ++unwritten_ == kMostUnwritten))
      stop_ = fault.reason;
    const std::optional<Rig>& rig = quick_ && facts_.simulated ? checked_ : rig_;
    if (rig && !rig->usable() && ++restarts_ >= kMaxRestarts) stop_ = fault.reason;
  }

  void keep_output(Rig& rig) {
    std::string& all = grading_.result.program_output;
    const std::string printed = rig.end_program();
    if (!hidden_ && all.size() < 64 * 1024) all += printed;
  }

  Grading& grading_;
  const DeviceChoice& device_;
  const DeviceFacts& facts_;
  std::string prefix_;
  const bool quick_ = grading_.options.quick_seconds > 0;
  std::optional<Rig> rig_, checked_;
  Room room_ = kFirstRoom, checked_room_;
  unsigned restarts_ = 0, unwritten_ = 0;
  bool any_right_ = false;
  std::uint64_t left_to_check_ = kCheckedBeyond;
  bool hidden_ = false;  ///< the case that runs, and those that follow
  std::optional<Class> stop_;
};

}  // namespace

void grade_correctness(Grading& grading, const DeviceChoice& device, const std::string& prefix) {
  const DeviceFacts facts =
      device.simulated == grading.facts.simulated ? grading.facts : device_facts(device, grading.options);
  CaseRunner(grading, device, facts, prefix).run();
}

}  // namespace roofline::grader
