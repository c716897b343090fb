// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/one_time.h"

#include <algorithm>
#include <string_view>

namespace roofline::grader {
namespace {

using Span = sim::TraceSpan;

auto first_call(const std::vector<Span>& spans, std::string_view name) {
  return std::ranges::find_if(
      spans, [&](const Span& span) { return span.kind == Span::Kind::kCall && span.name == name; });
}

}  // namespace

std::vector<OneTime> one_time_costs(const sim::Trace& trace) {
  std::vector<OneTime> costs;
  const auto& spans = trace.spans;
  const auto add = [&](const char* call, const char* what) {
    if (const auto at = first_call(spans, call); at != spans.end())
      costs.push_back({what, (at->end - at->start) * 1e6});
  };
  add("cudaGraphInstantiate", "instantiation");
  add("cudaGraphUpload", "upload");
  const auto launch = first_call(spans, "cudaGraphLaunch");
  if (launch == spans.end()) return costs;
  const auto node = std::ranges::find_if(
      spans, [&](const Span& span) { return span.kind == Span::Kind::kKernel && span.call == launch->call; });
  if (node != spans.end()) costs.push_back({"first launch", (node->start - launch->start) * 1e6});
  return costs;
}

}  // namespace roofline::grader
