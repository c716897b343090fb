// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <span>
#include <string>

#include "simulator/isa/row.h"
#include "simulator/isa/types.h"
#include "simulator/machine/texel_access.h"
#include "simulator/machine/textures.h"

/// What textures and surfaces share: the object in an address operand, and the coordinates behind it.
namespace roofline::sim::isa {

/// How many coordinates a spelling takes, behind the number of a layer where there are any.
struct Geometry {
  std::string_view word;
  TextureObject::Shape shape;
  u32 coordinates;
  bool layered;
};

const Geometry& geometry_of(TextureObject::Shape shape);
/// By the word in a spelling.
const Geometry& geometry_of(const Match& match);

[[noreturn]] void refuse(const ptx::Operand& operand, const std::string& why);

/// The operands of "{a, b}", or the one operand itself.
std::span<const ptx::Operand> elements_of(const ptx::Operand& operand);

/// The object of "[object, {coordinates}]" goes to in.a.
void bind_object(const ptx::Operand& operand, Binder& binder, Instruction& in);
/// The same, and the coordinates to Extra::slots.
void bind_place(const ptx::Operand& operand, const Geometry& geometry, ptx::Type type, Binder& binder,
                Instruction& in, Extra& extra);

template <class F>
void for_lanes(u32 mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<u32>(std::countr_zero(mask)));
}

/// Traps: there is no such object.
[[noreturn]] void no_object(Warp& w, const Instruction& in, u32 lane, u64 number);

/// Calls `use(object, lanes, first)` for each object that the lanes name. Their requests take one turn after
/// the other.
template <class Use>
void each_object(Warp& w, const Instruction& in, Use use) {
  const u64* numbers = w.row<u64>(in.a);
  u32 passes = 0, sectors = 0;
  MemoryLevel level = MemoryLevel::kNone;
  for (u32 left = w.mask; left != 0;) {
    const auto first = static_cast<u32>(std::countr_zero(left));
    const u64 number = numbers[first];
    u32 lanes = 0;
    for_lanes(left, [&](u32 l) { lanes |= numbers[l] == number ? 1u << l : 0u; });
    const TextureObject* object = w.block->grid->textures->find(number);
    if (object == nullptr) no_object(w, in, first, number);
    use(*object, lanes, first);
    left &= ~lanes;
    passes += w.memory_passes;
    sectors += w.memory_sectors;
    level = std::max(level, w.memory_level);
  }
  w.memory_passes = w.memory_transfers = passes;
  w.memory_sectors = sectors;
  w.memory_level = level;
}

/// Traps where an object is not what the instruction reads.
void check_texture(Warp& w, const Instruction& in, const TextureObject& object, TextureObject::Shape shape,
                   bool integers, u32 lane);
void check_surface(Warp& w, const Instruction& in, const TextureObject& object, TextureObject::Shape shape,
                   u32 lane);

}  // namespace roofline::sim::isa
