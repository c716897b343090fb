// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <unordered_map>

#include "simulator/isa/chapters.h"

namespace roofline::sim::isa {

namespace {

using Index = std::unordered_map<std::string_view, std::vector<const Row*>>;

Index index_by_opcode() {
  Index index;
  for (const Row& row : rows()) index[opcode_of(row)].push_back(&row);
  return index;
}

}  // namespace

std::vector<Row> joined(std::initializer_list<std::vector<Row> (*)()> parts) {
  std::vector<Row> table;
  for (auto part : parts) {
    std::vector<Row> rows_of_part = part();
    table.insert(table.end(), std::make_move_iterator(rows_of_part.begin()),
                 std::make_move_iterator(rows_of_part.end()));
  }
  return table;
}

std::span<const Chapter> chapters() {
  static constexpr Chapter kChapters[] = {
      {"Integer arithmetic", integer_rows},
      {"Integer bits and dot products", integer_bit_rows},
      {"Extended-precision integer arithmetic", extended_rows},
      {"Floating point", float_rows},
      {"Floating-point approximations", transcendental_rows},
      {"Half precision", half_rows},
      {"Half-precision comparison", half_compare_rows},
      {"Comparison and selection", compare_rows},
      {"Logic and shift", logic_rows},
      {"Moves between registers", move_rows},
      {"Conversion", convert_rows},
      {"Conversion of packed and narrow types", convert_packed_rows},
      {"Loads, stores and addresses", memory_rows},
      {"Atomics and fences", atomic_rows},
      {"Memory barrier objects", mbarrier_rows},
      {"Asynchronous copies that complete on a memory barrier", bulk_copy_rows},
      {"Textures", texture_rows},
      {"Surfaces", surface_rows},
      {"Thread block clusters", cluster_rows},
      {"Control flow", control_flow_rows},
      {"Warp and block", warp_rows},
      {"Matrix", matrix_rows},
      {"Video", video_rows},
      {"Scalar video", scalar_video_rows},
      {"Stack", stack_rows},
      {"System", system_rows},
  };
  return kChapters;
}

std::span<const Row> rows() {
  static const std::vector<Row> table = [] {
    std::vector<Row> all;
    for (const Chapter& chapter : chapters())
      for (Row& row : chapter.rows()) all.push_back(std::move(row));
    return all;
  }();
  return table;
}

const Row* find(const ptx::Instruction& instruction, Match& match) {
  static const Index index = index_by_opcode();
  const auto rows_of_opcode = index.find(instruction.opcode);
  if (rows_of_opcode == index.end()) return nullptr;
  for (const Row* row : rows_of_opcode->second)
    if (matches(*row, instruction, match)) return row;
  return nullptr;
}

}  // namespace roofline::sim::isa
