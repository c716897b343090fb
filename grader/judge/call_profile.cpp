// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/call_profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "grader/base/symbol_name.h"
#include "grader/profile/advisor.h"

namespace roofline::grader {
namespace {

using sim::InstructionCounters;
using Span = sim::TraceSpan;

double number(sim::u64 value) { return static_cast<double>(value); }

/// The compiler writes down where it ran, too: "/home/me/labs/01-pointwise/pointwise.cu".
bool is_source(const std::string& file, const std::string& source) {
  return !source.empty() && (file == source || file.ends_with("/" + source));
}

/// Line of `source` that an instruction belongs to; 0: none.
unsigned line_in(const sim::LineRecord& instruction, const std::string& source) {
  if (is_source(instruction.file, source)) return instruction.line;
  return is_source(instruction.caller_file, source) ? instruction.caller_line : 0;
}

std::string kind_of(const Span& span) {
  switch (span.kind) {
    case Span::Kind::kCall:
      return span.name.find("Synchronize") != std::string::npos ? "wait" : "call";
    case Span::Kind::kKernel:
      return "kernel";
    case Span::Kind::kCopyIn:
      return "copy-in";
    case Span::Kind::kCopyOut:
      return "copy-out";
    case Span::Kind::kCopyWithin:
    case Span::Kind::kCopyPeer:
      return "copy";
    case Span::Kind::kFill:
      return "fill";
    default:
      return {};  // events are moments
  }
}

/// When the program submitted the region's first kernel.
double beginning_of(const sim::Trace& trace, const sim::Region& region) {
  const auto kernel = std::ranges::find_if(trace.spans, [&](const Span& span) {
    return span.kind == Span::Kind::kKernel && span.kernel == region.kernels.front().ordinal;
  });
  if (kernel == trace.spans.end()) return region.kernels.front().start;
  const auto call = std::ranges::find_if(trace.spans, [&](const Span& span) {
    return span.kind == Span::Kind::kCall && span.call == kernel->call;
  });
  return call == trace.spans.end() ? kernel->start : std::min(call->start, kernel->start);
}

bool is_brief_call(const TimelineSpan& span, double whole_us) {
  return span.kind == "call" && span.end_us - span.start_us < whole_us / 1000;
}

/// Runs of calls that are too short to be seen become one, so that more of the device's work has room.
void join_brief_calls(std::vector<TimelineSpan>& spans, double whole_us) {
  std::vector<TimelineSpan> joined;
  size_t last = 0, calls = 0;  // place in `joined` of the last host span, and how many calls it stands for
  std::string first;
  for (TimelineSpan& span : spans) {
    const bool host = span.kind == "call" || span.kind == "wait";
    const bool brief = is_brief_call(span, whole_us);
    if (brief && calls > 0 && span.start_us - joined[last].end_us < whole_us / 1000) {
      joined[last].end_us = span.end_us;
      joined[last].name =
          first + " and " + std::to_string(calls) + (calls == 1 ? " more call" : " more calls");
      ++calls;
      continue;
    }
    if (host) {
      last = joined.size();
      calls = brief ? 1 : 0;
      first = span.name;
    }
    joined.push_back(std::move(span));
  }
  spans = std::move(joined);
}

double rounded_us(double seconds) { return std::round(seconds * 1e9) * 1e-3; }

}  // namespace

std::vector<sim::LineRecord> lines_since(const std::vector<sim::LineRecord>& before,
                                         std::vector<sim::LineRecord> after) {
  // Two modules may hold kernels of one name: the n-th of equal instructions is the same one in both looks.
  using Key = std::tuple<std::string, std::string, sim::u32, std::string>;
  const auto key = [](const sim::LineRecord& line) {
    return Key{line.kernel, line.function, line.ptx_line, line.ptx};
  };
  std::map<Key, std::vector<const sim::LineRecord*>> known;
  std::map<Key, size_t> next;
  for (const sim::LineRecord& line : before) known[key(line)].push_back(&line);
  for (sim::LineRecord& line : after) {
    const auto found = known.find(key(line));
    if (found == known.end()) continue;
    const size_t n = next[found->first]++;
    if (n >= found->second.size()) continue;
    for (const auto sum : InstructionCounters::kSums)
      line.counters.*sum -= std::min(line.counters.*sum, found->second[n]->counters.*sum);
  }
  return after;
}

std::vector<LineCounts> counts_by_line(const std::vector<sim::LineRecord>& lines, const std::string& source) {
  std::map<unsigned, LineCounts> by_line;
  for (const sim::LineRecord& instruction : lines) {
    const unsigned line = line_in(instruction, source);
    const InstructionCounters& c = instruction.counters;
    if (line == 0 || instruction.ptx.empty() || c.warps == 0) continue;
    LineCounts& sum = by_line[line];
    sum.line = line;
    sum.warps += number(c.warps);
    sum.lanes += number(c.lanes);
    sum.sectors += number(c.sectors);
    sum.ideal_sectors += number(c.ideal_sectors);
    sum.wavefronts += number(c.wavefronts);
    sum.ideal_wavefronts += number(c.ideal_wavefronts);
    sum.local_sectors += number(c.local_sectors);
  }
  std::vector<LineCounts> counts;
  for (const auto& [line, sum] : by_line) counts.push_back(sum);
  return counts;
}

void add_counts(std::vector<LineCounts>& all, const std::vector<LineCounts>& more) {
  for (const LineCounts& line : more) {
    auto at = std::ranges::lower_bound(all, line.line, {}, &LineCounts::line);
    if (at == all.end() || at->line != line.line) {
      all.insert(at, line);
      continue;
    }
    at->warps += line.warps;
    at->lanes += line.lanes;
    at->sectors += line.sectors;
    at->ideal_sectors += line.ideal_sectors;
    at->wavefronts += line.wavefronts;
    at->ideal_wavefronts += line.ideal_wavefronts;
    at->local_sectors += line.local_sectors;
  }
}

std::vector<LineAdvice> advice_on(const sim::Region& region, const std::vector<sim::LineRecord>& lines,
                                  const sim::DeviceDescription& device, const std::string& source) {
  const ProgramProfile program = profile_of(region, lines, device);
  const double whole = std::max(region.virtual_seconds, 1e-12);
  std::set<std::string> own;  // the others are given: nobody can change them
  for (const KernelProfile& kernel : program.kernels)
    if (std::ranges::any_of(lines, [&](const sim::LineRecord& line) {
          return line.kernel == kernel.symbol && line_in(line, source) != 0;
        }))
      own.insert(kernel.name);
  std::vector<LineAdvice> advice;
  for (const Finding& finding : advise(program)) {
    if (!finding.kernel.empty() && !own.contains(finding.kernel)) continue;
    LineAdvice one{.line = is_source(finding.file, source) ? finding.line : 0,
                   .rule = finding.rule,
                   .message = finding.message,
                   .gain = std::clamp(finding.gain_seconds / whole, 0.0, 1.0)};
    for (const auto& related : finding.related)
      if (one.line == 0 && is_source(related.file, source)) one.line = related.line;
    add_advice(advice, {std::move(one)});
  }
  return advice;
}

void add_advice(std::vector<LineAdvice>& all, std::vector<LineAdvice> more) {
  for (LineAdvice& one : more) {
    const auto known = std::ranges::find_if(
        all, [&](const LineAdvice& other) { return other.rule == one.rule && other.line == one.line; });
    if (known == all.end())
      all.push_back(std::move(one));
    else if (known->gain < one.gain)
      *known = std::move(one);
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &LineAdvice::gain);
  if (all.size() > kMostAdvice) all.resize(kMostAdvice);
}

RooflinePoint roofline_point(const std::string& id, const sim::Region& region, double us) {
  RooflinePoint point{.id = id, .us = us};
  double tensor = 0;
  for (const auto& kernel : region.kernels) {
    point.dram_bytes += number(kernel.counters.dram_read_bytes + kernel.counters.dram_write_bytes);
    for (size_t type = 0; type < kernel.counters.flops.size(); ++type) {
      point.flops += number(kernel.counters.flops[type]);
      if (type >= static_cast<size_t>(sim::FlopType::kTensorF16))
        tensor += number(kernel.counters.flops[type]);
    }
  }
  point.tensor = tensor > point.flops / 2;
  return point;
}

Timeline timeline_of(const sim::Trace& trace, const sim::Region& region) {
  Timeline timeline;
  if (trace.spans.empty() || region.kernels.empty()) return timeline;
  const double begin = beginning_of(trace, region), end = begin + region.virtual_seconds;
  timeline.whole_us = timeline.shown_us = rounded_us(region.virtual_seconds);
  for (const Span& span : trace.spans) {
    const std::string kind = kind_of(span);
    if (kind.empty() || span.start < begin || span.start >= end || span.end <= span.start) continue;
    timeline.spans.push_back({.kind = kind,
                              .name = readable_symbol(span.name),
                              .stream = span.stream,
                              .start_us = rounded_us(span.start - begin),
                              .end_us = rounded_us(std::min(span.end, end) - begin)});
  }
  std::ranges::stable_sort(timeline.spans, {}, &TimelineSpan::start_us);
  if (timeline.spans.size() > kMostSpans) join_brief_calls(timeline.spans, timeline.whole_us);
  if (timeline.spans.size() > kMostSpans) {
    timeline.shown_us = timeline.spans[kMostSpans].start_us;
    timeline.spans.resize(kMostSpans);
  }
  return timeline;
}

}  // namespace roofline::grader
