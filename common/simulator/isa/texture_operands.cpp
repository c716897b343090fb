// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/texture_operands.h"

#include "simulator/ptx/load_error.h"

namespace roofline::sim::isa {

namespace {

using Shape = TextureObject::Shape;
using Kind = ptx::Operand::Kind;

constexpr Geometry kGeometries[] = {
    {"1d", Shape::k1D, 1, false},
    {"2d", Shape::k2D, 2, false},
    {"3d", Shape::k3D, 3, false},
    {"a1d", Shape::k1DLayered, 1, true},
    {"a2d", Shape::k2DLayered, 2, true},
    {"cube", Shape::kCube, 3, false},
    {"acube", Shape::kCubeLayered, 3, true},
};

std::string name_of(Shape shape) {
  switch (shape) {
    case Shape::kBuffer:
      return "linear memory";
    case Shape::k1D:
      return "a 1D array";
    case Shape::k2D:
      return "a 2D array";
    case Shape::k3D:
      return "a 3D array";
    case Shape::k1DLayered:
      return "a layered 1D array";
    case Shape::k2DLayered:
      return "a layered 2D array";
    case Shape::kCube:
      return "a cubemap";
    default:
      return "a layered cubemap";
  }
}

/// Whether an array is of the shape, or of one row where the function knows none: cudaMallocArray(..., n, 1).
bool fits(const TextureObject& object, Shape shape) {
  const bool one_row = object.levels[0].height == 1 && object.levels.size() == 1;
  return object.shape == shape || (one_row && object.shape == Shape::k2D && shape == Shape::k1D) ||
         (one_row && object.shape == Shape::k2DLayered && shape == Shape::k1DLayered);
}

[[noreturn]] void wrong_shape(Warp& w, const Instruction& in, u32 lane, const TextureObject& object,
                              Shape wanted) {
  w.trap(TrapKind::kIllegalAddress, lane, in,
         "this reads or writes " + name_of(wanted) + ", the object refers to " + name_of(object.shape),
         AddressFault::kWrongObject);
}

}  // namespace

/// In the order of the shapes, of which linear memory has no spelling of its own.
const Geometry& geometry_of(Shape shape) {
  const auto place = static_cast<std::size_t>(shape);
  return kGeometries[place == 0 ? 0 : place - 1];
}

const Geometry& geometry_of(const Match& match) {
  for (const Geometry& geometry : kGeometries)
    if (match.has(geometry.word)) return geometry;
  return kGeometries[0];
}

void refuse(const ptx::Operand& operand, const std::string& why) {
  LoadError error(why);
  error.at = operand.at;
  throw error;
}

std::span<const ptx::Operand> elements_of(const ptx::Operand& operand) {
  if (operand.kind == Kind::kVector) return operand.elements;
  return {&operand, 1};
}

void bind_object(const ptx::Operand& operand, Binder& binder, Instruction& in) {
  if (operand.kind != Kind::kAddress) refuse(operand, "a texture or surface object in brackets stands here");
  if (operand.base_is_symbol || operand.name.empty() || operand.offset != 0)
    refuse(operand, "only texture and surface objects in registers are supported, no references");
  ptx::Operand object;
  object.kind = Kind::kRegister;
  object.name = operand.name;
  object.at = operand.at;
  in.a = binder.source(object, U64::kType);
}

void bind_place(const ptx::Operand& operand, const Geometry& geometry, ptx::Type type, Binder& binder,
                Instruction& in, Extra& extra) {
  bind_object(operand, binder, in);
  if (operand.elements.size() != 1)
    refuse(operand, "an object and its coordinates stand here; separate samplers are not supported");
  const std::span<const ptx::Operand> given = elements_of(operand.elements[0]);
  const std::size_t layers = geometry.layered ? 1 : 0, n = layers + geometry.coordinates;
  if (given.size() < n) refuse(operand, "this needs " + std::to_string(n) + " coordinates");
  for (std::size_t i = 0; i < n; ++i)
    extra.slots.push_back(binder.source(given[i], i < layers ? U32::kType : type));
}

void no_object(Warp& w, const Instruction& in, u32 lane, u64 number) {
  w.trap(TrapKind::kIllegalAddress, lane, in, w.block->grid->textures->explain(number),
         Textures::fault_of(number));
}

void check_texture(Warp& w, const Instruction& in, const TextureObject& object, Shape shape, bool integers,
                   u32 lane) {
  if (object.surface)
    w.trap(TrapKind::kIllegalAddress, lane, in, "a surface object stands where a texture object is meant",
           AddressFault::kWrongObject);
  if (object.shape == Shape::kBuffer && shape == Shape::k1D) {
    if (integers) return;
    w.trap(TrapKind::kIllegalAddress, lane, in,
           "the object refers to linear memory, which only tex1Dfetch reads", AddressFault::kWrongObject);
  }
  if (!fits(object, shape)) wrong_shape(w, in, lane, object, shape);
}

/// Faces of a cubemap are the layers of its surface.
void check_surface(Warp& w, const Instruction& in, const TextureObject& object, Shape shape, u32 lane) {
  if (!object.surface)
    w.trap(TrapKind::kIllegalAddress, lane, in, "a texture object stands where a surface object is meant",
           AddressFault::kWrongObject);
  const bool faces = shape == Shape::k2DLayered && object.shape >= Shape::kCube;
  if (!fits(object, shape) && !faces) wrong_shape(w, in, lane, object, shape);
}

}  // namespace roofline::sim::isa
