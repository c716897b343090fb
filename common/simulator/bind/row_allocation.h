// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/analysis/control_flow_graph.h"
#include "simulator/program/instruction.h"

namespace roofline::sim {

/// Which virtual rows each PTX instruction of a function reads and writes. Row numbers start at 1.
struct RowUse {
  struct Row {
    u32 bytes = 4;  ///< a lane
    bool is_predicate = false;
    bool at_entry = false;  ///< filled when the frame is entered
  };
  std::vector<Row> rows{1};
  struct Access {
    std::vector<u32> reads, writes;
    bool guarded = false;  ///< its writes may not happen
  };
  std::vector<Access> accesses;  ///< by PTX instruction
  std::vector<u32> results;      ///< rows that the caller reads when the function is left
};

/// Where each virtual row lives in the frame. Rows share a place when their live ranges do not meet and they
/// are equally wide: lanes of a diverged warp may be at different instructions, and equally wide rows keep
/// the lanes apart.
struct RowPlaces {
  std::vector<u32> offset;  ///< by virtual row
  u32 frame_bytes = 0;
  std::vector<u32> unwritten;  ///< virtual rows that may be read before they are written
  u32 registers = 0;           ///< most 32-bit registers alive at once
};

RowPlaces allocate_rows(const RowUse& use, const ControlFlowGraph& graph);

}  // namespace roofline::sim
