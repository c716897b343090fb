// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>
#include <deque>

#include "simulator/isa/address.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/cost.h"
#include "simulator/isa/lanewise.h"
#include "simulator/machine/known_access.h"
#include "simulator/ptx/load_error.h"
#include "simulator/vectors.h"

/// "Data Movement and Conversion Instructions", the part that touches memory: ld, ldu, st.
namespace roofline::sim::isa {

namespace {

template <class E>
E read(const u8* from) {
  E value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class E>
void load_octets(const Access& access, E* d) {
  for (u32 o = 0; o < kWarpSize; o += 8) {
    if ((access.unit_octets >> o / 8 & 1u) != 0) {
      std::memcpy(d + o, access.lane(o), 8 * sizeof(E));
    } else {
      const E value = read<E>(access.lane(o));
      for (u32 l = 0; l < 8; ++l) d[o + l] = value;
    }
  }
}

template <class E>
void load_scalar(const Access& access, u32 mask, E* d) {
  if (mask == ~0u && access.kind == AddressPattern::Kind::kUnit) {
    std::memcpy(d, access.lane(0), kWarpSize * sizeof(E));
  } else if (mask == ~0u && access.kind == AddressPattern::Kind::kUniform) {
    const E value = read<E>(access.lane(0));
    for (u32 l = 0; l < kWarpSize; ++l) d[l] = value;
  } else if (mask == ~0u && access.kind == AddressPattern::Kind::kOctets) {
    load_octets(access, d);
  } else if (mask == ~0u) {
    for (u32 l = 0; l < kWarpSize; ++l) d[l] = read<E>(access.lane(l));
  } else {
    for (; mask != 0; mask &= mask - 1) {
      const auto l = static_cast<u32>(std::countr_zero(mask));
      d[l] = read<E>(access.lane(l));
    }
  }
}

inline __attribute__((always_inline)) Access request(Warp& w, const Instruction& in, AccessKind kind) {
  if (Access access; begin_known_shared(w, in, access)) [[likely]]
    return access;
  return begin_access(w, in, kind);
}

/// Four words a lane, of a full warp: four lanes at a time, turned from rows into columns.
void load_quads(const Access& access, u32* const* d) {
  for (u32 l = 0; l < kWarpSize; l += 4) {
    WordVector lane[4];
    for (u32 i = 0; i < 4; ++i) lane[i] = load_vector<WordVector>(access.lane(l + i));
    transpose(lane);
    for (u32 j = 0; j < 4; ++j) store_vector(d[j] + l, lane[j]);
  }
}

void store_quads(const Access& access, const u32* const* s) {
  for (u32 l = 0; l < kWarpSize; l += 4) {
    WordVector word[4];
    for (u32 j = 0; j < 4; ++j) word[j] = load_vector<WordVector>(s[j] + l);
    transpose(word);
    for (u32 i = 0; i < 4; ++i) store_vector(access.lane(l + i), word[i]);
  }
}

template <class E, u32 N>
constexpr bool kQuads = sizeof(E) == 4 && N == 4;

/// N elements of type E a lane.
template <class E, u32 N>
void load(Warp& w, const Instruction& in) {
  const Access access = request(w, in, AccessKind::kLoad);
  if constexpr (N == 1) {
    load_scalar(access, w.mask, w.row<E>(in.d));
  } else {
    E* d[N];
    for (u32 j = 0; j < N; ++j) d[j] = w.row<E>(in.extra->slots[j]);
    if constexpr (kQuads<E, N>)
      if (w.mask == ~0u) return load_quads(access, d);
    for (u32 mask = w.mask; mask != 0; mask &= mask - 1) {
      const auto l = static_cast<u32>(std::countr_zero(mask));
      E values[N];
      std::memcpy(values, access.lane(l), sizeof values);
      for (u32 j = 0; j < N; ++j) d[j][l] = values[j];
    }
  }
}

template <class E>
void store_scalar(const Access& access, u32 mask, const E* s) {
  if (mask == ~0u && access.kind == AddressPattern::Kind::kUnit) {
    std::memcpy(access.lane(0), s, kWarpSize * sizeof(E));
    return;
  }
  if (mask == ~0u && access.kind == AddressPattern::Kind::kOctets && access.unit_octets == 0xf) {
    for (u32 o = 0; o < kWarpSize; o += 8) std::memcpy(access.lane(o), s + o, 8 * sizeof(E));
    return;
  }
  for (; mask != 0; mask &= mask - 1) {
    const auto l = static_cast<u32>(std::countr_zero(mask));
    std::memcpy(access.lane(l), s + l, sizeof(E));
  }
}

template <class E, u32 N>
void store(Warp& w, const Instruction& in) {
  const Access access = request(w, in, AccessKind::kStore);
  if constexpr (N == 1) {
    store_scalar(access, w.mask, w.row<E>(in.b));
  } else {
    const E* s[N];
    for (u32 j = 0; j < N; ++j) s[j] = w.row<E>(in.extra->slots[j]);
    if constexpr (kQuads<E, N>)
      if (w.mask == ~0u) return store_quads(access, s);
    for (u32 mask = w.mask; mask != 0; mask &= mask - 1) {
      const auto l = static_cast<u32>(std::countr_zero(mask));
      E values[N];
      for (u32 j = 0; j < N; ++j) values[j] = s[j][l];
      std::memcpy(access.lane(l), values, sizeof values);
    }
  }
}

/// Picks the instantiation for the element size and count; nullptr when there is none.
template <template <class, u32> class Move>
Execute instantiation(u32 bytes, std::size_t count) {
  const auto pick = [&]<class E>() -> Execute {
    switch (count) {
      case 1:
        return &Move<E, 1>::execute;
      case 2:
        return &Move<E, 2>::execute;
      case 4:
        return &Move<E, 4>::execute;
      case 8:
        return &Move<E, 8>::execute;
      default:
        return nullptr;
    }
  };
  switch (bytes) {
    case 1:
      return pick.template operator()<u8>();
    case 2:
      return pick.template operator()<u16>();
    case 4:
      return pick.template operator()<u32>();
    default:
      return pick.template operator()<u64>();
  }
}
template <class E, u32 N>
struct Load {
  static void execute(Warp& w, const Instruction& in) { load<E, N>(w, in); }
};
template <class E, u32 N>
struct Store {
  static void execute(Warp& w, const Instruction& in) { store<E, N>(w, in); }
};

/// The vector length of the spelling (.v2, .v4, .v8) against the operand's.
std::size_t checked_length(const Match& match, const ptx::Operand& operand) {
  const std::size_t spelled = match.has("v2") ? 2 : match.has("v4") ? 4 : match.has("v8") ? 8 : 1;
  const std::size_t given = vector_length(operand);
  if (spelled != given || spelled * match.type.bytes() > 32) {
    LoadError error("a vector of " + std::to_string(spelled) + " elements is spelled, the operand has " +
                    std::to_string(given));
    error.at = operand.at;
    throw error;
  }
  return given;
}

bool goes_past_l1(const Match& match) {
  for (const auto modifier : {"volatile", "relaxed", "acquire", "mmio", "cg", "cv", "L1::no_allocate"})
    if (match.has(modifier)) return true;
  return false;
}

/// A load that other blocks may answer while the kernel runs: the outcome depends on their order.
bool waits_for_others(const Row& row, const Match& match) {
  if (row.space != ptx::Space::kGlobal && row.space != ptx::Space::kGeneric) return false;
  return match.has("volatile") || match.has("relaxed") || match.has("acquire") || match.has("mmio");
}

void bind_load(const Row& row, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  const std::size_t n = checked_length(match, operands[0]);
  bind_address(operands[1], row.space, binder, in);
  in.width = static_cast<u8>(match.type.bytes() * n);
  if (goes_past_l1(match)) in.flags |= kAccessBypassL1;
  if (waits_for_others(row, match)) in.flags |= kAccessOrdered;
  in.execute = instantiation<Load>(match.type.bytes(), n);
  if (operands[0].kind != ptx::Operand::Kind::kVector) {
    in.d = binder.destination(operands[0], match.type);
    return;
  }
  Extra& extra = binder.extra();
  in.extra = &extra;
  for (const ptx::Operand& element : operands[0].elements)
    extra.slots.push_back(binder.destination(element, match.type));
  if (n == 1) in.d = extra.slots[0];
}

void bind_store(const Row& row, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  const std::size_t n = checked_length(match, operands[1]);
  bind_address(operands[0], row.space, binder, in);
  in.width = static_cast<u8>(match.type.bytes() * n);
  in.execute = instantiation<Store>(match.type.bytes(), n);
  if (operands[1].kind != ptx::Operand::Kind::kVector) {
    in.b = binder.source(operands[1], match.type);
    return;
  }
  Extra& extra = binder.extra();
  in.extra = &extra;
  for (const ptx::Operand& element : operands[1].elements)
    extra.slots.push_back(binder.source(element, match.type));
  if (n == 1) in.b = extra.slots[0];
}

/// ptxas makes a constant at a fixed address an operand of the instruction that uses it.
Cost constant_cost(const Match& match) {
  const ptx::Operand& from = match.instruction->operands[1];
  return from.base_is_symbol || from.kind == ptx::Operand::Kind::kSymbol ? kNoCost(match)
                                                                         : memory_cost(match);
}

Row load_row(std::string_view order, const SpaceName& space, std::string_view cache, bool read_only = false) {
  std::string line = "ld" + std::string(order) + std::string(space.prefix) + std::string(cache) +
                     std::string(kEvictionHints) + std::string(kPrefetchSizes) +
                     "{.v2,.v4,.v8}.type d, [a]{, p}";
  return {.syntax = keep(std::move(line)),
          .types = MemoryTypes::all(),
          .types2 = {},
          .bind = bind_load,
          .cost = space.space == ptx::Space::kConst ? constant_cost : memory_cost,
          .space = space.space,
          .is_load = true,
          .traits = {.copies = Copies::kParameter, .read_only = read_only}};
}

Row store_row(std::string_view order, const SpaceName& space, std::string_view cache) {
  std::string line = "st" + std::string(order) + std::string(space.prefix) + std::string(cache) +
                     std::string(kEvictionHints) + "{.v2,.v4,.v8}.type [a], b{, p}";
  return {.syntax = keep(std::move(line)),
          .types = MemoryTypes::all(),
          .types2 = {},
          .bind = bind_store,
          .cost = memory_cost,
          .space = space.space,
          .is_store = true,
          .traits = {.plain_store = true}};
}

const std::string kLoadOrder = "{.weak,.volatile,.relaxed,.acquire,.mmio}" + std::string(kScopes);
const std::string kStoreOrder = "{.weak,.volatile,.relaxed,.release,.mmio}" + std::string(kScopes);
constexpr std::string_view kLoadCache = "{.ca,.cg,.cs,.lu,.cv}";
constexpr std::string_view kStoreCache = "{.wb,.cg,.cs,.wt}";

}  // namespace

std::string_view keep(std::string line) {
  static std::deque<std::string> lines;
  return lines.emplace_back(std::move(line));
}

Cost memory_cost(const Match&) { return {.pipe = Pipe::kMemory, .issue = 1}; }

void bind_address(const ptx::Operand& operand, ptx::Space space, Binder& binder, Instruction& in) {
  const Binder::Address address = binder.address(operand, space);
  ptx::Space actual = space;
  if (space == ptx::Space::kParam)
    actual = address.is_param && !address.is_kernel_param ? ptx::Space::kReg : ptx::Space::kGeneric;
  if (space == ptx::Space::kGeneric && address.space != ptx::Space::kNone) actual = address.space;
  in.immediate = address.offset;
  in.flags |= access_flags(actual, address.base_bytes == 4);
  in.a = address.base;
  if (address.base_bytes == 0) {
    ptx::Operand zero;
    zero.kind = ptx::Operand::Kind::kInteger;
    zero.at = operand.at;
    in.a = binder.source(zero, U64::kType);
  }
}

std::vector<Row> load_rows() {
  std::vector<Row> rows;
  for (const SpaceName& space : {kGeneric, kGlobal, kShared, kLocal, kConst, kParam})
    rows.push_back(load_row(kLoadOrder, space, kLoadCache));
  rows.push_back(load_row("", kGlobal, std::string(kLoadCache) + ".nc", true));
  rows.push_back({.syntax = "ldu{.global}{.v2,.v4}.type d, [a]",
                  .types = MemoryTypes::all(),
                  .types2 = {},
                  .bind = bind_load,
                  .cost = memory_cost,
                  .space = ptx::Space::kGeneric,
                  .is_load = true});
  return rows;
}

std::vector<Row> store_rows() {
  std::vector<Row> rows;
  for (const SpaceName& space : {kGeneric, kGlobal, kShared, kLocal, kParam})
    rows.push_back(store_row(kStoreOrder, space, kStoreCache));
  return rows;
}

std::vector<Row> memory_rows() { return joined({load_rows, store_rows, address_rows, async_copy_rows}); }

}  // namespace roofline::sim::isa
