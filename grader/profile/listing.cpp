// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/listing.h"

#include <algorithm>
#include <filesystem>

#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/text/table.h"

namespace roofline::grader {
namespace {

using sim::u64;

/// More of the source than this between two counted lines is left out.
constexpr unsigned kLargestGap = 2;
/// PTX instructions that are shown of a kernel without line information.
constexpr size_t kMostPtxRows = 40;

using sim::number;

std::string share_text(double part, double whole) {
  if (part <= 0 || whole <= 0) return "";
  const double percent = part / whole * 100;
  return percent < 0.95 ? "<1" : format_number("%.0f", percent);
}

std::string per_request(double n) { return format_number(n < 9.95 ? "%.2g" : "%.0f", n); }

/// Relative to the current folder, for a file below it.
std::string path_from_here(const std::string& file) {
  const std::filesystem::path relative =
      std::filesystem::path(file).lexically_relative(std::filesystem::current_path());
  return relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

/// "32/4": sectors a request, and what would do.
std::string sectors_cell(const LineProfile& line, const Terminal& terminal) {
  double requests = 0;
  for (const auto* instruction : line.instructions)
    if (instruction->counters.sectors != 0) requests += number(instruction->counters.requests);
  if (requests == 0) return "";
  const double actual = number(line.sum.sectors), ideal = number(line.sum.ideal_sectors);
  const std::string text = per_request(actual / requests) + "/" + per_request(ideal / requests);
  const Colour colour = actual >= ideal * 3     ? Colour::kRed
                        : actual >= ideal * 1.5 ? Colour::kYellow
                                                : Colour::kPlain;
  return terminal.paint(colour, text);
}

/// "8x": passes over the banks for one that would do.
std::string banks_cell(const LineProfile& line, const Terminal& terminal) {
  if (line.sum.ideal_wavefronts == 0) return "";
  const double ways = number(line.sum.wavefronts) / number(line.sum.ideal_wavefronts);
  const Colour colour = ways >= 3 ? Colour::kRed : ways >= 1.5 ? Colour::kYellow : Colour::kPlain;
  return terminal.paint(colour, per_request(ways) + "x");
}

std::string lanes_cell(const LineProfile& line, const Terminal& terminal) {
  if (line.sum.warps == 0) return "";
  const double lanes = number(line.sum.lanes) / number(line.sum.warps);
  return terminal.paint(lanes < 20 ? Colour::kYellow : Colour::kPlain, format_number("%.1f", lanes));
}

std::string hits_cell(u64 hits, u64 all) {
  return all == 0 ? "" : format_number("%.0f", number(hits) / number(all) * 100);
}

/// Sectors that loads of the line asked of L1.
u64 l1_lookups(const LineProfile& line) {
  u64 sectors = 0;
  for (const auto* instruction : line.instructions)
    if (instruction->is_load) sectors += instruction->counters.sectors;
  return sectors;
}

std::string splits_cell(const LineProfile& line) {
  u64 reached = 0;
  for (const auto* instruction : line.instructions)
    if (instruction->is_branch) reached += instruction->counters.warps;
  return line.sum.divergent == 0 || reached == 0 ? ""
                                                 : share_text(number(line.sum.divergent), number(reached));
}

/// Time of the average warp in this line, issuing left out.
std::string waits_cell(const KernelProfile& kernel, const LineProfile& line) {
  return share_text(line.stalls.sum() - line.stalls[sim::Stall::kSelected], kernel.stalls.sum());
}

struct CountColumn {
  const char* title;
  bool only_wide;  ///< not in terminals of less than 100 columns
  std::string (*cell)(const KernelProfile&, const LineProfile&, const Terminal&);
};

constexpr CountColumn kColumns[] = {
    {"instr%", false,
     [](const KernelProfile& k, const LineProfile& l, const Terminal&) {
       return share_text(number(l.sum.warps), k.warp_instructions());
     }},
    {"wait%", true,
     [](const KernelProfile& k, const LineProfile& l, const Terminal&) { return waits_cell(k, l); }},
    {"lanes", false,
     [](const KernelProfile&, const LineProfile& l, const Terminal& t) { return lanes_cell(l, t); }},
    {"split%", true,
     [](const KernelProfile&, const LineProfile& l, const Terminal&) { return splits_cell(l); }},
    {"sectors", false,
     [](const KernelProfile&, const LineProfile& l, const Terminal& t) { return sectors_cell(l, t); }},
    {"traffic%", false,
     [](const KernelProfile& k, const LineProfile& l, const Terminal&) {
       return share_text(l.traffic(), k.traffic());
     }},
    {"L1%", true,
     [](const KernelProfile&, const LineProfile& l, const Terminal&) {
       return hits_cell(l.sum.l1_hit_sectors, l1_lookups(l));
     }},
    {"L2%", true,
     [](const KernelProfile&, const LineProfile& l, const Terminal&) {
       return hits_cell(l.sum.l2_hit_sectors, l.sum.l2_read_sectors);
     }},
    {"banks", false,
     [](const KernelProfile&, const LineProfile& l, const Terminal& t) { return banks_cell(l, t); }},
};

/// The start of a text that fits into so many columns.
std::string cut(const std::string& text, int width) {
  if (display_width(text) <= width) return text;
  std::string out;
  for (const char c : text) {
    const bool starts_a_character = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    if (starts_a_character && display_width(out) >= std::max(0, width - 2)) break;
    out += c;
  }
  return out + "..";
}

std::string paragraph(const std::string& text, int indent, const Terminal& terminal) {
  std::string out;
  for (const std::string& line : wrap(text, terminal.width - indent))
    out += std::string(static_cast<size_t>(indent), ' ') + line + "\n";
  return out;
}

class KernelListing {
 public:
  KernelListing(const KernelProfile& kernel, SourceText& source, const Terminal& terminal)
      : kernel_(kernel), source_(source), terminal_(terminal) {
    for (const CountColumn& column : kColumns)
      if (!column.only_wide || terminal.width >= 100) columns_.push_back(&column);
    source_width_ = terminal.width - 2 - kNumber - 2;
    for (const CountColumn* column : columns_) source_width_ -= width(*column) + 1;
  }

  std::string text() {
    out_ = header();
    rows();
    return out_;
  }

 private:
  static constexpr int kNumber = 5;
  static int width(const CountColumn& column) { return std::max(5, display_width(column.title)); }

  std::string header() const {
    const sim::KernelRecord& launch = *kernel_.longest;
    const std::string launches =
        "  " +
        (kernel_.launches == 1 ? std::string("1 launch") : std::to_string(kernel_.launches) + " launches") +
        ", " + time_text(kernel_.seconds) + " simulated\n";
    const std::string name = cut(kernel_.name, terminal_.width - (display_width(launches) - 1));
    const std::string text = "\n" + terminal_.paint(Colour::kBold, name) + launches;
    if (kernel_.bounds.empty()) return text;
    std::string others;
    for (size_t i = 0; i < std::min<size_t>(kernel_.bounds.size(), 4); i++)
      others += (i ? ", " : "") + kernel_.bounds[i].first + " " +
                percent_text(std::min(1.0, kernel_.bounds[i].second / std::max(kernel_.seconds, 1e-30)));
    const std::string limit = terminal_.paint(Colour::kBold, bound_text(kernel_.bounds.front().first));
    return text +
           paragraph("limited by " + limit + " (of its simulated time: " + others + ")", 2, terminal_) +
           waits() +
           paragraph("occupancy " + percent_text(launch.occupancy.fraction) + ", limited by " +
                         launch.occupancy.limiter + "; " + std::to_string(launch.resources.registers) +
                         " registers a thread" + (launch.resources.registers_estimated ? " (estimated)" : ""),
                     2, terminal_);
  }

  /// "a warp's time: long scoreboard 71 % (most in line 12), not selected 9 %; selected 5 %"
  std::string waits() const {
    const double all = kernel_.stalls.sum();
    std::string text;
    int shown = 0;
    for (const auto& [reason, seconds] : by_time(kernel_.stalls)) {
      if (reason == sim::Stall::kSelected || seconds < 0.05 * all || ++shown > 3) continue;
      text += (text.empty() ? "a warp's time: " : ", ") + std::string(name_of(reason)) + " " +
              percent_text(seconds / all);
      if (const LineProfile* line = kernel_.line_of(reason))
        text += " (most in " + std::string(kernel_.has_lines ? "line " : "PTX line ") +
                std::to_string(line->line) + ")";
    }
    if (text.empty()) return text;
    return paragraph(text + "; it issues " + percent_text(kernel_.stalls[sim::Stall::kSelected] / all), 2,
                     terminal_);
  }

  void titles() {
    std::string line = "  " + pad_left(kernel_.has_lines ? "line" : "PTX", kNumber);
    for (const CountColumn* column : columns_) line += " " + pad_left(column->title, width(*column));
    out_ += terminal_.paint(Colour::kDim, line + "  source") + "\n";
  }

  void row(const LineProfile& line, const std::string& source) {
    std::string text = "  " + pad_left(std::to_string(line.line), kNumber);
    for (const CountColumn* column : columns_)
      text += " " + pad_left(column->cell(kernel_, line, terminal_), width(*column));
    std::string shown = cut(source, source_width_);
    if (kernel_.has_lines && !line.callers.empty()) {
      const std::string note = std::string("  ") + std::string(terminal_.either("\u2190", "<-")) +
                               " inlined at " + std::to_string(line.callers.front().second) +
                               (line.callers.size() > 1 ? ".." : "");
      if (display_width(shown) + display_width(note) <= source_width_)
        shown += terminal_.paint(Colour::kDim, note);
    }
    text += "  " + shown;
    while (text.ends_with(' ')) text.pop_back();
    out_ += text + "\n";
  }

  void context(unsigned line, const std::string& file) {
    int indent = 2 + kNumber;
    for (const CountColumn* column : columns_) indent += width(*column) + 1;
    const std::string source = source_.line(file, line);
    if (source.find_first_not_of(' ') == std::string::npos) return;
    out_ += terminal_.paint(Colour::kDim, "  " + pad_left(std::to_string(line), kNumber) +
                                              std::string(static_cast<size_t>(indent - kNumber - 2), ' ') +
                                              "  " + cut(source, source_width_)) +
            "\n";
  }

  void rows() {
    if (!kernel_.has_lines) return ptx_rows();
    std::string file;
    unsigned last = 0;
    for (const LineProfile& line : kernel_.lines) {
      if (line.sum.warps == 0) continue;
      if (line.file != file) {
        file = line.file;
        last = 0;
        out_ += "  " +
                terminal_.paint(Colour::kBlue, cut(printable(path_from_here(file)), terminal_.width - 2)) +
                "\n";
        titles();
      }
      if (last != 0 && line.line - last - 1 <= kLargestGap)
        for (unsigned between = last + 1; between < line.line; between++) context(between, file);
      else if (last != 0)
        out_ += terminal_.paint(Colour::kDim, "  " + pad_left("...", kNumber)) + "\n";
      row(line, source_.line(file, line.line));
      last = line.line;
    }
  }

  /// Without lines: the instructions that cost most, in their own order.
  void ptx_rows() {
    std::vector<const LineProfile*> rows;
    for (const LineProfile& line : kernel_.lines)
      if (line.sum.warps != 0) rows.push_back(&line);
    const auto cost = [](const LineProfile* line) { return line->traffic() * 4 + number(line->sum.warps); };
    std::stable_sort(rows.begin(), rows.end(), [&](auto* a, auto* b) { return cost(a) > cost(b); });
    const size_t all = rows.size();
    rows.resize(std::min(rows.size(), kMostPtxRows));
    std::stable_sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->line < b->line; });
    titles();
    for (const LineProfile* line : rows) row(*line, printable(line->instructions.front()->ptx));
    if (all > rows.size())
      out_ += "  " + std::to_string(all - rows.size()) + " cheaper instructions are left out.\n";
    out_ += "  These are PTX instructions: compile with nvcc -lineinfo to see source lines.\n";
  }

  const KernelProfile& kernel_;
  SourceText& source_;
  const Terminal& terminal_;
  std::vector<const CountColumn*> columns_;
  int source_width_ = 0;
  std::string out_;
};

/// Of the kernel's time, or of the program's when it is about no kernel.
std::string gain_text(const Finding& finding, const ProgramProfile& program, const Terminal& terminal) {
  double whole = program.region.virtual_seconds;
  for (const KernelProfile& kernel : program.kernels)
    if (kernel.name == finding.kernel) whole = kernel.seconds;
  if (finding.gain_seconds <= 0 || whole <= 0) return "";
  const double share = finding.gain_seconds / whole;
  if (share < 0.01) return ", little effect at this size";
  return ", about " + percent_text(share) + " of " +
         (finding.kernel.empty() ? "the program" : cut(finding.kernel, terminal.width / 2)) +
         "'s simulated time";
}

std::string place_of(const Finding& finding) {
  if (finding.line != 0)
    return std::filesystem::path(finding.file).filename().string() + ":" + std::to_string(finding.line);
  if (!finding.where.empty()) return finding.where;
  return finding.kernel.empty() ? "the program" : finding.kernel;
}

/// The place, the rule and the gain: in one line where they fit, else the place has a line of its own.
std::string title_of(const Finding& finding, size_t number_of_finding, const ProgramProfile& program,
                     const Terminal& terminal) {
  constexpr int kIndent = 2, kNextIndent = 5;
  const Colour colour = finding.level == Finding::Level::kError ? Colour::kRed : Colour::kYellow;
  const std::string place =
      cut(std::to_string(number_of_finding) + ". " + printable(place_of(finding)), terminal.width - kIndent);
  const std::string rule = finding.rule + gain_text(finding, program, terminal);
  const std::string text = std::string(kIndent, ' ') + terminal.paint(colour, place);
  if (kIndent + display_width(place) + 2 + display_width(rule) <= terminal.width)
    return text + "  " + terminal.paint(Colour::kDim, rule) + "\n";
  std::string lines = text + "\n";
  for (const std::string& line : wrap(rule, terminal.width - kNextIndent))
    lines += std::string(kNextIndent, ' ') + terminal.paint(Colour::kDim, line) + "\n";
  return lines;
}

}  // namespace

std::string headline(const ProgramProfile& program, const Terminal& terminal) {
  const sim::Region& region = program.region;
  if (region.kernels.empty() || region.virtual_seconds <= 0) return "";
  const double whole = region.virtual_seconds;
  const double kernels = std::min(1.0, program.kernel_seconds / whole);
  const double copies = std::min(1 - kernels, program.copy_seconds / whole);
  const double overhead = std::max(0.0, 1 - kernels - copies);
  const KernelProfile& first = program.kernels.front();
  std::string text = "Of " + time_text(whole) + " simulated: kernels " + percent_text(kernels) +
                     ", copies about " + percent_text(copies) + ", overhead and waiting " +
                     percent_text(overhead) + ". ";
  if (kernels >= std::max(copies, overhead) && !first.bounds.empty())
    text += "Most of it is limited by " + bound_text(first.bounds.front().first) + " (in " +
            cut(first.name, terminal.width / 2) + ").";
  else if (copies >= overhead)
    text += "Limited by the link between host and device.";
  else
    text += "Limited by overhead: launches, allocations and synchronisation, not by the kernels.";
  return paragraph(text, 2, terminal);
}

std::string listing(const ProgramProfile& program, const Terminal& terminal) {
  SourceText source;
  std::string text;
  for (const KernelProfile& kernel : program.kernels) text += KernelListing(kernel, source, terminal).text();
  if (text.empty()) return text;
  const std::string legend =
      "instr%: of the kernel's warp instructions. lanes: active threads of 32. sectors: 32-byte sectors a "
      "warp "
      "request / what its bytes need. traffic%: of the kernel's sectors. " +
      std::string(
          terminal.width >= 100
              ? "wait%: of the average warp's time, what it waits in this line. split%: of the warps at a "
                "branch, those that diverge. L1%, L2%: reads that hit, simulated. "
              : "") +
      "banks: passes over shared memory, over those without conflicts. All counts are simulated.";
  return text + "\n" + paragraph(legend, 2, terminal);
}

std::string findings_text(const std::vector<Finding>& findings, const ProgramProfile& program,
                          const Terminal& terminal) {
  std::string text;
  size_t n = 0;
  for (const Finding& finding : findings) {
    text += "\n" + title_of(finding, ++n, program, terminal);
    text += paragraph(printable(finding.message), 5, terminal);
    for (const auto& related : finding.related)
      if (related.line != 0)
        text += paragraph(related.message + ": " +
                              std::filesystem::path(printable(related.file)).filename().string() + ":" +
                              std::to_string(related.line),
                          5, terminal);
  }
  return text;
}

}  // namespace roofline::grader
