// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/explain.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <vector>

#include "grader/base/paths.h"
#include "grader/base/printable.h"
#include "grader/base/symbol_name.h"
#include "grader/profile/profile.h"
#include "grader/profile/value_text.h"
#include "simulator/names.h"
#include "simulator/text.h"

namespace roofline::grader {
namespace {

using sim::Dim3;
using sim::ThreadRecord;
using Kind = ThreadRecord::Kind;

/// A loop with more iterations than this shows its first two and its last.
constexpr size_t kMostIterations = 4;

[[noreturn]] void bad_thread(const std::string& text) {
  throw UsageError("--explain " + text +
                   ": a block and a thread, counted (0,5) or as coordinates (\"(0,0,0),(5,0,0)\")");
}

/// One coordinate: "5" or "(5,0,0)"; moves `at` behind it.
Dim3 coordinate(const std::string& text, size_t& at, bool& linear) {
  unsigned parts[3] = {0, 0, 0};
  linear = at >= text.size() || text[at] != '(';
  if (!linear) at++;
  for (size_t i = 0;; i++) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + at, end, parts[i]);
    if (error != std::errc()) bad_thread(text);
    at = static_cast<size_t>(stop - text.data());
    if (linear) break;
    if (at < text.size() && text[at] == ')') {
      at++;
      break;
    }
    if (i == 2 || at >= text.size() || text[at] != ',') bad_thread(text);
    at++;
  }
  return {parts[0], parts[1], parts[2]};
}

class Explanation {
 public:
  Explanation(const ThreadRecord& record, const Terminal& terminal, size_t limit)
      : record_(record), terminal_(terminal), values_(record), left_(limit) {
    for (size_t i = 0; i < record.steps.size(); i++)
      if (record.steps[i].kind != Kind::kCopied && record.steps[i].kind != Kind::kInactive)
        places_[record.steps[i].instruction].push_back(i);
  }

  std::string text() {
    out_ = "\n" + terminal_.paint(Colour::kBold, readable_symbol(record_.kernel)) + ", launch " +
           std::to_string(record_.launch) + ": block " + triple(record_.block) + ", thread " +
           triple(record_.thread) + ", " + std::to_string(record_.executed) + " instructions, simulated\n";
    range(0, record_.steps.size());
    const size_t kept = executed(0, record_.steps.size());
    if (cut_ != 0)
      out_ += "  ... " + std::to_string(cut_) + " more steps: --explain-limit N shows N instructions.\n";
    if (kept < record_.executed)
      out_ += "  ... and " + std::to_string(record_.executed - kept) + " instructions that were not kept.\n";
    return out_;
  }

 private:
  size_t executed(size_t begin, size_t end) const {
    return static_cast<size_t>(std::count_if(
        record_.steps.begin() + static_cast<std::ptrdiff_t>(begin),
        record_.steps.begin() + static_cast<std::ptrdiff_t>(end),
        [](const auto& step) { return step.kind == Kind::kExecuted || step.kind == Kind::kSkipped; }));
  }

  const ThreadRecord::Instruction& instruction(const ThreadRecord::Step& step) const {
    return record_.instructions[step.instruction];
  }

  /// Steps of the same activation that come to the instruction of step `at` again: starts of iterations.
  std::vector<size_t> iterations(size_t at, size_t end) const {
    std::vector<size_t> starts{at};
    const auto& again = places_.at(record_.steps[at].instruction);
    if (again.size() < 2) return starts;
    const auto depth = record_.steps[at].depth;
    size_t checked = at;
    for (auto next = std::upper_bound(again.begin(), again.end(), at); next != again.end() && *next < end;
         ++next) {
      if (record_.steps[*next].depth > depth) continue;
      for (; checked < *next; checked++)
        if (record_.steps[checked].depth < depth) return starts;
      starts.push_back(*next);
    }
    return starts;
  }

  /// Behind the last iteration: where the thread leaves the instructions that earlier iterations stayed in.
  size_t end_of_loop(const std::vector<size_t>& starts, size_t end) const {
    const auto depth = record_.steps[starts[0]].depth;
    sim::u32 lowest = ~0u, highest = 0;
    for (size_t i = starts[0]; i < starts.back(); i++) {
      if (record_.steps[i].depth != depth) continue;
      lowest = std::min(lowest, instruction(record_.steps[i]).ptx_line);
      highest = std::max(highest, instruction(record_.steps[i]).ptx_line);
    }
    size_t at = starts.back();
    while (at < end) {
      const auto& step = record_.steps[at];
      const sim::u32 line = instruction(step).ptx_line;
      if (step.depth < depth || (step.depth == depth && (line < lowest || line > highest))) break;
      at++;
    }
    return at;
  }

  void range(size_t begin, size_t end) {
    for (size_t at = begin; at < end;) {
      if (left_ == 0) {
        cut_ += end - at;
        return;
      }
      const ThreadRecord::Step& step = record_.steps[at];
      const bool own = step.kind == Kind::kExecuted || step.kind == Kind::kSkipped;
      const std::vector<size_t> starts = own ? iterations(at, end) : std::vector<size_t>{at};
      if (starts.size() < 2) {
        show(step);
        at++;
        continue;
      }
      at = loop(starts, end_of_loop(starts, end));
    }
  }

  size_t loop(const std::vector<size_t>& starts, size_t end) {
    const size_t n = starts.size();
    for (size_t i = 0; i < n; i++) {
      const size_t until = i + 1 < n ? starts[i + 1] : end;
      if (n > kMostIterations && i == 2) {
        note("iterations 3 to " + std::to_string(n - 1) +
             " of the loop: " + std::to_string(executed(starts[2], starts[n - 1])) + " instructions");
        i = n - 2;
        continue;
      }
      if (left_ != 0) note("iteration " + std::to_string(i + 1) + " of " + std::to_string(n));
      if (left_ == 0) {
        cut_ += end - starts[i];
        break;
      }
      show(record_.steps[starts[i]]);
      range(starts[i] + 1, until);
    }
    return end;
  }

  void note(const std::string& text) {
    out_ +=
        terminal_.paint(Colour::kDim, "  " + std::string(terminal_.either("\u2500\u2500 ", "-- ")) + text) +
        "\n";
  }

  std::string place_name(const ThreadRecord::Instruction& in) const {
    if (in.line == 0) return "PTX line " + std::to_string(in.ptx_line);
    return std::filesystem::path(printable(in.file)).filename().string() + ":" + std::to_string(in.line);
  }

  /// The source line, when it is another one than before.
  void source(const ThreadRecord::Instruction& in) {
    const std::string key = in.line == 0 ? in.function : in.file + ":" + std::to_string(in.line);
    if (key == last_source_) return;
    last_source_ = key;
    if (in.line == 0) {
      out_ += terminal_.paint(Colour::kBlue, readable_symbol(in.function)) +
              terminal_.paint(Colour::kDim, "  (compile with nvcc -lineinfo to see source lines)") + "\n";
      return;
    }
    std::string text = source_.line(in.file, in.line);
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    out_ +=
        terminal_.paint(Colour::kBlue, place_name(in)) + "  " + terminal_.paint(Colour::kBold, text) + "\n";
  }

  /// The register of an address that is shown as a place anyway.
  bool names_address(const ThreadRecord::Step& step, const ThreadRecord::Value& value) const {
    const auto& held = instruction(step).held;
    return step.has_address && value.name < record_.registers.size() &&
           std::any_of(held.begin(), held.end(), [&](const sim::HeldType& each) {
             return each.is_address && each.name == record_.registers[value.name].name;
           });
  }

  std::string values(const ThreadRecord::Step& step, bool written) const {
    std::string text;
    for (const auto& value : step.values)
      if (value.written == written && (written || !names_address(step, value)))
        text += (text.empty() ? "" : " ") + values_.named(value);
    return text;
  }

  std::string address(const ThreadRecord::Step& step) const {
    if (!step.has_address || step.place >= record_.places.size()) return "";
    const ThreadRecord::Place& place = record_.places[step.place];
    std::string text = printable(place.what) + " + " + std::to_string(step.offset);
    if (place.bytes) text += " of " + std::to_string(place.bytes) + " bytes";
    return text + " (" + sim::hex(step.address) + ")";
  }

  std::string branch(const ThreadRecord::Step& step) const {
    const ThreadRecord::Instruction& in = instruction(step);
    if (!in.branches) return "";
    if (in.guard == sim::Guard::kNone) return "taken";
    const bool wanted = in.guard == sim::Guard::kIf;
    for (const auto& value : step.values)
      if (!value.written) return (value.low != 0) == wanted ? "taken" : "not taken";
    return "";
  }

  std::string facts(const ThreadRecord::Step& step) const {
    std::string in = values(step, false), out = values(step, true);
    std::vector<std::string> parts;
    if (step.kind == Kind::kSkipped) {
      parts.push_back(in);
      parts.push_back("not executed");
    } else {
      if (!out.empty())
        in += (in.empty() ? "" : " ") + std::string(terminal_.either("\u2192", "->")) + " " + out;
      if (!in.empty()) parts.push_back(in);
      if (const std::string where = address(step); !where.empty()) parts.push_back(where);
      if (const std::string went = branch(step); !went.empty()) parts.push_back(went);
      if (instruction(step).is_barrier) parts.push_back("waits here for the other threads");
      if (step.kind == Kind::kExecuted && step.lanes < 32 && step.lanes != last_lanes_)
        parts.push_back(std::to_string(step.lanes) + " of 32 lanes");
    }
    std::string all;
    for (const std::string& part : parts) all += (all.empty() ? "" : "; ") + part;
    return all;
  }

  /// Parameters are named after the whole mangled kernel; "param_0" says as much.
  std::string without_symbol(std::string text) const {
    const std::string prefix = record_.kernel + "_param_";
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
      text.erase(at, record_.kernel.size() + 1);
    return text;
  }

  void show(const ThreadRecord::Step& step) {
    if (step.kind == Kind::kInactive) {
      const auto& last = record_.instructions[step.last];
      note("waits while other threads of its warp execute " + std::to_string(step.count) + " instructions (" +
           place_name(instruction(step)) + " to " + place_name(last) + ")");
      return;
    }
    const ThreadRecord::Instruction& in = instruction(step);
    source(in);
    if (step.kind != Kind::kCopied) left_--;
    const std::string indent(4 + 2 * std::min<size_t>(step.depth, 8), ' ');
    const std::string text = printable(without_symbol(in.text)), right = facts(step);
    if (step.kind == Kind::kExecuted) last_lanes_ = step.lanes;
    const int column = terminal_.width >= 110 ? 48 : 40;
    const int taken = static_cast<int>(indent.size()) + display_width(text);
    out_ += indent + text;
    if (!right.empty()) {
      const bool fits = taken + 2 <= column && column + display_width(right) <= terminal_.width;
      out_ += fits ? std::string(static_cast<size_t>(column - taken), ' ') : "\n" + indent + "      ";
      out_ += terminal_.paint(step.kind == Kind::kSkipped ? Colour::kDim : Colour::kGreen, right);
    }
    out_ += '\n';
  }

  const ThreadRecord& record_;
  const Terminal& terminal_;
  ValueText values_;
  SourceText source_;
  std::map<sim::u32, std::vector<size_t>> places_;  ///< steps by instruction
  size_t left_, cut_ = 0;
  sim::u32 last_lanes_ = 32;
  std::string last_source_, out_;
};

}  // namespace

sim::ThreadRequest parse_thread(const std::string& text) {
  sim::ThreadRequest request;
  size_t at = 0;
  request.block = coordinate(text, at, request.block_is_linear);
  if (at >= text.size() || text[at] != ',') bad_thread(text);
  at++;
  request.thread = coordinate(text, at, request.thread_is_linear);
  if (at != text.size()) bad_thread(text);
  return request;
}

std::string explanation(const ThreadRecord& record, const Terminal& terminal, size_t limit) {
  if (record.found) return Explanation(record, terminal, limit).text();
  if (!record.problem.empty())
    return "  " + readable_symbol(record.kernel) + ", block " + triple(record.block) + ", thread " +
           triple(record.thread) + ": " + record.problem + ".\n";
  if (record.launches == 0) return "  No such kernel was launched.\n";
  return "  The kernel was launched " + std::to_string(record.launches) + " times only.\n";
}

}  // namespace roofline::grader
