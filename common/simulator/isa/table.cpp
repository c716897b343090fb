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

std::span<const Row> rows() {
  static const std::vector<Row> table =
      joined({integer_rows, integer_bit_rows, extended_rows, float_rows, transcendental_rows, half_rows,
              half_compare_rows, compare_rows, logic_rows, move_rows, convert_rows, convert_packed_rows,
              memory_rows, atomic_rows, control_flow_rows, warp_rows, system_rows});
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
