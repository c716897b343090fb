// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <cmath>
#include <string>
#include <utility>

namespace roofline::grader {
namespace {

// ---- A: transpose ----

void transposed(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  const auto rows = static_cast<std::uint64_t>(call.scalar("rows"));
  const auto columns = static_cast<std::uint64_t>(call.scalar("columns"));
  for (auto i = begin; i < end; ++i) {
    const double value = x[i % rows * columns + i / rows];
    expected[i - begin] = {value, std::abs(value)};
  }
}

double elements(const Settings& s) { return s["rows"] * s["columns"]; }

Case matrix(std::uint64_t rows, std::uint64_t columns) {
  const std::string r = std::to_string(rows), c = std::to_string(columns);
  return {.id = r + "x" + c,
          .title = r + (rows == 1 ? " row of " : " rows of ") + c,
          .settings = {{"rows", static_cast<double>(rows)}, {"columns", static_cast<double>(columns)}}};
}

std::vector<Case> transpose_cases() {
  std::vector<Case> cases;
  for (const auto& [rows, columns] :
       std::initializer_list<std::pair<std::uint64_t, std::uint64_t>>{{0, 5},
                                                                      {5, 0},
                                                                      {1, 1},
                                                                      {1, 1023},
                                                                      {1023, 1},
                                                                      {31, 33},
                                                                      {32, 32},
                                                                      {33, 31},
                                                                      {63, 65},
                                                                      {64, 128},
                                                                      {128, 64},
                                                                      {255, 257},
                                                                      {256, 1000},
                                                                      {1023, 1025},
                                                                      {70'001, 3},
                                                                      {2, 100'003}})
    cases.push_back(matrix(rows, columns));
  for (const unsigned elements : {1U, 2U, 3U}) {
    Case shifted = matrix(300, 500);
    shifted.id = "misaligned-" + std::to_string(elements);
    shifted.title = "pointers " + std::to_string(elements) + (elements == 1 ? " element" : " elements") +
                    " past an aligned address";
    shifted.misaligned_elements = elements;
    cases.push_back(std::move(shifted));
  }
  Case special = matrix(301, 499);
  special.id = "special";
  special.title = "NaN, infinities, -0 and denormals among the inputs";
  special.special_values = true;
  // 2^31 elements and more: a 32-bit index overflows.
  Case huge = matrix(46'343, 46'347);
  huge.id = "beyond-2^31";
  huge.title = "more than 2^31 elements";
  huge.gpu_only = true;
  huge.needs_memory = 18'500'000'000;
  return cases + std::vector<Case>{special, huge};
}

constexpr double kRowLength = 4160;  // a multiple of 64 and no power of two, as most matrices are

Part transpose() {
  return {
      .letter = "a",
      .title = "onchip A: a transposed matrix, through shared memory",
      .program = {.header = "transpose.h",
                  .source = "transpose.cu",
                  .function = "transpose",
                  .arguments = {in("x", elements), out("y", elements), size("rows", Type::kS32),
                                size("columns", Type::kS32), stream()},
                  .outputs = {{.argument = "y",
                               .reference = transposed,
                               .tolerance = {.c = 0},
                               .columns = [](const Settings& s) { return s["rows"]; }}}},
      .cases = transpose_cases(),
      .goals = {{.id = "bandwidth",
                 .title = "8 bytes an element, at the copy roof",
                 .settings = {{"rows", rows_beyond_l2({.row_bytes = 8 * kRowLength, .multiple = 64})},
                              {"columns", kRowLength}},
                 .roof = "copy",
                 .work = [](const Settings& s) { return 8 * elements(s); },
                 .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
      .structure = {one_kernel(), coalesced(1.10), no_bank_conflicts(1.05)},
      .predictions = {{.key = "a_bytes",
                       .question = "DRAM bytes for one element of a transposition",
                       .expected = 8,
                       .unit = "B"},
                      {.key = "a_sectors",
                       .question = "32-byte sectors that a warp touches when it writes a column of y",
                       .expected = 32},
                      {.key = "a_wavefronts",
                       .question = "wavefronts of a warp that reads a column of a float tile[32][32]",
                       .expected = 32},
                      {.key = "a_wavefronts_padded",
                       .question = "and of a float tile[32][33]",
                       .expected = 1},
                      {.key = "a_microseconds",
                       .question = "time for 8192 x 8192 elements on the A100-40 at its data-sheet bandwidth",
                       .expected = 345.3,
                       .factor = 1.25,
                       .unit = "us"}},
  };
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() { return {.title = "onchip: shared memory, banks, warps", .parts = {transpose()}}; }

}  // namespace roofline::grader
