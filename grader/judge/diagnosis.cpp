// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/diagnosis.h"

#include <algorithm>
#include <cmath>

#include "grader/base/error.h"
#include "grader/base/toml_table.h"
#include "grader/base/units.h"
#include "grader/judge/answer.h"

namespace roofline::grader {
namespace {

constexpr double kLargestDraw = 1e9;
constexpr size_t kMostBytes = 16 << 10;

std::string known_words() {
  std::string words;
  for (const Regime& regime : regimes()) words += (words.empty() ? "" : ", ") + regime.word;
  return words;
}

std::vector<std::string> keys_of_a_program() {
  std::vector<std::string> keys = {"regime"};
  for (const Figure& figure : kFigures) keys.emplace_back(figure.key);
  return keys;
}

std::optional<double> read_figure(const TomlTable& table, const std::string& key) {
  const toml::node* node = table.node(key);
  if (node == nullptr) return std::nullopt;
  const auto text = node->value<std::string>();
  if (text && text->empty()) return std::nullopt;
  const auto value = text ? number_in(*text, "") : node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value) || !(*value > 0))
    table.refuse(key, "is a number above 0, such as 1.6, or \"\" for no answer yet");
  return value;
}

Diagnosis read_program(const TomlTable& all, const std::string& number) {
  Diagnosis said;
  const auto table = all.table(number);
  if (!table) return said;
  table->allow_only(keys_of_a_program());
  said.line = all.node(number)->source().begin.line;
  said.regime = table->text("regime").value_or("");
  if (!said.regime.empty() && find_regime(said.regime) == nullptr)
    table->refuse("regime", "is none of " + known_words());
  for (size_t i = 0; i < kFigures.size(); ++i)
    said.figures[i] = read_figure(*table, std::string(kFigures[i].key));
  return said;
}

/// "clock 2 is too large"; empty where it is right.
std::string complaint(const Figure& figure, const std::optional<double>& said, double truth) {
  const std::string key(figure.key);
  if (!said) return key + " has no answer";
  if (*said <= truth * kNear && *said >= truth / kNear) return {};
  return key + " " + format_number("%.4g", *said) + " is too " + (*said > truth ? "large" : "small");
}

/// Whether the program waits for what was said, and how one knows.
std::pair<bool, std::string> judge_regime(const Regime& said, double faster) {
  const bool starved = &said == &regimes().back(), helps = faster >= kBound;
  return {helps != starved, std::string("with ") + (starved ? "all that the GPU has" : "that") +
                                " twice as good the program is " + format_number("%.2f", faster) +
                                " times as fast, simulated"};
}

}  // namespace

const std::vector<Regime>& regimes() {
  static const std::vector<Regime> all = [] {
    std::vector<Regime> made = {
        {"fp32", "fma_rate=4"},
        {"tensor", "tensor_f16_flops_per_clock=4096,tensor_f16_f32_flops_per_clock=4096"},
        {"dram", "dram_gbps=3110"},
        {"l2", "l2_gbps=10800,l2_bytes_per_clock=128"},
        {"latency", "dram_latency=274,l2_latency=106.5,l1_latency=18"},
        {"conflicts", "shared_wavefronts_per_clock=2"},
        {"atomics",
         "atomic_sectors_per_clock=95,atomic_turns_per_clock=25.8,atomic_slice_turns_per_clock=1.58,"
         "atomic_same_address_per_clock=1.372,atomic_float_same_address_per_clock=0.574"},
        {"launch", "launch_us=1,kernel_gap_us=0.77,kernel_start_us=0.45"},
        {"sync", "synchronize_us=2"},
        {"link", "pinned_gbps=50,pageable_gbps=20"},
        {"faults", "fault_group_us=7.53"}};
    std::string everything;
    for (const Regime& regime : made) everything += (everything.empty() ? "" : ",") + regime.change;
    made.push_back({"starved", everything});
    return made;
  }();
  return all;
}

const Regime* find_regime(std::string_view word) {
  const auto found = std::ranges::find(regimes(), word, &Regime::word);
  return found == regimes().end() ? nullptr : &*found;
}

std::string program_number(size_t index) { return (index < 9 ? "0" : "") + std::to_string(index + 1); }

DiagnosisFile read_diagnosis(const std::string& text, const std::string& name, unsigned count) {
  if (text.size() > kMostBytes) throw UsageError(name + " is larger than 16 KiB: these are no answers");
  const toml::table parsed = parse_toml(text, name);
  const TomlTable all(parsed, name);
  std::vector<std::string> keys = {"draw"};
  for (size_t i = 0; i < count; ++i) keys.push_back(program_number(i));
  all.allow_only(keys);
  DiagnosisFile file;
  const double draw = all.number("draw").value_or(-1);
  file.draw = static_cast<std::uint64_t>(std::clamp(draw, 0.0, kLargestDraw));
  if (static_cast<double>(file.draw) != draw)
    all.refuse("draw", "is the number that ./lab diagnose wrote here, and is needed");
  for (size_t i = 0; i < count; ++i) file.programs.push_back(read_program(all, program_number(i)));
  return file;
}

std::string unanswered_diagnosis(std::uint64_t draw, unsigned count) {
  std::string text =
      "# TODO (12 lines): what does each program wait for? ./lab diagnose gives you the programs.\n"
      "# regime is one of " +
      known_words() + ".\n";
  for (const Figure& figure : kFigures)
    text += "# " + std::string(figure.key) + ": " + std::string(figure.question) + ", such as 1.6\n";
  text += "draw = " + std::to_string(draw) + "  # these programs; leave it as it is\n\n";
  for (size_t i = 0; i < count; ++i) {
    text += program_number(i) + " = { regime = \"\"";
    for (const Figure& figure : kFigures) text += ", " + std::string(figure.key) + " = \"\"";
    text += " }\n";
  }
  return text;
}

Check judge_diagnosis(size_t index, const Diagnosis& said, const TimeProgram& time) {
  Check check{.id = "program-" + program_number(index),
              .title = "what program " + program_number(index) + " waits for",
              .kind = CheckKind::kCorrectness};
  if (said.regime.empty()) {
    check.verdict = Verdict::kSkipped;
    check.reason = Class::kNotAnswered;
    check.message = "no answer yet";
    return check;
  }
  const double base = time("", 1);
  const auto [right, how] =
      judge_regime(*find_regime(said.regime), base / time(find_regime(said.regime)->change, 1));
  std::string complaints;
  for (size_t i = 0; right && i < kFigures.size(); ++i) {
    const Figure& figure = kFigures[i];
    const double truth = figure.change.empty() ? time("", 2) / base : base / time(figure.change, 1);
    const std::string wrong = complaint(figure, said.figures[i], truth);
    if (!wrong.empty()) complaints += (complaints.empty() ? "" : ", ") + wrong;
  }
  check.verdict = right && complaints.empty() ? Verdict::kPass : Verdict::kFail;
  if (check.verdict == Verdict::kFail) check.reason = Class::kWrongPrediction;
  check.message = said.regime + (right ? "" : " is not it") + ": " + how +
                  (complaints.empty() ? "" : ". But " + complaints);
  return check;
}

}  // namespace roofline::grader
