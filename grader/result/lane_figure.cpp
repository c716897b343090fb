// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/result/lane_figure.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "grader/base/units.h"

namespace roofline::grader {
namespace {

constexpr double kWidth = 400, kLeft = 56, kRight = 392, kTop = 8;
constexpr double kRowHeight = 18, kGap = 8;
constexpr size_t kMostRows = 40, kMostColumns = 16, kMostSteps = 96, kMostElements = 512;

/// A cell with its lane: the number where there is room.
void lane_cell(Svg& svg, Point at, double width, std::string_view style, const std::string& text,
               const std::string& tooltip) {
  svg.box(at, width - 1, kRowHeight - 2, style, tooltip);
  if (!text.empty() && width >= 5.2 * static_cast<double>(text.size()))
    svg.text({at.x + (width - 1) / 2, at.y + kRowHeight - 6}, text, "lane", Svg::Anchor::kMiddle);
}

std::string lanes_text(unsigned lane, unsigned others) {
  return "lane " + std::to_string(lane) + (others ? " and " + std::to_string(others) + " more" : "");
}

void more(Svg& svg, double y, size_t rows, const std::string& of) {
  svg.text({kLeft, y + 12}, "and " + std::to_string(rows) + " more " + of, "note");
}

Svg sectors_figure(const LaneRequest& request) {
  const std::vector<SectorRow> rows = sector_rows(request);
  const size_t shown = std::min(rows.size(), kMostRows);
  double height = kTop + 20;
  for (size_t i = 0; i < shown; ++i)
    height += kRowHeight + (i && rows[i].offset != rows[i - 1].offset + kRowBytes ? kGap : 0);
  Svg svg(kWidth, height + (shown < rows.size() ? 18 : 0), "Lanes to sectors", lane_sentence(request));
  svg.text({kLeft - 6, kTop + 8}, "byte", "note", Svg::Anchor::kEnd);
  svg.text({kLeft, kTop + 8}, "numbers are lanes; a row is 2 sectors of 32 bytes", "note");
  const std::int64_t cells = kRowBytes / cell_bytes(request);
  const double step = (kRight - kLeft) / static_cast<double>(cells);
  double y = kTop + 14;
  for (size_t i = 0; i < shown; ++i) {
    if (i && rows[i].offset != rows[i - 1].offset + kRowBytes) y += kGap;
    svg.text({kLeft - 6, y + kRowHeight - 6}, std::to_string(rows[i].offset), "tick", Svg::Anchor::kEnd);
    for (size_t cell = 0; cell < rows[i].cells.size();) {
      const SectorCell& each = rows[i].cells[cell];
      const double x = kLeft + step * static_cast<double>(cell);
      const size_t span = std::min<size_t>(std::max(1u, each.span), rows[i].cells.size() - cell);
      const std::string bytes =
          "byte " + std::to_string(rows[i].offset + static_cast<std::int64_t>(cell * cell_bytes(request)));
      if (each.lane >= 0)
        lane_cell(svg, {x, y}, step * static_cast<double>(span), "used", std::to_string(each.lane),
                  lanes_text(static_cast<unsigned>(each.lane), each.others) + ": " + bytes);
      else
        svg.box({x, y}, step - 1, kRowHeight - 2, each.moved ? "waste" : "empty",
                each.moved ? bytes + ": moved and not used" : "");
      cell += span;
    }
    y += kRowHeight;
  }
  if (shown < rows.size()) more(svg, y, rows.size() - shown, "rows");
  return svg;
}

Svg banks_figure(const LaneRequest& request) {
  const auto banks = words_by_bank(request);
  size_t most = 1;
  for (const auto& words : banks) most = std::max(most, words.size());
  const size_t columns = std::min(most, kMostColumns);
  const double step = std::min(40.0, (kRight - kLeft) / static_cast<double>(std::max<size_t>(columns, 4)));
  Svg svg(kWidth, kTop + 20 + kBanks * kRowHeight + (most > columns ? 18 : 0), "Lanes to banks",
          lane_sentence(request));
  svg.text({kLeft - 6, kTop + 8}, "bank", "note", Svg::Anchor::kEnd);
  svg.text({kLeft, kTop + 8}, "numbers are lanes; one cell for each different word", "note");
  for (unsigned bank = 0; bank < kBanks; ++bank) {
    const double y = kTop + 14 + bank * kRowHeight;
    svg.text({kLeft - 6, y + kRowHeight - 6}, std::to_string(bank), "tick", Svg::Anchor::kEnd);
    for (size_t i = 0; i < columns; ++i) {
      const double x = kLeft + step * static_cast<double>(i);
      if (i >= banks[bank].size()) {
        svg.box({x, y}, step - 1, kRowHeight - 2, "empty");
        continue;
      }
      const BankWord& word = banks[bank][i];
      lane_cell(svg, {x, y}, step, i == 0 ? "used" : "waste", std::to_string(word.lane),
                lanes_text(word.lane, word.others) + ": word " + std::to_string(word.word) + " in bank " +
                    std::to_string(bank));
    }
  }
  if (most > columns) more(svg, kTop + 14 + kBanks * kRowHeight, most - columns, "columns");
  return svg;
}

/// By element: who wrote it, in order.
std::map<std::uint64_t, std::vector<const ElementWriter*>> by_element(const LanePictures& pictures) {
  std::map<std::uint64_t, std::vector<const ElementWriter*>> elements;
  for (const ElementWriter& each : pictures.writers) elements[each.element].push_back(&each);
  return elements;
}

bool several(const std::vector<const ElementWriter*>& writers) {
  return std::ranges::any_of(writers, [&](const ElementWriter* each) {
    return each->block != writers.front()->block || each->thread != writers.front()->thread;
  });
}

std::string writer_text(const ElementWriter& writer) {
  return "thread " + std::to_string(writer.thread) + " of block " + std::to_string(writer.block);
}

}  // namespace

unsigned cell_bytes(const LaneRequest& request) { return std::clamp(request.width, 2u, 4u); }

std::vector<SectorRow> sector_rows(const LaneRequest& request) {
  const auto floor_to = [](std::int64_t value, std::int64_t unit) {
    return (value < 0 ? (value - unit + 1) / unit : value / unit) * unit;
  };
  const std::int64_t bytes = cell_bytes(request);
  std::map<std::int64_t, SectorRow> rows;  // by address, from a multiple of 128
  const auto cell = [&](std::int64_t address) -> SectorCell& {
    const std::int64_t begin = floor_to(address, kRowBytes);
    SectorRow& row = rows[begin];
    row.offset = begin - request.phase;
    row.cells.resize(static_cast<size_t>(kRowBytes / bytes));
    return row.cells[static_cast<size_t>((address - begin) / bytes)];
  };
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!request.active(lane)) continue;
    const std::int64_t begin = request.offsets[lane] + request.phase, end = begin + request.width;
    for (std::int64_t sector = floor_to(begin, kSectorBytes); sector < end; sector += kSectorBytes)
      for (std::int64_t at = sector; at < sector + kSectorBytes; at += bytes) cell(at).moved = true;
    SectorCell& first = cell(begin);
    first.others += first.lane >= 0 ? 1 : 0;
    if (first.lane < 0) first.lane = static_cast<int>(lane);
    first.span = std::max<unsigned>(first.span, request.width / static_cast<unsigned>(bytes));
  }
  std::vector<SectorRow> ordered;
  for (auto& [begin, row] : rows) ordered.push_back(std::move(row));
  return ordered;
}

std::vector<std::vector<BankWord>> words_by_bank(const LaneRequest& request) {
  std::vector<std::vector<BankWord>> banks(kBanks);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned byte = 0; request.active(lane) && byte < request.width; byte += 4) {
      const std::int64_t word = (request.offsets[lane] + byte) / 4;
      auto& bank = banks[static_cast<size_t>(word % kBanks)];
      const auto known = std::ranges::find(bank, word, &BankWord::word);
      if (known == bank.end())
        bank.push_back({word, lane, 0});
      else
        ++known->others;
    }
  return banks;
}

Svg lane_figure(const LaneRequest& request) {
  return request.shared ? banks_figure(request) : sectors_figure(request);
}

std::string active_lanes_sentence(const LanePictures& pictures) {
  double lanes = 0, instructions = 0;
  for (const LaneStep& step : pictures.steps) {
    instructions += static_cast<double>(step.count);
    lanes += static_cast<double>(step.count) * std::popcount(step.active);
  }
  if (instructions == 0) return "The warp executed nothing.";
  std::string text = "Warp " + std::to_string(pictures.warp) + " of block " + std::to_string(pictures.block) +
                     " executes " + std::to_string(pictures.all_steps) + " instructions with " +
                     format_number("%.1f", lanes / instructions) + " of 32 lanes on average";
  if (instructions < static_cast<double>(pictures.all_steps))
    text += " in the first " + format_number("%.0f", instructions);
  return text + ".";
}

Svg active_lanes_figure(const LanePictures& pictures) {
  const size_t shown = std::min(pictures.steps.size(), kMostSteps);
  constexpr double kStep = 9, kEnd = kLeft + kStep * kLanes;
  constexpr double kHeight = 12;
  Svg svg(kWidth, kTop + 20 + kHeight * static_cast<double>(shown) + (shown < pictures.steps.size() ? 18 : 0),
          "Active lanes over time", active_lanes_sentence(pictures));
  svg.text({kLeft - 6, kTop + 8}, "line", "note", Svg::Anchor::kEnd);
  svg.text({kLeft, kTop + 8}, "lanes 0 to 31, time goes down", "note");
  for (size_t i = 0; i < shown; ++i) {
    const LaneStep& step = pictures.steps[i];
    const double y = kTop + 14 + kHeight * static_cast<double>(i);
    const std::string line = step.line ? std::to_string(step.line) : "";
    svg.text({kLeft - 6, y + kHeight - 3}, line, "tick", Svg::Anchor::kEnd);
    // Runs of lanes in one state are one box each: a page stays small.
    for (unsigned lane = 0; lane < kLanes;) {
      const bool on = (step.active >> lane & 1u) != 0;
      unsigned end = lane;
      while (end < kLanes && ((step.active >> end & 1u) != 0) == on) ++end;
      svg.box({kLeft + kStep * lane, y}, kStep * (end - lane) - 1, kHeight - 2, on ? "used" : "empty",
              on ? "lanes " + std::to_string(lane) + " to " + std::to_string(end - 1) + " are active in " +
                       (line.empty() ? "another file" : "line " + line)
                 : "");
      lane = end;
    }
    if (step.count > 1) svg.text({kEnd + 6, y + kHeight - 3}, "× " + std::to_string(step.count), "tick");
  }
  if (shown < pictures.steps.size())
    more(svg, kTop + 14 + kHeight * static_cast<double>(shown), pictures.steps.size() - shown, "rows");
  return svg;
}

std::string writers_sentence(const LanePictures& pictures) {
  const auto elements = by_element(pictures);
  std::set<std::pair<std::uint64_t, unsigned>> threads;
  for (const ElementWriter& each : pictures.writers) threads.insert({each.block, each.thread});
  std::string text = std::to_string(elements.size()) + (elements.size() == 1 ? " element" : " elements") +
                     " of " + pictures.written_place + ", written by " + std::to_string(threads.size()) +
                     (threads.size() == 1 ? " thread" : " threads");
  const auto shared = std::ranges::find_if(elements, [](const auto& each) { return several(each.second); });
  if (shared != elements.end()) {
    const auto& writers = shared->second;
    const auto other = std::ranges::find_if(writers, [&](const ElementWriter* each) {
      return writer_text(*each) != writer_text(*writers.front());
    });
    text += "; element " + std::to_string(shared->first) + " by " + writer_text(*writers.front()) +
            " and by " + writer_text(**other);
  }
  return text + ".";
}

Svg writers_figure(const LanePictures& pictures, unsigned columns) {
  const auto elements = by_element(pictures);
  const std::uint64_t last = elements.empty() ? 0 : elements.rbegin()->first;
  const std::uint64_t shown = std::min<std::uint64_t>(last + 1, kMostElements);
  const std::uint64_t rows = (shown + columns - 1) / columns;
  const double step = (kRight - kLeft) / columns;
  Svg svg(kWidth, kTop + 20 + kRowHeight * static_cast<double>(rows) + (shown <= last ? 18 : 0),
          "Which thread wrote which element", writers_sentence(pictures));
  svg.text({kLeft - 6, kTop + 8}, "element", "note", Svg::Anchor::kEnd);
  svg.text({kLeft, kTop + 8}, "numbers are threads of a block; a colour is a block", "note");
  for (std::uint64_t element = 0; element < shown; ++element) {
    const double x = kLeft + step * static_cast<double>(element % columns);
    const std::uint64_t row = element / columns;
    const double y = kTop + 14 + kRowHeight * static_cast<double>(row);
    if (element % columns == 0)
      svg.text({kLeft - 6, y + kRowHeight - 6}, std::to_string(element), "tick", Svg::Anchor::kEnd);
    const auto found = elements.find(element);
    const std::string name = "element " + std::to_string(element) + ": ";
    if (found == elements.end()) {
      svg.box({x, y}, step - 1, kRowHeight - 2, "empty", name + "not written");
      continue;
    }
    const ElementWriter& writer = *found->second.front();
    const bool twice = several(found->second);
    lane_cell(svg, {x, y}, step, twice ? "waste" : "owner" + std::to_string(writer.block % 4),
              std::to_string(writer.thread),
              name + writer_text(writer) + (twice ? ", and another thread after it" : ""));
  }
  if (shown <= last)
    more(svg, kTop + 14 + kRowHeight * static_cast<double>(rows), last + 1 - shown, "elements");
  return svg;
}

}  // namespace roofline::grader
