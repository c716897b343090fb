// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/check_report.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "grader/base/paths.h"
#include "grader/base/printable.h"
#include "simulator/text.h"

namespace roofline::grader {
namespace {

constexpr int kPlaceWidth = 24;
constexpr size_t kTextWidth = 100;

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// The text of a line without its indentation; empty when the file cannot be read.
std::string source_text(const std::string& file, unsigned line) {
  std::ifstream in(file);
  std::string text;
  for (unsigned i = 0; i < line; ++i)
    if (!std::getline(in, text)) return {};
  text.erase(0, text.find_first_not_of(" \t"));
  return printable(text);
}

/// `text` in lines of a readable length, each behind `indent` but the first.
std::string wrapped(const std::string& text, const std::string& indent) {
  std::string lines, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > kTextWidth) {
      lines += line + '\n' + indent;
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + line;
}

/// Paragraphs of a message: its first line, and what it lists below.
std::string paragraphs(const std::string& message) {
  std::string text;
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    const std::string indent(line.find_first_not_of(' ') + 2, ' ');
    text += indent + wrapped(line, indent) + '\n';
  }
  return text;
}

void write_place(std::ostringstream& out, const sim::Finding::Place& place, const Terminal& terminal) {
  std::string where = "(no line: compile with -lineinfo)";
  std::string text = place.ptx;
  if (place.line != 0) {
    where = base_name(place.file) + ":" + std::to_string(place.line);
    text = source_text(place.file, place.line);
  } else if (place.ptx_line == 0) {
    where.clear();
  }
  out << "    " << terminal.paint(Colour::kBold, pad_right(printable(where), kPlaceWidth)) << ' '
      << printable(place.what) << '\n';
  if (!text.empty()) out << "        " << terminal.paint(Colour::kDim, "| ") << printable(text) << '\n';
}

void write_finding(std::ostringstream& out, const sim::Finding& finding, const Terminal& terminal) {
  const bool note = finding.level == sim::Finding::Level::kNote;
  const Colour colour = note                                             ? Colour::kBlue
                        : finding.level == sim::Finding::Level::kWarning ? Colour::kYellow
                                                                         : Colour::kRed;
  out << terminal.paint(colour, std::string(name_of(finding.check)) + ": " + finding.rule);
  if (!finding.kernel.empty()) out << " in kernel '" << printable(finding.kernel) << '\'';
  if (finding.count > 1 && !note)
    out << terminal.paint(Colour::kDim, " (" + std::to_string(finding.count) + " times)");
  out << '\n' << paragraphs(printable(finding.message));
  for (const sim::Finding::Place& place : finding.places) write_place(out, place, terminal);
  if (!finding.advice.empty())
    out << "  " << terminal.paint(Colour::kBold, "fix:") << ' ' << wrapped(finding.advice, "       ") << '\n';
  out << '\n';
}

}  // namespace

unsigned parse_checks(const std::string& text) {
  unsigned checks = 0;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "all")
      checks |= sim::kCheckAll;
    else if (word == "memory")
      checks |= sim::kCheckMemory;
    else if (word == "init")
      checks |= sim::kCheckInit;
    else if (word == "race")
      checks |= sim::kCheckRace;
    else if (word == "sync")
      checks |= sim::kCheckSync;
    else
      throw UsageError("--check " + printable(text) + ": there is no check \"" + printable(word) +
                       "\"; choose from memory, init, race, sync, or all");
  }
  return checks;
}

std::vector<Finding> as_findings(const std::vector<sim::Finding>& findings) {
  std::vector<Finding> made;
  for (const sim::Finding& from : findings) {
    Finding& to = made.emplace_back();
    to.check = name_of(from.check);
    to.rule = to.check + "-" + from.rule;
    to.title = to.check + " check: " + from.rule;
    to.level = from.level == sim::Finding::Level::kError     ? Finding::Level::kError
               : from.level == sim::Finding::Level::kWarning ? Finding::Level::kWarning
                                                             : Finding::Level::kNote;
    to.message = printable(from.message) + (from.advice.empty() ? "" : "\n" + from.advice);
    to.kernel = printable(from.kernel);
    to.block = from.block;
    to.thread = from.thread;
    for (const sim::Finding::Place& place : from.places) {
      const bool first = &place == &from.places.front();
      if (first && place.line != 0) {
        to.file = place.file;
        to.line = place.line;
      } else if (first) {
        to.where = place.ptx;
      }
      if (place.line != 0) to.related.push_back({printable(place.what), place.file, place.line});
    }
  }
  return made;
}

size_t count_errors(const std::vector<sim::Finding>& findings) {
  return static_cast<size_t>(std::count_if(findings.begin(), findings.end(), [](const sim::Finding& finding) {
    return finding.level != sim::Finding::Level::kNote;
  }));
}

std::string check_report(const std::vector<sim::Finding>& findings, const Terminal& terminal) {
  std::ostringstream out;
  for (const sim::Finding& finding : findings) write_finding(out, finding, terminal);
  const size_t errors = count_errors(findings), notes = findings.size() - errors;
  out << terminal.paint(errors == 0 ? Colour::kGreen : Colour::kRed,
                        "check: " + sim::count_of(errors, "finding"));
  if (notes != 0) out << ", " << sim::count_of(notes, "note");
  out << '\n';
  return out.str();
}

}  // namespace roofline::grader
