// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 07, part D: a running sum. Read README.md first; ./lab hint 07 helps when you are stuck. Check with
// ./lab grade 07d

#include "scan.h"

namespace {

// TODO 1 (about 8 lines): the running sum over the 32 lanes of a warp, by __shfl_up_sync.

// TODO 2 (about 10 lines): over a block: each warp leaves its sum in shared memory, and after a barrier one
// warp makes a running sum of these.

// TODO 3 (about 16 lines): a block takes a tile of x, leaves the tile's sum in `scratch`, and writes the
// running sum within the tile.
__global__ void scan_kernel(const std::uint32_t* x, std::uint32_t* y, std::size_t n, std::uint64_t* scratch) {
}

// TODO 4 (about 20 lines): what comes before each tile. To pass: four numbers a load; a second kernel makes a
// running sum of the tiles' sums, and a third adds it to y. For the last medal one kernel, whose blocks look
// back.

}  // namespace

void scan(const std::uint32_t* x, std::uint32_t* y, std::size_t n, std::uint64_t* scratch,
          cudaStream_t stream) {
  // TODO 5 (about 5 lines): a block for each tile; the last tile is not full.
}
