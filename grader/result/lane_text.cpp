// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/result/lane_text.h"

#include <algorithm>
#include <map>

#include "grader/result/lane_figure.h"
#include "grader/text/table.h"

namespace roofline::grader {
namespace {

constexpr size_t kMostTextRows = 16, kMostTextSteps = 24, kMostTextElements = 128, kMostWords = 12;

std::string more(size_t rows, const std::string& of) {
  return "  ... and " + std::to_string(rows) + " more " + of + "\n";
}

class LaneText {
 public:
  LaneText(const LanePictures& pictures, const Terminal& terminal)
      : pictures_(pictures), terminal_(terminal) {}

  std::string text(size_t request, unsigned columns) {
    head();
    if (request < pictures_.requests.size()) show(request);
    if (!pictures_.steps.empty()) active_lanes();
    if (!pictures_.writers.empty()) writers(columns);
    return out_;
  }

 private:
  void head() {
    const LanePictures& p = pictures_;
    out_ += "\n" + terminal_.paint(Colour::kBlue, p.file + ":" + std::to_string(p.line)) + "  " +
            terminal_.paint(Colour::kBold, p.source) + "\n";
    sentence(p.kernel + ", launch " + std::to_string(p.launch) + ", block " + std::to_string(p.block) +
             ", warp " + std::to_string(p.warp) + " of " + std::to_string(p.warps) + "; " + p.what_ran +
             " on the simulated " + p.device);
    if (p.requests.empty()) sentence("The warp asks for no global or shared memory in this line.");
  }

  void sentence(const std::string& text) {
    for (const std::string& line : wrap(text, terminal_.width - 2)) out_ += "  " + line + "\n";
  }
  void title(const std::string& text) { out_ += "\n" + terminal_.paint(Colour::kBold, text) + "\n"; }

  void show(size_t index) {
    const LaneRequest& request = pictures_.requests[index];
    title("Request " + std::to_string(index + 1) + " of " + std::to_string(pictures_.all_requests));
    sentence(lane_sentence(request) + ".");
    out_ += '\n';
    request.shared ? banks(request) : sectors(request);
  }

  std::string used(const std::string& text) const { return terminal_.paint(Colour::kBlue, text); }
  std::string wasted(const std::string& text) const { return terminal_.paint(Colour::kYellow, text); }

  void sectors(const LaneRequest& request) {
    const std::vector<SectorRow> rows = sector_rows(request);
    const size_t half = static_cast<size_t>(kSectorBytes) / cell_bytes(request);
    const std::string unused(terminal_.either("··", ".."));
    out_ += "     byte  lanes; " + unused + " is moved and not used; | is a border of sectors of 32 bytes\n";
    for (size_t i = 0; i < std::min(rows.size(), kMostTextRows); ++i) {
      out_ += pad_left(std::to_string(rows[i].offset), 9) + "  ";
      const auto& cells = rows[i].cells;
      unsigned covered = 0;
      int lane = -1;
      for (size_t cell = 0; cell < cells.size(); ++cell) {
        if (cell % half == 0) out_ += cell ? " |" : "|";
        if (cells[cell].lane >= 0) lane = cells[cell].lane, covered = cells[cell].span;
        const std::string name = (lane < 10 ? "0" : "") + std::to_string(lane);
        out_ += " " + (covered ? used(name) : cells[cell].moved ? wasted(unused) : "  ");
        covered -= covered ? 1 : 0;
      }
      out_ += " |\n";
    }
    if (rows.size() > kMostTextRows) out_ += more(rows.size() - kMostTextRows, "rows");
  }

  void banks(const LaneRequest& request) {
    const auto banks = words_by_bank(request);
    size_t most = 0;
    for (const auto& words : banks) most = std::max(most, words.size());
    out_ += "     bank  lanes, one column for each different word of 4 bytes\n";
    for (unsigned bank = 0; bank < kBanks; ++bank) {
      std::string row = pad_left(std::to_string(bank), 9) + "  |";
      for (size_t i = 0; i < std::min(banks[bank].size(), kMostWords); ++i) {
        const std::string name = pad_left(std::to_string(banks[bank][i].lane), 3);
        row += i == 0 ? used(name) : wasted(name);
      }
      if (banks[bank].size() > kMostWords)
        row += " and " + std::to_string(banks[bank].size() - kMostWords) + " more";
      if (!banks[bank].empty() || most <= 1) out_ += row + "\n";
    }
  }

  void active_lanes() {
    title("Active lanes over time");
    sentence(active_lanes_sentence(pictures_));
    out_ += "\n     line  lanes 0 to 31\n";
    const auto& steps = pictures_.steps;
    for (size_t i = 0; i < std::min(steps.size(), kMostTextSteps); ++i) {
      std::string lanes;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        lanes +=
            (steps[i].active >> lane & 1u) != 0 ? terminal_.either("█", "#") : terminal_.either("·", ".");
      out_ += pad_left(steps[i].line ? std::to_string(steps[i].line) : "", 9) + "  " + used(lanes) +
              (steps[i].count > 1 ? "  x " + std::to_string(steps[i].count) : "") + "\n";
    }
    if (steps.size() > kMostTextSteps) out_ += more(steps.size() - kMostTextSteps, "rows");
  }

  void writers(unsigned columns) {
    title("Which thread wrote which element");
    sentence(writers_sentence(pictures_));
    out_ += "\n  element  block:thread\n";
    std::map<std::uint64_t, const ElementWriter*> first;
    for (const ElementWriter& each : pictures_.writers) first.try_emplace(each.element, &each);
    const std::uint64_t last = first.rbegin()->first;
    // As many in a row as there is room for, where the reader did not say.
    const auto room = static_cast<unsigned>(std::max(1, (terminal_.width - 11) / 8));
    while (columns > room) columns = (columns + 1) / 2;
    const std::uint64_t end = std::min<std::uint64_t>(last + 1, kMostTextElements);
    for (std::uint64_t begin = 0; begin < end; begin += columns) {
      out_ += pad_left(std::to_string(begin), 9) + " ";
      for (std::uint64_t element = begin; element < std::min(begin + columns, end); ++element) {
        const auto found = first.find(element);
        const std::string writer = found == first.end() ? "-"
                                                        : std::to_string(found->second->block) + ":" +
                                                              std::to_string(found->second->thread);
        out_ += " " + pad_left(writer, 7);
      }
      out_ += '\n';
    }
    if (last >= kMostTextElements) out_ += more(last + 1 - kMostTextElements, "elements");
  }

  const LanePictures& pictures_;
  const Terminal& terminal_;
  std::string out_;
};

}  // namespace

std::string lane_text(const LanePictures& pictures, size_t request, unsigned columns,
                      const Terminal& terminal) {
  return LaneText(pictures, terminal).text(request, columns);
}

}  // namespace roofline::grader
