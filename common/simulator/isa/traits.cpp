// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/row.h"

/// What follows from a row's syntax line, and from modifiers that mean the same in every chapter.
namespace roofline::sim::isa {

namespace {

bool writes_first(const Row& row) {
  const auto space = row.syntax.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view operands = row.syntax.substr(space + 1);
  const std::string_view first = operands.substr(0, operands.find_first_of(",{|"));
  return first == "d" || first == "f" || first == "p" || first == "r";
}

Strength strength_of(const Row& row, const Match& match) {
  if (row.is_atomic) return Strength::kAtomic;
  for (const auto order : {"relaxed", "acquire", "release", "mmio"})
    if (match.has(order)) return Strength::kAtomic;
  return match.has("volatile") ? Strength::kVolatile : Strength::kPlain;
}

}  // namespace

Traits traits_of(const Row& row, const Match& match) {
  Traits traits = row.traits;
  traits.writes_first = writes_first(row);
  traits.aligned |= match.has("aligned");
  traits.strength = strength_of(row, match);
  if (traits.fence != Fence::kNone && match.has("cta")) traits.fence = Fence::kBlock;
  traits.block_scope = traits.strength == Strength::kAtomic && match.has("cta");
  traits.system_scope =
      traits.strength == Strength::kVolatile || (traits.strength == Strength::kAtomic && match.has("sys"));
  if (match.has("release") || match.has("acq_rel"))
    traits.releases = match.has("cta") ? Fence::kBlock : Fence::kWider;
  else if (traits.barrier_object)
    traits.releases = Fence::kBlock;                  // without words mbarrier.arrive is .release.cta
  if (match.has("sat")) traits.zeros = Zeros::kNone;  // the greatest number ends with ones
  traits.type = match.type;
  traits.from = match.type2;
  return traits;
}

Traits traits_of(const ptx::Instruction& instruction) {
  Match match;
  const Row* row = find(instruction, match);
  return row == nullptr ? Traits{} : traits_of(*row, match);
}

}  // namespace roofline::sim::isa
