// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "simulator/isa/chapters.h"
#include "simulator/isa/shapes.h"
#include "simulator/ptx/load_error.h"

/// "Data Movement and Conversion Instructions": between registers (the rest is memory).
namespace roofline::sim::isa {

namespace {

using MOVABLE = TypeList<B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64>;

template <class T>
void execute_copy(Warp& w, const Instruction& in) {
  each_lane(
      w.mask, w.row<T>(in.d), [](T a) { return a; }, w.row<T>(in.a));
}

void execute_copy_predicate(Warp& w, const Instruction& in) {
  u32& d = w.predicate(in.d);
  d = (d & ~w.mask) | (w.predicate(in.a) & w.mask);
}

/// The register that holds kElements of E.
template <std::size_t kBytes>
struct WordOf;
template <>
struct WordOf<2> {
  using Type = u16;
};
template <>
struct WordOf<4> {
  using Type = u32;
};
template <>
struct WordOf<8> {
  using Type = u64;
};
template <>
struct WordOf<16> {
  using Type = unsigned __int128;
};
template <class E, int kElements>
using Packed = typename WordOf<sizeof(E) * kElements>::Type;

/// mov.b64 d, {a, b}: element k of every lane from row k.
template <class E, int kElements>
void execute_pack(Warp& w, const Instruction& in) {
  using P = Packed<E, kElements>;
  constexpr int kBits = 8 * sizeof(E);
  const auto& slots = in.extra->slots;
  if constexpr (kElements == 2) {
    each_lane(
        w.mask, w.row<P>(in.d), [](E a, E b) { return static_cast<P>(P{a} | static_cast<P>(P{b} << kBits)); },
        w.row<E>(slots[0]), w.row<E>(slots[1]));
  } else {
    each_lane(
        w.mask, w.row<P>(in.d),
        [](E a, E b, E c, E d) {
          return static_cast<P>(P{a} | static_cast<P>(P{b} << kBits) | static_cast<P>(P{c} << 2 * kBits) |
                                static_cast<P>(P{d} << 3 * kBits));
        },
        w.row<E>(slots[0]), w.row<E>(slots[1]), w.row<E>(slots[2]), w.row<E>(slots[3]));
  }
}

template <class E, int kElements, int kElement>
void unpack_element(Warp& w, const Instruction& in) {
  using P = Packed<E, kElements>;
  each_lane(
      w.mask, w.row<E>(in.extra->slots[kElement]),
      [](P a) { return static_cast<E>(a >> kElement * 8 * static_cast<int>(sizeof(E))); }, w.row<P>(in.a));
}

/// mov.b64 {d, e}, a.
template <class E, int kElements>
void execute_unpack(Warp& w, const Instruction& in) {
  unpack_element<E, kElements, 0>(w, in);
  unpack_element<E, kElements, 1>(w, in);
  if constexpr (kElements == 4) {
    unpack_element<E, kElements, 2>(w, in);
    unpack_element<E, kElements, 3>(w, in);
  }
}

template <class E>
Execute vector_execute(bool pack, std::size_t elements) {
  if constexpr (sizeof(E) < 8)
    if (elements == 4) return pack ? &execute_pack<E, 4> : &execute_unpack<E, 4>;
  return pack ? &execute_pack<E, 2> : &execute_unpack<E, 2>;
}

ptx::Type bits_type(u32 bits) { return {ptx::Type::Kind::kBits, static_cast<u16>(bits)}; }

[[noreturn]] void refuse(const ptx::Instruction& instruction, const std::string& why) {
  LoadError error("line " + std::to_string(instruction.at.line) + ": " + why);
  error.at = instruction.at;
  throw error;
}

void bind_vector(const Match& match, Binder& binder, Instruction& in, bool pack) {
  const ptx::OperandList& operands = match.instruction->operands;
  const ptx::OperandList& elements = (pack ? operands[1] : operands[0]).elements;
  const bool fits = (elements.size() == 2 || elements.size() == 4) && match.type.bits / elements.size() >= 8;
  if (!fits)
    refuse(*match.instruction, "mov takes a vector of 2 or 4 elements that together are one register");
  const ptx::Type type = bits_type(static_cast<u32>(match.type.bits / elements.size()));
  Extra& extra = binder.extra();
  for (const ptx::Operand& element : elements)
    extra.slots.push_back(pack ? binder.source(element, type) : binder.destination(element, type));
  (pack ? in.d : in.a) =
      pack ? binder.destination(operands[0], match.type) : binder.source(operands[1], match.type);
  extra.written = pack ? 0 : static_cast<u32>(elements.size());
  in.extra = &extra;
  in.execute = type.bits == 8    ? vector_execute<u8>(pack, elements.size())
               : type.bits == 16 ? vector_execute<u16>(pack, elements.size())
               : type.bits == 32 ? vector_execute<u32>(pack, elements.size())
                                 : vector_execute<u64>(pack, elements.size());
}

struct Word128 {
  u64 low, high;
};

void bind_mov(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  if (operands[1].kind == ptx::Operand::Kind::kVector) return bind_vector(match, binder, in, true);
  if (operands[0].kind == ptx::Operand::Kind::kVector) return bind_vector(match, binder, in, false);
  in.a = binder.source(operands[1], match.type);
  in.d = binder.destination(operands[0], match.type);
  switch (match.type.bits) {
    case 16:
      in.execute = &execute_copy<u16>;
      break;
    case 32:
      in.execute = &execute_copy<u32>;
      break;
    case 64:
      in.execute = &execute_copy<u64>;
      break;
    default:
      in.execute = &execute_copy<Word128>;
      break;
  }
}

void bind_mov_predicate(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.a = binder.predicate(match.instruction->operands[1]);
  in.d = binder.predicate_destination(match.instruction->operands[0]);
  in.execute = &execute_copy_predicate;
}

/// Byte `selector & 7` of b:a, or its sign repeated when bit 3 is set.
constexpr u32 selected_byte(u64 bytes, u32 selector) {
  const u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7u))) & 0xffu;
  return (selector & 8u) == 0 ? byte : (byte & 0x80u) != 0 ? 0xffu : 0u;
}
constexpr u32 permute(u32 a, u32 b, u32 selectors) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) result |= selected_byte(bytes, selectors >> (4 * i)) << (8 * i);
  return result;
}

constexpr auto permute_general = [](u32 a, u32 b, u32 c) { return permute(a, b, c); };
/// The named modes are four selector words each, chosen by the low two bits of c.
template <u32 k0, u32 k1, u32 k2, u32 k3>
constexpr auto permute_mode = [](u32 a, u32 b, u32 c) {
  const u32 low = (c & 1u) == 0 ? k0 : k1, high = (c & 1u) == 0 ? k2 : k3;
  return permute(a, b, (c & 2u) == 0 ? low : high);
};

template <class F>
Row prmt(std::string_view syntax, F f) {
  return ternary<TypeList<B32>>(syntax, f);
}

}  // namespace

std::vector<Row> move_rows() {
  std::vector<ptx::Type> movable = MOVABLE::all();
  movable.push_back(bits_type(128));
  return {
      {.syntax = "mov.type d, a",
       .types = movable,
       .types2 = {},
       .bind = bind_mov,
       .cost = kNoCost,
       .traits = {.copies = Copies::kValue}},
      {.syntax = "mov.pred d, a",
       .types = {Pred::kType},
       .types2 = {},
       .bind = bind_mov_predicate,
       .cost = kNoCost,
       .traits = {.copies = Copies::kValue}},
      prmt("prmt.b32 d, a, b, c", permute_general),
      prmt("prmt.b32.f4e d, a, b, c", permute_mode<0x3210, 0x4321, 0x5432, 0x6543>),
      prmt("prmt.b32.b4e d, a, b, c", permute_mode<0x5670, 0x6701, 0x7012, 0x0123>),
      prmt("prmt.b32.rc8 d, a, b, c", permute_mode<0x0000, 0x1111, 0x2222, 0x3333>),
      prmt("prmt.b32.ecl d, a, b, c", permute_mode<0x3210, 0x3211, 0x3222, 0x3333>),
      prmt("prmt.b32.ecr d, a, b, c", permute_mode<0x0000, 0x1110, 0x2210, 0x3210>),
      prmt("prmt.b32.rc16 d, a, b, c", permute_mode<0x1010, 0x3232, 0x1010, 0x3232>),
  };
}

}  // namespace roofline::sim::isa
