// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "docs/tests/generated.h"

// Pictures of lab 10: weights of four bits in a word. What they show is computed here by the rules of the
// page.
namespace roofline::docs::decode_pictures {
namespace {

using grader::Point;
using grader::Svg;

constexpr double kWidth = 760;

// --- weights in a word -------------------------------------------------------------------------------------

constexpr std::array<int, 8> kWeights = {3, -1, -8, 7, 0, -2, 5, 1};

/// Column 0 in the lowest four bits.
std::uint32_t packed() {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < kWeights.size(); ++k)
    word |= (static_cast<std::uint32_t>(kWeights[k]) & 15U) << 4 * k;
  return word;
}

std::string bits(std::uint32_t nibble) {
  std::string text;
  for (int bit = 3; bit >= 0; --bit) text += (nibble >> bit & 1U) != 0 ? '1' : '0';
  return text;
}

/// Eight boxes of four bits, the highest at the left; `names` below those that have a weight, in the colour
/// of even or of odd columns.
void draw_word(Svg& svg, Point corner, std::uint32_t word, const std::array<std::string, 8>& names) {
  constexpr double kCell = 62;
  for (std::size_t k = 0; k < 8; ++k) {
    const double x = corner.x + kCell * static_cast<double>(7 - k);
    const std::uint32_t nibble = word >> 4 * k & 15U;
    const std::size_t q = names[k].find('q');
    const std::string style = q == std::string::npos             ? "lane empty"
                              : (names[k][q + 1] - '0') % 2 == 0 ? "lane owner0"
                                                                 : "lane owner1";
    svg.box({x, corner.y}, kCell - 3, 24, style, names[k]);
    svg.text({x + kCell / 2, corner.y + 16}, bits(nibble), "label", Svg::Anchor::kMiddle);
    svg.text({x + kCell / 2, corner.y + 40}, names[k], "tick", Svg::Anchor::kMiddle);
  }
}

std::string nibbles_figure() {
  constexpr double kLeft = 226;
  Svg svg(
      kWidth, 350, "Weights of four bits in a word, in a lane and in a group",
      "A word holds eight weights, column 0 in its lowest four bits. Shifted up by four bits and masked, its "
      "even columns are in the high halves of four bytes, where each byte is 16 times the weight; masked "
      "alone, its odd columns. A lane loads four words, 32 weights, and four lanes hold the 128 weights that "
      "share a scale");
  svg.text({24, 24}, "Eight weights in a word, 32 in a lane, 128 under a scale", "title");
  const std::uint32_t word = packed();
  std::array<std::string, 8> all{}, even{}, odd{};
  for (std::size_t k = 0; k < kWeights.size(); ++k) {
    all[k] = "q" + std::to_string(k) + " = " + std::to_string(kWeights[k]);
    // In the high half of its byte, the even ones one nibble further up.
    (k % 2 == 0 ? even : odd)[k | 1U] = "16 q" + std::to_string(k) + " = " + std::to_string(16 * kWeights[k]);
  }
  svg.text({24, 66}, "a word", "label");
  draw_word(svg, {kLeft, 50}, word, all);
  svg.text({24, 126}, "w << 4 & 0xf0f0f0f0", "label");
  draw_word(svg, {kLeft, 110}, word << 4U & 0xf0f0f0f0U, even);
  svg.text({24, 186}, "w & 0xf0f0f0f0", "label");
  draw_word(svg, {kLeft, 170}, word & 0xf0f0f0f0U, odd);

  constexpr double kWord = 32, kLane = 4 * kWord + 8, kTop = 262;
  svg.text({24, 240}, "a row, from column 0 on; a box is a word", "label");
  for (int lane = 0; lane < 5; ++lane) {
    const double x = 24 + kLane * lane;
    const bool in_group = lane < 4;
    for (int k = 0; k < 4; ++k)
      svg.box(
          {x + kWord * k, kTop}, kWord - 2, 22, in_group ? "lane used" : "lane empty",
          "columns " + std::to_string(32 * lane + 8 * k) + " to " + std::to_string(32 * lane + 8 * k + 7));
    svg.text({x + 2 * kWord, kTop + 38}, "lane " + std::to_string(lane) + ": 16 bytes", "tick",
             Svg::Anchor::kMiddle);
  }
  svg.line({24, kTop + 52}, {24 + 4 * kLane - 10, kTop + 52}, "axis");
  svg.text({24 + 2 * kLane, kTop + 70}, "a group: 128 weights, 64 bytes, and one scale, a half", "label",
           Svg::Anchor::kMiddle);
  svg.text({24 + 4.5 * kLane, kTop + 70}, "the next scale", "note", Svg::Anchor::kMiddle);
  return svg.str();
}

// Breaks when a byte with a weight in its high half is not 16 times the weight, as the page of lab 10 says.
TEST(Nibbles, HighHalfOfAByteIsSixteenTimesTheWeight) {
  const std::uint32_t even = packed() << 4U & 0xf0f0f0f0U, odd = packed() & 0xf0f0f0f0U;
  for (std::size_t byte = 0; byte < 4; ++byte) {
    EXPECT_EQ(static_cast<std::int8_t>(even >> 8 * byte & 255U), 16 * kWeights[2 * byte]);
    EXPECT_EQ(static_cast<std::int8_t>(odd >> 8 * byte & 255U), 16 * kWeights[2 * byte + 1]);
  }
}

// --- heads on SMs ------------------------------------------------------------------------------------------

constexpr int kSms = 108, kHeads = 8, kBlocksPerSm = 2;

/// The heads whose blocks each SM has when every head is split into `parts`: blocks are dealt out in turn.
std::array<std::vector<int>, kSms> placed(int parts) {
  std::array<std::vector<int>, kSms> sms{};
  for (int block = 0; block < kHeads * parts; ++block)
    sms[static_cast<std::size_t>(block % kSms)].push_back(block / parts);
  return sms;
}

void draw_sms(Svg& svg, Point corner, int parts) {
  constexpr int kAcross = 36;
  constexpr double kCell = 19;
  const auto sms = placed(parts);
  for (int sm = 0; sm < kSms; ++sm) {
    const std::vector<int>& heads = sms[static_cast<std::size_t>(sm)];
    const double x = corner.x + kCell * (sm % kAcross), y = corner.y + (kCell + 6) * (sm / kAcross);
    for (std::size_t place = 0; place < kBlocksPerSm; ++place) {
      const bool used = place < heads.size();
      const std::string style = used ? "lane owner" + std::to_string(heads[place] % 4) : "lane empty";
      svg.box({x, y + (kCell / 2) * static_cast<double>(place)}, kCell - 2, kCell / 2 - 1, style,
              "SM " + std::to_string(sm) + (used ? ": head " + std::to_string(heads[place]) : ": no block"));
    }
  }
}

std::string split_figure() {
  constexpr int kParts = kSms * kBlocksPerSm / kHeads;
  Svg svg(kWidth, 268, "A block for each head, and heads split into parts, on 108 SMs",
          "Above: eight heads with a block each occupy 8 of 108 SMs, one of two places. Below: each head is "
          "split "
          "into 27 parts of its positions, 216 blocks, two on every SM");
  svg.text({24, 24}, "Eight heads on an A100: 108 SMs with room for two blocks each", "title");
  svg.text({24, 52}, "a block for each head: 8 SMs work", "label");
  draw_sms(svg, {24, 62}, 1);
  svg.text({24, 168}, "each head in " + std::to_string(kParts) + " parts: all SMs have two blocks", "label");
  draw_sms(svg, {24, 178}, kParts);
  return svg.str();
}

// Breaks when 27 parts are not two blocks for every SM, or a block for each head is more than eight.
TEST(Split, TwentySevenPartsFillTheGpu) {
  int working = 0;
  for (const auto& sm : placed(1)) working += sm.empty() ? 0 : 1;
  EXPECT_EQ(working, kHeads);
  for (const auto& sm : placed(27)) EXPECT_EQ(sm.size(), kBlocksPerSm);
}

// Break when the rules above change and the pictures do not.
TEST(Page, NibblesFigureIsCurrent) { expect_current(kRoot / "labs/10-decode/nibbles.svg", nibbles_figure()); }
TEST(Page, SplitFigureIsCurrent) { expect_current(kRoot / "labs/10-decode/split.svg", split_figure()); }

}  // namespace
}  // namespace roofline::docs::decode_pictures
