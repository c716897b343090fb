// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/examine.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "grader/base/units.h"
#include "grader/call/compare.h"
#include "grader/call/pattern.h"
#include "grader/lab/generate.h"

namespace roofline::grader {
namespace {

/// Reference operations beyond which a call is checked at sampled positions.
constexpr double kFullCheckOperations = 2e9;

/// What rounding adds to an array on the device at most.
constexpr std::uint64_t kAllocationUnit = 512;
/// Constants and variables of a program's own code that no budget counts.
constexpr std::uint64_t kModuleBytes = 4096;

std::vector<std::uint64_t> merged(const std::vector<std::uint64_t>& left,
                                  const std::vector<std::uint64_t>& right) {
  std::vector<std::uint64_t> both;
  std::ranges::set_union(left, right, std::back_inserter(both));
  return both;
}

class Examiner {
 public:
  Examiner(const CallPlan& plan, const CallOutcome& outcome, std::span<const std::byte> input,
           const ExamineOptions& options)
      : plan_(plan), outcome_(outcome), input_(input), options_(options) {}

  Examination run() {
    result_.fault = outcome_.fault;
    if (result_.fault) return std::move(result_);
    using Step = void (Examiner::*)();
    static constexpr Step kSteps[] = {&Examiner::unwatched,     &Examiner::not_implemented,
                                      &Examiner::out_of_bounds, &Examiner::inputs_changed,
                                      &Examiner::device_memory, &Examiner::values,
                                      &Examiner::same_bits,     &Examiner::work_elsewhere};
    for (const Step step : kSteps) {
      (this->*step)();
      if (result_.fault) break;
    }
    return std::move(result_);
  }

 private:
  void fail(Class reason, std::string message) { result_.fault = {reason, std::move(message), {}, 0}; }
  bool is_output(const ArrayPlan& array) const { return array.argument->kind == Argument::Kind::kOutput; }

  bool device_did_nothing() const {
    if (!outcome_.go) return true;  // a GPU does not say
    const sim::Region& region = *outcome_.go;
    return region.kernels.empty() && region.host_to_device_bytes == 0 && region.device_to_device_bytes == 0 &&
           region.fill_bytes == 0;
  }

  /// Neither times nor rules know of launches that are not listed.
  void unwatched() {
    for (const auto* region : {&outcome_.prepare, &outcome_.go})
      if (*region && (*region)->kernels_not_kept != 0)
        return fail(Class::kWrongStructure,
                    std::to_string((*region)->kernels.size() + (*region)->kernels_not_kept) +
                        " kernels were launched in one call, more than can be watched (" +
                        std::to_string((*region)->kernels.size()) + "): let each do more");
  }

  /// What lay in an in-place output before the call: nothing written leaves it so.
  std::span<const std::byte> original_of(const ArrayPlan& array) const {
    for (const ArrayPlan& other : plan_.arrays()) {
      if (other.parameter + 1 != array.record.alias) continue;
      return input_.subspan(other.record.source + other.record.payload, other.payload_bytes);
    }
    return {};
  }

  void not_implemented() {
    bool any = false;
    for (const ArrayPlan& array : plan_.arrays()) {
      if (!is_output(array) || array.argument->scratch || array.payload_bytes == 0) continue;
      if (plan_.in_place(array)) {
        if (!std::ranges::equal(plan_.payload(array, outcome_.output), original_of(array))) return;
      } else if (!untouched(plan_.payload(array, outcome_.output), plan_.poison())) {
        return;
      }
      any = true;
    }
    if (any && device_did_nothing()) {
      fail(Class::kNotImplemented,
           "nothing ran and nothing was written: the function still has to be filled in");
    }
  }

  void out_of_bounds() {
    for (const ArrayPlan& array : plan_.arrays()) {
      if (array.record.fetch == 0) continue;
      const auto damage = plan_.guard_damage(array, outcome_.output);
      if (damage.bytes == 0) continue;
      const std::string where =
          damage.first < 0 ? std::to_string(-damage.first) + " bytes before " + array.argument->name
                           : std::to_string(damage.first) + " bytes past the end of " + array.argument->name;
      fail(Class::kOutOfBounds, std::to_string(damage.bytes) + " bytes outside of " + array.argument->name +
                                    " were written, first " + where);
      return;
    }
  }

  void inputs_changed() {
    for (const ArrayPlan& array : plan_.arrays()) {
      if (is_output(array) || array.record.fetch == 0) continue;
      const std::int64_t at = plan_.changed_input(array, input_, outcome_.output);
      if (at < 0) continue;
      fail(Class::kInputChanged,
           "the input " + array.argument->name + " was changed, first at index " + std::to_string(at));
      return;
    }
  }

  /// Memory that the call took on the device, past a budget that the lab hands out.
  void device_memory() {
    const Extent& allowed = plan_.program().device_memory;
    if (!allowed || !outcome_.go) return;
    // Beside the call's arrays, and not beside what was there before: a program could have taken it then.
    const std::uint64_t arrays = plan_.device_bytes() + kAllocationUnit * plan_.arrays().size();
    const std::uint64_t peak = outcome_.go->device_bytes_peak;
    const std::uint64_t own = peak > arrays ? peak - arrays : 0;
    const auto limit =
        static_cast<std::uint64_t>(allowed(plan_.shape().settings)) + kModuleBytes * plan_.program().gpus;
    if (own > limit)
      fail(Class::kBudgetExceeded, std::to_string(own) +
                                       " bytes were allocated on the device beside the budget that the "
                                       "lab hands out (at most " +
                                       std::to_string(limit) + " are allowed)");
  }

  void values() {
    const CallView view = plan_.view(input_);
    const auto inputs = plan_.input_arrays(input_);
    for (Output output : plan_.program().outputs) {
      if (output.reference_of) output.reference = output.reference_of(view);
      const ArrayPlan& array = plan_.array(output.argument);
      const Type type = array.argument->type;
      const auto got = plan_.payload(array, outcome_.output);
      CompareOptions how;
      how.has_poison = !plan_.in_place(array);
      how.poison = plan_.poison();
      const Settings& settings = plan_.shape().settings;
      const double cost = output.cost ? output.cost(settings) : 1;
      const bool sampled = cost * static_cast<double>(array.elements) > kFullCheckOperations;
      if (sampled) {
        const std::uint64_t seed = derive(plan_.shape().seed, Purpose::kPositions, array.parameter);
        how.positions =
            output.sampled_rows == 0
                ? sample_positions(array.elements, seed)
                : sample_rows(array.elements, static_cast<std::uint64_t>(output.columns(settings)),
                              output.sampled_rows, seed);
      }
      if (output.whole) {
        WholeCheck whole =
            output.whole(view, settings, got, derive(plan_.shape().seed, Purpose::kWhole, array.parameter));
        if (!whole.complaint.empty()) return fail(Class::kWrongAnswer, std::move(whole.complaint));
        if (sampled) how.positions = merged(how.positions, whole.suspects);
      }
      if (!output.reference) continue;
      const Comparison comparison = compare(output, type, view, settings, got, how);
      if (comparison.ok()) continue;
      const PatternFound pattern =
          find_pattern({output, type, view, settings, got, comparison, how.poison, how.has_poison, inputs});
      report(output, comparison, pattern, arguments_at(output, array, view, inputs, comparison.first));
      return;
    }
  }

  /// What several GPUs hold of one result.
  void same_bits() {
    for (const Output& output : plan_.program().outputs) {
      if (output.same_bits_as.empty()) continue;
      const ArrayPlan &array = plan_.array(output.argument), &other = plan_.array(output.same_bits_as);
      const auto mine = plan_.payload(array, outcome_.output), theirs = plan_.payload(other, outcome_.output);
      const auto different = std::ranges::mismatch(mine, theirs);
      if (different.in1 == mine.end() && different.in2 == theirs.end()) continue;
      const Type type = array.argument->type;
      const auto at = static_cast<std::uint64_t>(different.in1 - mine.begin()) / bytes_of(type);
      const auto shown = [&](std::span<const std::byte> bytes) {
        return at < bytes.size() / bytes_of(type) ? format_number("%.9g", element_at(type, bytes, at))
                                                  : std::string("nothing");
      };
      return fail(Class::kWrongAnswer, output.argument + " and " + output.same_bits_as +
                                           " differ in their bits, first at index " + std::to_string(at) +
                                           ": " + shown(mine) + " and " + shown(theirs));
    }
  }

  /// What an elementwise function was given where it is wrong first, so that it can be worked out by hand.
  std::string arguments_at(const Output& output, const ArrayPlan& array, const CallView& view,
                           const std::vector<CallView::Array>& inputs,
                           const std::vector<Mismatch>& wrong) const {
    if (output.whole || output.columns || wrong.empty()) return {};
    const std::uint64_t index = wrong[0].index;
    std::string text;
    const auto add = [&](const std::string& name, Type type, double value) {
      text += (text.empty() ? "\n  for " : ", ") + name + " = " +
              format_number(type == Type::kF32 ? "%.9g" : "%.17g", value);
    };
    for (const CallView::Array& input : inputs)
      if (input.bytes.size() == array.elements * bytes_of(input.type))
        add(std::string(input.name) + "[" + std::to_string(index) + "]", input.type,
            element_at(input.type, input.bytes, index));
    if (text.empty()) return {};
    if (const auto& in_words = plan_.program().scalars_in_words) return text + "\n  " + in_words(view);
    for (const Argument& argument : plan_.program().arguments)
      if (argument.kind == Argument::Kind::kScalar && argument.name != "n")
        add(argument.name, argument.type, view.scalar(argument.name));
    return text;
  }

  void report(const Output& output, const Comparison& comparison, const PatternFound& pattern,
              const std::string& arguments) {
    const auto columns = output.columns ? static_cast<std::uint64_t>(output.columns(plan_.shape().settings))
                                        : std::uint64_t{0};
    std::string message =
        describe(comparison, output.argument, columns, pattern.pattern == Pattern::kUntouched) + arguments;
    if (!pattern.sentence.empty()) message += "\n" + pattern.sentence;
    fail(Class::kWrongAnswer, std::move(message));
    std::vector<double> indices, expected, got;
    for (const Mismatch& mismatch : comparison.first) {
      indices.push_back(static_cast<double>(mismatch.index));
      expected.push_back(mismatch.expected);
      got.push_back(mismatch.got);
    }
    auto& detail = result_.detail;
    detail.emplace_back("elements", static_cast<double>(comparison.checked));
    detail.emplace_back("wrong", static_cast<double>(comparison.wrong));
    detail.emplace_back("first_indices", std::move(indices));
    detail.emplace_back("first_expected", std::move(expected));
    detail.emplace_back("first_got", std::move(got));
    if (!pattern.sentence.empty()) detail.emplace_back("pattern", pattern.sentence);
  }

  /// Something other than copies from the host, and back.
  static bool was_at_work(const sim::Region& region) {
    return !region.kernels.empty() || region.kernels_not_kept != 0 || region.device_to_device_bytes != 0 ||
           region.fill_bytes != 0 || region.from_host.total() != 0;
  }

  /// Every byte that reached the device after the inputs did, whichever way it came.
  std::string brought_too_much(std::uint64_t limit) const {
    const sim::Region nothing;
    const sim::Region &prepare = outcome_.prepare ? *outcome_.prepare : nothing, &go = *outcome_.go;
    const std::uint64_t copied = prepare.host_to_device_bytes + go.host_to_device_bytes;
    sim::HostBytes other = go.from_host;
    other.add(prepare.from_host);
    if (copied + other.total() <= limit) return {};
    std::string ways;
    const auto add = [&](std::uint64_t bytes, const char* way) {
      if (bytes != 0) ways += (ways.empty() ? "" : ", ") + std::to_string(bytes) + way;
    };
    add(copied, " copied");
    add(other.code, " as code or data of modules");
    add(other.parameters, " in kernel parameters");
    add(other.fills, " as values of fills");
    add(other.objects, " as textures and surfaces");
    add(other.managed, " in managed memory");
    return std::to_string(copied + other.total()) + " bytes reached the device during the call (" + ways +
           "; at most " + std::to_string(limit) + " are allowed): the work belongs on the device";
  }

  /// Where all inputs are empty, zeros from a cudaMemsetAsync are the whole answer.
  bool there_is_work() const {
    bool writes = false, has_inputs = false, reads = false;
    for (const ArrayPlan& array : plan_.arrays()) {
      if (array.argument->scratch) continue;
      const bool some = array.payload_bytes != 0;
      if (is_output(array)) {
        writes = writes || some;
      } else {
        has_inputs = true;
        reads = reads || some;
      }
    }
    return writes && (reads || !has_inputs);
  }

  /// Right values that the device did not compute between the judge's two looks at the clock.
  void work_elsewhere() {
    if (!outcome_.go || !outcome_.load || !outcome_.fetch) return;
    const sim::Region& go = *outcome_.go;
    const Extent& host_memory = plan_.program().host_memory;
    const auto shared =
        host_memory ? static_cast<std::uint64_t>(host_memory(plan_.shape().settings)) : std::uint64_t{0};
    const std::uint64_t limit = host_memory ? shared : options_.host_to_device_limit;
    if (const std::string too_much = brought_too_much(limit); !too_much.empty()) {
      fail(Class::kHostComputed, too_much);
    } else if (go.host_visible_bytes > shared) {
      fail(Class::kHostComputed,
           shared == 0 ? "memory that host and device share was used during the call"
                       : std::to_string(go.host_visible_bytes) +
                             " bytes of memory that host and device share were used during the call; " +
                             std::to_string(shared) + " are allowed");
    } else if (outcome_.load->host_to_device_bytes != 0 || was_at_work(*outcome_.load) ||
               was_at_work(*outcome_.fetch) || outcome_.fetch->host_to_device_bytes != 0) {
      fail(Class::kHostComputed, "the device was used outside of the call");
    } else if (!host_memory && go.kernels.empty() && there_is_work()) {
      fail(Class::kHostComputed, "the output is right but no kernel ran");
    }
  }

  const CallPlan& plan_;
  const CallOutcome& outcome_;
  std::span<const std::byte> input_;
  const ExamineOptions& options_;
  Examination result_;
};

}  // namespace

Examination examine(const CallPlan& plan, const CallOutcome& outcome, std::span<const std::byte> input,
                    const ExamineOptions& options) {
  return Examiner(plan, outcome, input, options).run();
}

std::optional<std::pair<std::string, std::uint64_t>> first_difference(const CallPlan& plan,
                                                                      const CallOutcome& one,
                                                                      const CallOutcome& other) {
  for (const ArrayPlan& array : plan.arrays()) {
    if (array.argument->kind != Argument::Kind::kOutput || array.argument->scratch) continue;
    const auto left = plan.payload(array, one.output), right = plan.payload(array, other.output);
    if (left.empty() || std::memcmp(left.data(), right.data(), left.size()) == 0) continue;
    const auto at = static_cast<std::uint64_t>(std::ranges::mismatch(left, right).in1 - left.begin());
    return std::pair{array.argument->name, at / bytes_of(array.argument->type)};
  }
  return std::nullopt;
}

}  // namespace roofline::grader
