// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/matrix/matrix.h"

#include <bit>
#include <charconv>

#include "simulator/isa/address.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/matrix/fragment_order.h"
#include "simulator/ptx/load_error.h"

namespace roofline::sim::isa {

Shape shape_named(std::string_view name) {
  Shape shape;
  u32* const extents[] = {&shape.m, &shape.n, &shape.k};
  const char* at = name.data();
  for (u32* extent : extents) at = std::from_chars(at + 1, name.data() + name.size(), *extent).ptr;
  return shape;
}

Element element_named(std::string_view name) {
  static constexpr std::string_view kNames[] = {"f16", "bf16", "tf32", "f64", "e4m3", "e5m2", "s8",
                                                "u8",  "s4",   "u4",   "b1",  "f32",  "s32"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return static_cast<Element>(i);
  throw LoadError("no matrix element type '" + std::string(name) + "'");
}

MatrixSpelling matrix_spelling(const Match& match) {
  MatrixSpelling result;
  for (const std::string_view word : match.modifiers) {
    if (word.size() > 4 && word[0] == 'm' && word.find('k') != std::string_view::npos)
      result.operation.shape = shape_named(word);
    else if (word == "satfinite")
      result.saturate = true;
    else if (word == "and")
      result.operation.bit_and = true;
    else if (word[0] != '_' && word.size() <= 4 && word.find_first_of("0123456789") != std::string_view::npos)
      result.types.push_back(word);
  }
  return result;
}

u32 bits_of(Element element) {
  static constexpr u32 kBits[] = {16, 16, 32, 64, 8, 8, 8, 8, 4, 4, 1, 32, 32};
  return kBits[static_cast<u8>(element)];
}

Cost matrix_cost(Shape shape, Element a, bool half_accumulators) {
  FlopType type = half_accumulators ? FlopType::kTensorF16 : FlopType::kTensorF16F32;
  switch (a) {
    case Element::kBf16:
      type = FlopType::kTensorBf16;
      break;
    case Element::kTf32:
      type = FlopType::kTensorTf32;
      break;
    case Element::kF64:
      type = FlopType::kTensorF64;
      break;
    case Element::kE4M3:
    case Element::kE5M2:
      type = FlopType::kTensorF8;
      break;
    case Element::kS8:
    case Element::kU8:
      type = FlopType::kTensorS8;
      break;
    case Element::kS4:
    case Element::kU4:
      type = FlopType::kTensorS4;
      break;
    case Element::kB1:
      type = FlopType::kTensorB1;
      break;
    default:
      break;
  }
  // m16n8 is what one SASS instruction does; wmma's larger shapes become several.
  const u32 instructions = std::max(shape.m * shape.n / 128, 1u);
  return {Pipe::kTensor, static_cast<u8>(instructions), type, 2 * shape.m * shape.n * shape.k};
}

namespace {

void check_length(const ptx::Operand& operand, std::size_t expected) {
  const std::size_t given = vector_length(operand);
  if (given == expected) return;
  LoadError error("this operand has " + std::to_string(expected) + " registers, not " +
                  std::to_string(given));
  error.at = operand.at;
  throw error;
}

const ptx::Operand& element_of(const ptx::Operand& operand, std::size_t i) {
  return operand.kind == ptx::Operand::Kind::kVector ? operand.elements[i] : operand;
}

template <class T>
void move_lanes(const u8* const* from, u8* const* to, u32 registers, bool packed, bool restore) {
  const FragmentPermutation permutation{registers};
  for (u32 r = 0; r < registers; ++r)
    for (u32 l = 0; l < kWarpSize; ++l) {
      const u32 other = permutation.register_of(r), lane = FragmentPermutation::lane_of(r, l);
      const T value =
          restore ? reinterpret_cast<const T*>(from[other])[lane] : reinterpret_cast<const T*>(from[r])[l];
      reinterpret_cast<T*>(to[restore ? r : other])[restore ? l : lane] =
          packed ? std::rotl(value, 16) : value;
    }
}

}  // namespace

void bind_sources(const ptx::Operand& operand, std::size_t expected, std::size_t distinct, ptx::Type type,
                  Binder& binder, std::vector<Slot>& slots) {
  check_length(operand, expected);
  for (std::size_t i = 0; i < expected; ++i) {
    const Slot slot = binder.source(element_of(operand, i), type);
    if (i < distinct) slots.push_back(slot);
  }
}

void bind_destinations(const ptx::Operand& operand, std::size_t expected, ptx::Type type, Binder& binder,
                       std::vector<Slot>& slots) {
  check_length(operand, expected);
  for (std::size_t i = 0; i < expected; ++i)
    slots.push_back(binder.destination(element_of(operand, i), type));
}

bool permutes_fragments(const Binder& binder) {
  const auto* order = dynamic_cast<const FragmentOrder*>(&binder);
  return order != nullptr && order->permutes_fragments();
}

bool whole_warp(Warp& w, const Instruction& in) {
  if (!w.gather(~0u, in)) return false;
  if (w.mask == ~0u) [[likely]]
    return true;
  w.trap(TrapKind::kIllegalInstruction, static_cast<u32>(std::countr_zero(w.mask)), in,
         "matrix instructions need all 32 lanes of the warp, only " + std::to_string(std::popcount(w.mask)) +
             " execute this one: launch whole warps, and keep it out of branches that only some lanes take");
}

void permute_fragment(const u8* const* from, u8* const* to, u32 registers, u32 bytes, bool packed) {
  if (bytes == 8)
    move_lanes<u64>(from, to, registers, false, false);
  else
    move_lanes<u32>(from, to, registers, packed, false);
}

void restore_fragment(const u8* const* from, u8* const* to, u32 registers, u32 bytes, bool packed) {
  if (bytes == 8)
    move_lanes<u64>(from, to, registers, false, true);
  else
    move_lanes<u32>(from, to, registers, packed, true);
}

std::vector<Row> matrix_rows() { return joined({matrix_memory_rows, mma_rows, wmma_memory_rows, wmma_rows}); }

}  // namespace roofline::sim::isa
