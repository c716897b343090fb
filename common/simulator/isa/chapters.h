// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <vector>

#include "simulator/isa/row.h"

/// The chapters of the instruction table, one file each, in the order of the PTX manual. Listed by hand:
/// static self-registration is dropped by the linker when it takes a static library.
namespace roofline::sim::isa {

std::vector<Row> integer_rows();
std::vector<Row> integer_bit_rows();
std::vector<Row> extended_rows();
std::vector<Row> float_rows();
std::vector<Row> transcendental_rows();
std::vector<Row> half_rows();
std::vector<Row> half_compare_rows();
std::vector<Row> compare_rows();
std::vector<Row> logic_rows();
std::vector<Row> move_rows();
std::vector<Row> convert_rows();
std::vector<Row> convert_packed_rows();
std::vector<Row> memory_rows();
std::vector<Row> atomic_rows();
std::vector<Row> mbarrier_rows();
std::vector<Row> cluster_rows();
std::vector<Row> control_flow_rows();
std::vector<Row> warp_rows();
std::vector<Row> matrix_rows();  // in matrix/
std::vector<Row> system_rows();
std::vector<Row> bulk_copy_rows();
std::vector<Row> texture_rows();
std::vector<Row> surface_rows();
std::vector<Row> stack_rows();
std::vector<Row> video_rows();
std::vector<Row> scalar_video_rows();

struct Chapter {
  std::string_view title;
  std::vector<Row> (*rows)();
};
/// Every chapter of the table.
std::span<const Chapter> chapters();

/// Chapters (or parts of one) in a row.
std::vector<Row> joined(std::initializer_list<std::vector<Row> (*)()> parts);

}  // namespace roofline::sim::isa
