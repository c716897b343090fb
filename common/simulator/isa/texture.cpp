// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "simulator/isa/address.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/sampler.h"
#include "simulator/isa/texture_operands.h"

/// "Texture Instructions": tex, tld4, txq.
namespace roofline::sim::isa {

namespace {

using Shape = TextureObject::Shape;

enum class Level { kBase, kGiven, kGradients };

constexpr u32 kResults = 4;
/// Extra::slots: the results, the coordinates, then the level or the gradients.
constexpr std::size_t kFirstCoordinate = kResults;

f64 value_of(const Warp& w, Slot slot, u32 lane, bool integers) {
  return integers ? f64{static_cast<f64>(w.row<s32>(slot)[lane])} : f64{w.row<f32>(slot)[lane]};
}

/// The lane's coordinates; a layer comes first. The row of an array of one is read in its middle by a
/// function for lines.
Coordinates coordinates(const Warp& w, const Instruction& in, Shape shape, u32 lane, bool integers) {
  Coordinates result;
  result.at[1] = 0.5;
  const Geometry& geometry = geometry_of(shape);
  const Slot* at = in.extra->slots.data() + kFirstCoordinate;
  if (geometry.layered) result.slice = w.row<u32>(*at++)[lane];
  for (u32 c = 0; c < geometry.coordinates; ++c) result.at[c] = value_of(w, at[c], lane, integers);
  return result;
}

/// What the texture units need: four lanes a clock; twice that between levels and in a volume; and filtering
/// takes longer for texels of more than 4 bytes.
u32 clocks_of(const TextureObject& object, u32 lanes, u32 taps) {
  constexpr u32 kLanesAClock = 4, kTapsAtOnce = 4;
  const u32 turns = std::max((taps + kTapsAtOnce - 1) / kTapsAtOnce, 1u);
  const u32 wide = taps > 1 ? std::max(object.format.bytes() / 4, 1u) : 1;
  return (lanes + kLanesAClock - 1) / kLanesAClock * turns * wide;
}

using Footprints = std::array<Footprint, kWarpSize>;

/// Requests the texels of all lanes that read one texture.
void request_texels(Warp& w, const Instruction& in, const TextureObject& object, u32 lanes,
                    const Footprints& footprints) {
  TexelRequest request;
  request.width = object.format.bytes();
  request.tiled = object.tiled;
  u32 most = 0;
  for_lanes(lanes, [&](u32 l) {
    const Footprint& f = footprints[l];
    most = std::max(most, f.count);
    for (u32 t = 0; t < f.count; ++t) {
      const Tap& tap = f.taps[t];
      if (tap.outside) continue;
      const TexelLevel& level = object.levels[tap.level];
      const u64 x = u64{tap.x} * request.width;
      request.add(t, l, texel_address(level, x, tap.y, tap.z), texel_place(object, level, x, tap.y, tap.z));
    }
  });
  request.clocks = clocks_of(object, static_cast<u32>(std::popcount(lanes)), most);
  begin_texels(w, in, request);
}

const u8* bytes_of(const TextureObject& object, const Tap& tap) {
  const u64 x = u64{tap.x} * object.format.bytes();
  return reinterpret_cast<const u8*>(texel_address(object.levels[tap.level], x, tap.y, tap.z));
}

std::array<u32, 4> bits_of(const std::array<f64, 4>& values) {
  std::array<u32, 4> bits;
  for (u32 c = 0; c < 4; ++c) bits[c] = std::bit_cast<u32>(static_cast<f32>(values[c]));
  return bits;
}

std::array<f64, 4> tap_floats(const TextureObject& object, const Tap& tap) {
  if (!tap.outside) return floats_of(object, bytes_of(object, tap));
  return {object.border[0], object.border[1], object.border[2], object.border[3]};
}

std::array<u32, 4> tap_bits(const TextureObject& object, const Tap& tap) {
  const TexelFormat& format = object.format;
  if (format.kind == TexelFormat::Kind::kFloat && format.bits == 32 && !tap.outside) {
    std::array<u32, 4> bits = integers_of(format, bytes_of(object, tap));
    if (format.channels < 4) bits[3] = std::bit_cast<u32>(1.0F);
    return bits;
  }
  if (gives_floats(object)) return bits_of(tap_floats(object, tap));
  return tap.outside ? border_integers(object) : integers_of(object.format, bytes_of(object, tap));
}

/// A texel that counts for nothing adds nothing, not even a NaN.
std::array<u32, 4> filtered(const TextureObject& object, const Footprint& f) {
  if (f.count == 1) return tap_bits(object, f.taps[0]);
  std::array<f64, 4> sum{};
  for (u32 t = 0; t < f.count; ++t) {
    if (f.taps[t].weight == 0) continue;
    const std::array<f64, 4> values = tap_floats(object, f.taps[t]);
    for (u32 c = 0; c < 4; ++c) sum[c] += f.taps[t].weight * values[c];
  }
  return bits_of(sum);
}

void give(Warp& w, const Instruction& in, u32 lane, const std::array<u32, 4>& bits) {
  for (u32 c = 0; c < kResults; ++c) w.row<u32>(in.extra->slots[c])[lane] = bits[c];
}

/// Every texel of an array is resident: sparse ones do not exist here.
void note_resident(Warp& w, const Instruction& in) {
  if (in.d.bits == 0) return;
  w.predicate(in.d) |= w.mask;
}

template <Level kLevel>
f64 level(const Warp& w, const Instruction& in, const TextureObject& object, Shape shape, u32 lane) {
  if constexpr (kLevel == Level::kBase) return 0;
  const Geometry& geometry = geometry_of(shape);
  const Slot* rest = in.extra->slots.data() + kFirstCoordinate + geometry.coordinates + geometry.layered;
  if constexpr (kLevel == Level::kGiven) return w.row<f32>(*rest)[lane];
  std::array<f64, 3> dx{}, dy{};
  for (u32 c = 0; c < geometry.coordinates; ++c) {
    dx[c] = w.row<f32>(rest[c])[lane];
    dy[c] = w.row<f32>(rest[geometry.coordinates + c])[lane];
  }
  return level_of(object, dx, dy);
}

/// kIntegers: texels by number, never filtered.
template <Level kLevel, bool kIntegers>
void fetch(Warp& w, const Instruction& in) {
  const auto shape = static_cast<Shape>(in.immediate);
  Footprints footprints;
  each_object(w, in, [&](const TextureObject& object, u32 lanes, u32 first) {
    check_texture(w, in, object, shape, kIntegers, first);
    if (kLevel == Level::kGradients && object.anisotropic)
      w.trap(TrapKind::kTrap, first, in,
             "a fetch with gradients from a texture with maxAnisotropy above 1: anisotropic filtering is not "
             "simulated");
    for_lanes(lanes, [&](u32 l) {
      footprints[l] = footprint(object, coordinates(w, in, shape, l, kIntegers),
                                level<kLevel>(w, in, object, shape, l), kIntegers);
    });
    request_texels(w, in, object, lanes, footprints);
    for_lanes(lanes, [&](u32 l) { give(w, in, l, filtered(object, footprints[l])); });
  });
  note_resident(w, in);
}

/// tld4: one component of each of the four texels that a filter would join.
void gather(Warp& w, const Instruction& in) {
  const auto shape = static_cast<Shape>(in.immediate & 0xff);
  const auto component = static_cast<u32>(in.immediate >> 8);
  Footprints footprints;
  each_object(w, in, [&](const TextureObject& object, u32 lanes, u32 first) {
    check_texture(w, in, object, shape, false, first);
    for_lanes(lanes, [&](u32 l) { footprints[l] = gathered(object, coordinates(w, in, shape, l, false)); });
    request_texels(w, in, object, lanes, footprints);
    for_lanes(lanes, [&](u32 l) {
      std::array<u32, 4> bits;
      for (u32 t = 0; t < kResults; ++t) bits[t] = tap_bits(object, footprints[l].taps[t])[component];
      give(w, in, l, bits);
    });
  });
  note_resident(w, in);
}

/// "{a, b, c, d}" or "{a, b, c, d}|p".
void bind_results(const ptx::Operand& operand, ptx::Type type, Binder& binder, Instruction& in,
                  Extra& extra) {
  const bool pair = operand.kind == ptx::Operand::Kind::kPair;
  const ptx::Operand& results = pair ? operand.elements[0] : operand;
  if (results.kind != ptx::Operand::Kind::kVector || results.elements.size() != kResults)
    refuse(operand, "the result is a vector of four registers");
  for (const ptx::Operand& element : results.elements)
    extra.slots.push_back(binder.destination(element, type));
  extra.written = kResults;
  if (pair) in.d = binder.predicate_destination(operand.elements[1]);
}

/// One scalar, or the first so many of a vector.
void bind_numbers(const ptx::Operand& operand, std::size_t n, ptx::Type type, Binder& binder, Extra& extra) {
  const std::span<const ptx::Operand> given = elements_of(operand);
  if (given.size() < n) refuse(operand, "this needs " + std::to_string(n) + " numbers");
  for (std::size_t i = 0; i < n; ++i) extra.slots.push_back(binder.source(given[i], type));
}

template <Level kLevel>
void bind_fetch(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  Extra& extra = binder.extra();
  in.extra = &extra;
  const Geometry& geometry = geometry_of(match);
  const bool integers = match.type2 == S32::kType;
  bind_results(operands[0], match.type, binder, in, extra);
  bind_place(operands[1], geometry, match.type2, binder, in, extra);
  if (kLevel == Level::kGiven) bind_numbers(operands[2], 1, F32::kType, binder, extra);
  if (kLevel == Level::kGradients)
    for (const std::size_t gradient : {2u, 3u})
      bind_numbers(operands[gradient], geometry.coordinates, F32::kType, binder, extra);
  in.immediate = static_cast<s64>(geometry.shape);
  in.execute = integers ? fetch<kLevel, true> : fetch<kLevel, false>;
}

void bind_gather(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  Extra& extra = binder.extra();
  in.extra = &extra;
  const Geometry& geometry = geometry_of(match);
  bind_results(operands[0], match.type, binder, in, extra);
  bind_place(operands[1], geometry, F32::kType, binder, in, extra);
  const s64 component = match.has("r") ? 0 : match.has("g") ? 1 : match.has("b") ? 2 : 3;
  in.immediate = static_cast<s64>(geometry.shape) | component << 8;
  in.execute = gather;
}

// ---- txq ----

enum class Fact : s64 { kWidth, kHeight, kDepth, kLayers, kLevels, kNormalised };

u32 fact_of(const TextureObject& object, Fact fact) {
  const TexelLevel& base = object.levels[0];
  switch (fact) {
    case Fact::kWidth:
      return base.width;
    case Fact::kHeight:
      return base.height;
    case Fact::kDepth:
      return object.shape == Shape::k3D ? base.depth : 1;
    case Fact::kLayers:
      return object.layered() ? base.depth : 1;
    case Fact::kLevels:
      return static_cast<u32>(object.levels.size());
    default:
      return object.normalised ? 1 : 0;
  }
}

void query(Warp& w, const Instruction& in) {
  each_object(w, in, [&](const TextureObject& object, u32 lanes, u32) {
    const u32 value = fact_of(object, static_cast<Fact>(in.immediate));
    for_lanes(lanes, [&](u32 l) { w.row<u32>(in.d)[l] = value; });
  });
}

void bind_query(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  constexpr std::pair<std::string_view, Fact> kFacts[] = {{"width", Fact::kWidth},
                                                          {"height", Fact::kHeight},
                                                          {"depth", Fact::kDepth},
                                                          {"array_size", Fact::kLayers},
                                                          {"num_mipmap_levels", Fact::kLevels},
                                                          {"normalized_coords", Fact::kNormalised}};
  for (const auto& [word, fact] : kFacts)
    if (match.has(word)) in.immediate = static_cast<s64>(fact);
  bind_object(operands[1], binder, in);
  in.d = binder.destination(operands[0], B32::kType);
  in.execute = query;
}

Row query_row(std::string_view syntax) {
  return {.syntax = syntax,
          .types = {B32::kType},
          .types2 = {},
          .bind = bind_query,
          .cost = memory_cost,
          .traits = {.object = true}};
}

Row texture_row(std::string_view syntax, Bind bind, std::vector<ptx::Type> coordinates) {
  return {.syntax = syntax,
          .types = TypeList<F32, S32, U32>::all(),
          .types2 = std::move(coordinates),
          .bind = bind,
          .cost = memory_cost,
          .space = ptx::Space::kGlobal,
          .is_load = true,
          .traits = {.typing = Typing::kOpaque, .object = true}};
}

}  // namespace

std::vector<Row> texture_rows() {
  return {
      texture_row("tex{.base}.{1d,2d,3d,a1d,a2d,cube,acube}.v4.type.type2 d, [a]", bind_fetch<Level::kBase>,
                  TypeList<S32, F32>::all()),
      texture_row("tex.level.{1d,2d,3d,a1d,a2d,cube,acube}.v4.type.type2 d, [a], b",
                  bind_fetch<Level::kGiven>, {F32::kType}),
      texture_row("tex.grad.{1d,2d,3d,a1d,a2d}.v4.type.type2 d, [a], b, c", bind_fetch<Level::kGradients>,
                  {F32::kType}),
      texture_row("tld4.{r,g,b,a}.{2d,a2d}.v4.type.type2 d, [a]", bind_gather, {F32::kType}),
      query_row("txq.{width,height,depth,array_size,num_mipmap_levels,normalized_coords}.type d, [a]"),
      query_row("suq.{width,height,depth,array_size}.type d, [a]"),
  };
}

}  // namespace roofline::sim::isa
