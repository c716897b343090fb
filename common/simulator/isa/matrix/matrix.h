// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

#include "simulator/isa/matrix/tile_multiply.h"
#include "simulator/isa/row.h"
#include "simulator/machine/warp.h"

/// What the matrix chapter shares: shapes, element types, the choice of a multiplication, binding of register
/// lists.
namespace roofline::sim::isa {

enum class Element : u8 { kF16, kBf16, kTf32, kF64, kE4M3, kE5M2, kS8, kU8, kS4, kU4, kB1, kF32, kS32 };

struct Shape {
  u32 m = 0, n = 0, k = 0;
};

/// "m16n8k16".
Shape shape_named(std::string_view name);
Element element_named(std::string_view name);
u32 bits_of(Element element);
/// Registers of 64 bits for f64, of 32 bits for everything else.
inline ptx::Type register_type(Element element) { return element == Element::kF64 ? F64::kType : B32::kType; }

/// One kind of multiplication. `a` and `b` are the element types, f32 accumulators unless a half flag says
/// otherwise (integers and f64 have one kind only).
struct MatrixOperation {
  Shape shape;
  Element a = Element::kF16, b = Element::kF16;
  bool half_in = false, half_out = false;
  bool bit_and = false;
  bool swapped = false;   ///< wmma m8n32: computed as B^T A^T, its accumulators hold D^T
  bool permuted = false;  ///< wmma under --permute-fragments
};

/// What the modifiers of a multiplication's spelling say, from the shape on: "m16n8k16 row col f32 f16 f16
/// f32".
struct MatrixSpelling {
  MatrixOperation operation;  ///< shape and bit operation; the types are the caller's to place
  bool saturate = false;
  std::vector<std::string_view> types;  ///< in the order of the spelling
};
MatrixSpelling matrix_spelling(const Match& match);

/// Distinct registers of the operands, and the function that multiplies; `execute` is nullptr when no such
/// instruction exists. Slots are bound in the order d, a, b, c (b before a when swapped).
struct Multiplication {
  Execute execute = nullptr;
  std::size_t d = 0, a = 0, b = 0, c = 0;
};
Multiplication choose_multiplication(const MatrixOperation& operation);

/// Instruction::flags of a multiplication.
inline constexpr u8 kMatrixSaturate = 1;

/// Tensor Core work of one warp: 2 m n k operations of the type.
Cost matrix_cost(Shape shape, Element a, bool half_accumulators);

/// Binds the register list `operand`: `expected` registers, of which the first `distinct` become slots.
void bind_sources(const ptx::Operand& operand, std::size_t expected, std::size_t distinct, ptx::Type type,
                  Binder& binder, std::vector<Slot>& slots);
void bind_destinations(const ptx::Operand& operand, std::size_t expected, ptx::Type type, Binder& binder,
                       std::vector<Slot>& slots);

/// Matrix instructions are executed by the whole warp. False when lanes are still on their way here: the
/// instruction comes again.
bool whole_warp(Warp& w, const Instruction& in);

/// Whether the binder wants the layout of `--permute-fragments` (fragment_order.h).
bool permutes_fragments(const Binder& binder);

/// `--permute-fragments`: where the hardware layout of a wmma fragment puts (register, lane), this mode has
/// another place. Programs that use the interface alone cannot tell.
struct FragmentPermutation {
  u32 registers;
  u32 register_of(u32 r) const { return registers - 1 - r; }
  static u32 lane_of(u32 r, u32 lane) { return (lane * 5 + 3 + 7 * r) % kWarpSize; }
};
/// Moves rows of 32 lanes of `bytes` (4 or 8) between both; elements narrower than 32 bits also change places
/// inside their register.
void permute_fragment(const u8* const* from, u8* const* to, u32 registers, u32 bytes, bool packed);
void restore_fragment(const u8* const* from, u8* const* to, u32 registers, u32 bytes, bool packed);

/// Parts of the chapter.
std::vector<Row> mma_rows();
std::vector<Row> wmma_rows();
std::vector<Row> wmma_memory_rows();
std::vector<Row> matrix_memory_rows();

}  // namespace roofline::sim::isa
