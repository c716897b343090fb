// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/image/bytes.h"

namespace roofline::sim::image {

/// From `address` in the machine code on, instructions come from this line.
struct LineRow {
  u64 address = 0;
  u32 line = 0;
};

/// One run of machine code. Where it begins is for the linker to say: `start_at` is the offset in the section
/// of the address that a relocation fills in.
struct LineSequence {
  u64 start_at = 0;
  std::vector<LineRow> rows;  ///< by address

  /// 0: no line is known there.
  u32 line_of(u64 address) const;
};

/// Reads a line number program (DWARF 2, section 6.2), which is how `-lineinfo` says in .nv_debug_line_sass
/// what line of the PTX an instruction comes from. \throws ImageError when it is damaged.
std::vector<LineSequence> read_lines(Bytes section);

}  // namespace roofline::sim::image
