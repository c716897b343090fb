// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <vector>

#include "simulator/types.h"

namespace roofline::sim {

/// What comes before what among the pieces of one submission: the nodes of a graph, or what a kernel
/// launched. Pieces have numbers in the order in which they begin, so that each comes after lower ones only.
class PieceOrder {
 public:
  /// The number, from 1 on, of a piece that begins now and comes after those that ended as these. What has
  /// no such name came before the whole submission.
  u64 begin(const std::vector<u64>& after);
  /// The latest piece has ended: later ones call it so.
  void end(u64 name);
  /// The pieces that come before this one, it itself included: numbers from `oldest` on, at [number -
  /// oldest].
  std::vector<bool> before(u64 piece, u64 oldest) const;
  /// Nobody asks any more for pieces with lower numbers.
  void forget_below(u64 oldest);

 private:
  u64 latest_ = 0, oldest_ = 0;
  std::map<u64, u64> numbers_;             ///< by name
  std::map<u64, std::vector<u64>> after_;  ///< by number
};

}  // namespace roofline::sim
