// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/page.h"

#include <algorithm>
#include <cstdio>

#include "grader/base/xml.h"

namespace roofline::grader {
namespace {

constexpr const char* kStyle = R"(<style>
:root { color-scheme: light dark; --ink: #1a1a2e; --paper: #fff; --line: #d8dae2; --good: #1b7f4b; --bad: #b3261e; --bar: #3b6fb6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e7ee; --paper: #16171d; --line: #3a3d4a; --good: #5fd39a; --bad: #ff8a80; --bar: #7aa7e8; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; } pre { white-space: pre-wrap; margin: 0; font: 14px/1.4 ui-monospace, monospace; }
.pass { color: var(--good); } .fail, .error { color: var(--bad); } .bar { fill: var(--bar); } .scroll { overflow-x: auto; }
@media print { body { margin: 0; } }
</style>)";

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         xml_escaped(title) + "</title>\n" + kStyle + "\n</head>\n<body>\n<main>\n<h1>" + xml_escaped(title) +
         "</h1>\n" + body + "</main>\n</body>\n</html>\n";
}

std::string histogram(const std::vector<std::size_t>& tenths, const std::string& what) {
  const std::size_t bins = tenths.size(),
                    most = bins == 0 ? 1 : std::max<std::size_t>(1, std::ranges::max(tenths));
  std::string svg = "<svg viewBox=\"0 0 640 190\" role=\"img\" aria-label=\"" + xml_escaped(what) +
                    "\" width=\"100%\" style=\"max-width:40rem\">\n";
  for (std::size_t i = 0; i < bins; ++i) {
    char text[400];
    const double height = 140.0 * static_cast<double>(tenths[i]) / static_cast<double>(most);
    const double x = 10 + 62.0 * static_cast<double>(i);
    std::snprintf(
        text, sizeof text,
        "<rect class=\"bar\" x=\"%.0f\" y=\"%.1f\" width=\"56\" height=\"%.1f\"/><text x=\"%.0f\" y=\"%.1f\" "
        "text-anchor=\"middle\" fill=\"currentColor\" font-size=\"13\">%zu</text><text x=\"%.0f\" y=\"182\" "
        "text-anchor=\"middle\" fill=\"currentColor\" font-size=\"12\">%zu%s</text>\n",
        x, 160 - height, height, x + 28, 154 - height, tenths[i], x + 28, 10 * i,
        i + 1 == bins ? "-100 %" : "");
    svg += text;
  }
  return svg + "</svg>\n";
}

}  // namespace roofline::grader
