// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "simulator/isa/address.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/texture_operands.h"
#include "simulator/text.h"

/// "Surface Instructions": suld.b and sust.b, which move bytes whatever the format of the array. (suq is in
/// texture.cpp.)
namespace roofline::sim::isa {

namespace {

using Shape = TextureObject::Shape;

/// What an access outside of the surface does.
enum class Outside : s64 { kTrap, kClamp, kZero };

using SurfaceTypes = TypeList<B8, B16, B32, B64>;

struct Place {
  s64 x = 0, y = 0, z = 0;  ///< x in bytes
};

/// Extra::slots: the elements that are moved, then the coordinates. numbers[0]: how many elements.
Place place_of(const Warp& w, const Instruction& in, const Geometry& geometry, u32 lane) {
  const Slot* at = in.extra->slots.data() + in.extra->numbers[0];
  Place place;
  if (geometry.layered) place.z = w.row<u32>(*at++)[lane];
  s64* const parts[] = {&place.x, &place.y, &place.z};
  for (u32 c = 0; c < geometry.coordinates; ++c) *parts[c] = w.row<s32>(at[c])[lane];
  return place;
}

/// "byte 80 of row 3, layer 2 of a surface of 64 bytes by 4 rows".
std::string outside_text(const TextureObject& object, const Geometry& geometry, const Place& p, u32 width) {
  const TexelLevel& level = object.levels[0];
  const bool has_rows = geometry.coordinates > 1, has_slices = geometry.layered || geometry.coordinates > 2;
  const std::string slice = geometry.layered ? "layer" : "slice";
  std::string text = count_of(width, "byte") + " at byte " + std::to_string(p.x);
  if (has_rows) text += " of row " + std::to_string(p.y);
  if (has_slices) text += ", " + slice + " " + std::to_string(p.z);
  text += ": the surface has " + std::to_string(u64{level.width} * object.format.bytes()) + " bytes a row";
  if (has_rows) text += ", " + count_of(level.height, "row");
  if (has_slices) text += ", " + count_of(level.depth, slice.c_str());
  return text + "; x of surface functions counts bytes";
}

/// One checked request; lanes that are to be left out are not in the mask that it gives.
u32 request_bytes(Warp& w, const Instruction& in, const TextureObject& object, u32 lanes, AccessKind kind,
                  std::array<u64, kWarpSize>& addresses) {
  const Geometry& geometry = geometry_of(static_cast<Shape>(in.immediate & 0xff));
  const auto outside = static_cast<Outside>(in.immediate >> 8);
  const TexelLevel& level = object.levels[0];
  const s64 row = static_cast<s64>(u64{level.width} * object.format.bytes());
  TexelRequest request;
  request.kind = kind;
  request.width = in.width;
  request.tiled = true;
  u32 inside = 0;
  for_lanes(lanes, [&](u32 l) {
    Place p = place_of(w, in, geometry, l);
    if (outside == Outside::kClamp) {
      p.x = std::clamp<s64>(p.x, 0, std::max<s64>(row - in.width, 0));
      p.y = std::clamp<s64>(p.y, 0, level.height - 1);
      p.z = std::clamp<s64>(p.z, 0, level.depth - 1);
    }
    if (p.x < 0 || p.y < 0 || p.z < 0 || p.x + in.width > row || p.y >= level.height || p.z >= level.depth) {
      if (outside == Outside::kZero) return;
      w.trap(TrapKind::kIllegalAddress, l, in, outside_text(object, geometry, p, in.width));
    }
    if (p.x % in.width != 0)
      w.trap(TrapKind::kMisalignedAddress, l, in,
             count_of(in.width, "byte") + " at byte " + std::to_string(p.x) +
                 " of a surface's row: x is a multiple of the width");
    const auto x = static_cast<u64>(p.x), y = static_cast<u64>(p.y), z = static_cast<u64>(p.z);
    addresses[l] = texel_address(level, x, y, z);
    request.add(0, l, addresses[l], texel_place(object, level, x, y, z));
    inside |= 1u << l;
  });
  constexpr u32 kLanesAClock = 4;
  request.clocks = (static_cast<u32>(std::popcount(lanes)) + kLanesAClock - 1) / kLanesAClock;
  if (inside != 0) begin_texels(w, in, request);
  return inside;
}

template <class E>
void load(Warp& w, const Instruction& in) {
  const auto n = static_cast<std::size_t>(in.extra->numbers[0]);
  each_object(w, in, [&](const TextureObject& object, u32 lanes, u32 first) {
    check_surface(w, in, object, static_cast<Shape>(in.immediate & 0xff), first);
    std::array<u64, kWarpSize> addresses;
    const u32 inside = request_bytes(w, in, object, lanes, AccessKind::kLoad, addresses);
    for_lanes(lanes, [&](u32 l) {
      E values[4] = {};
      if ((inside >> l & 1u) != 0)
        std::memcpy(values, reinterpret_cast<const u8*>(addresses[l]), n * sizeof(E));
      for (std::size_t j = 0; j < n; ++j) w.row<E>(in.extra->slots[j])[l] = values[j];
    });
  });
}

template <class E>
void store(Warp& w, const Instruction& in) {
  const auto n = static_cast<std::size_t>(in.extra->numbers[0]);
  each_object(w, in, [&](const TextureObject& object, u32 lanes, u32 first) {
    check_surface(w, in, object, static_cast<Shape>(in.immediate & 0xff), first);
    std::array<u64, kWarpSize> addresses;
    const u32 inside = request_bytes(w, in, object, lanes, AccessKind::kStore, addresses);
    for_lanes(inside, [&](u32 l) {
      E values[4];
      for (std::size_t j = 0; j < n; ++j) values[j] = w.row<E>(in.extra->slots[j])[l];
      std::memcpy(reinterpret_cast<u8*>(addresses[l]), values, n * sizeof(E));
    });
  });
}

template <bool kStore>
void bind(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  const ptx::Operand& moved = operands[kStore ? 1 : 0];
  const std::span<const ptx::Operand> elements = elements_of(moved);
  const std::size_t spelled = match.has("v2") ? 2 : match.has("v4") ? 4 : 1;
  if (elements.size() != spelled || spelled * match.type.bytes() > 16)
    refuse(moved, "a vector of " + std::to_string(spelled) + " elements is spelled, the operand has " +
                      std::to_string(elements.size()));
  Extra& extra = binder.extra();
  in.extra = &extra;
  extra.numbers.push_back(static_cast<s64>(spelled));
  const auto move = [&] {
    for (const ptx::Operand& element : elements)
      extra.slots.push_back(kStore ? binder.source(element, match.type)
                                   : binder.destination(element, match.type));
  };
  move();
  if (!kStore) extra.written = static_cast<u32>(spelled);
  const Geometry& geometry = geometry_of(match);
  bind_place(operands[kStore ? 0 : 1], geometry, S32::kType, binder, in, extra);
  const Outside outside = match.has("trap")    ? Outside::kTrap
                          : match.has("clamp") ? Outside::kClamp
                                               : Outside::kZero;
  in.immediate = static_cast<s64>(geometry.shape) | static_cast<s64>(outside) << 8;
  in.width = static_cast<u8>(match.type.bytes() * spelled);
  SurfaceTypes::select(match.type, [&]<class T>() {
    in.execute = kStore ? &store<typename T::Lane> : &load<typename T::Lane>;
  });
}

template <bool kStore>
Row surface_row(std::string_view syntax) {
  return {.syntax = syntax,
          .types = SurfaceTypes::all(),
          .types2 = {},
          .bind = bind<kStore>,
          .cost = memory_cost,
          .space = ptx::Space::kGlobal,
          .is_load = !kStore,
          .is_store = kStore,
          .traits = {.typing = Typing::kOpaque, .object = true}};
}

}  // namespace

std::vector<Row> surface_rows() {
  return {
      surface_row<false>("suld.b.{1d,2d,3d,a1d,a2d}{.ca,.cg,.cs,.cv}{.v2,.v4}.type.{trap,clamp,zero} d, [a]"),
      surface_row<true>("sust.b.{1d,2d,3d,a1d,a2d}{.wb,.cg,.cs,.wt}{.v2,.v4}.type.{trap,clamp,zero} [a], b"),
  };
}

}  // namespace roofline::sim::isa
