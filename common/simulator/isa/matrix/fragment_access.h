// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/isa/matrix/matrix.h"
#include "simulator/machine/access.h"

/// How wmma.load and wmma.store reach memory: the same requests that ptxas emits for sm_80.
namespace roofline::sim::isa {

/// One operand of one wmma.load or wmma.store.
struct FragmentAccess {
  Element element = Element::kF16;
  bool is_accumulator = false;
  bool across = false;    ///< the registers' rows run across the rows of the matrix in memory
  bool permuted = false;  ///< --permute-fragments
  bool by_rows = false;   ///< as ldmatrix does: 16-bit operands that are known to lie in shared memory
  u32 registers = 0, distinct = 0;  ///< the rest repeats the distinct ones
  u32 default_stride = 0;           ///< elements, when the instruction gives none
  /// First row and column of each tile, in elements, along the registers' rows and columns.
  struct Tile {
    u32 row, column;
  };
  std::vector<Tile> tiles;

  u32 element_bits() const { return bits_of(element); }
  u32 register_bytes() const { return element == Element::kF64 ? 8 : 4; }
  u32 registers_a_tile() const { return is_accumulator && element != Element::kF16 ? 2 : 1; }
  /// Bytes of a lane that lie side by side when rows run along memory.
  u32 lane_bytes() const { return register_bytes() * registers_a_tile(); }
  u32 lane_elements() const { return lane_bytes() * 8 / element_bits(); }
  bool is_packed() const { return element_bits() < 32; }
  /// 16-bit tiles are moved as they lie in memory and transposed between registers.
  bool transposes() const { return across && element_bits() == 16; }
  /// Warp requests that the hardware needs, for the issue slots.
  u32 requests() const;
};

/// `use` is "a", "b", "c" or "d"; layout "row" or "col".
FragmentAccess fragment_access(std::string_view use, Shape shape, Element element, bool is_row);

/// Between memory and rows of 32 lanes in the layout of the hardware; `address` is the matrix's first
/// element, `stride` in elements.
void load_fragment(Warp& w, const Instruction& in, const FragmentAccess& plan, u64 address, u64 stride,
                   u8* const* registers);
void store_fragment(Warp& w, const Instruction& in, const FragmentAccess& plan, u64 address, u64 stride,
                    const u8* const* registers);

}  // namespace roofline::sim::isa
