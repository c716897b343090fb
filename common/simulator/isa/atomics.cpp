// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstring>

#include "simulator/isa/address.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/cost.h"
#include "simulator/isa/half_math.h"
#include "simulator/machine/deferred_atomics.h"
#include "simulator/program/address_windows.h"
#include "simulator/ptx/load_error.h"

/// "Parallel Synchronization and Communication Instructions", the part in memory: atom, red, and the fences.
/// Lanes of a warp take turns in ascending order, so that float sums are the same in every run.
namespace roofline::sim::isa {

namespace {

/// Unsigned storage of an operand type, for the host's compare-and-swap.
template <std::size_t kBytes>
struct Word;
template <>
struct Word<2> {
  using Type = u16;
};
template <>
struct Word<4> {
  using Type = u32;
};
template <>
struct Word<8> {
  using Type = u64;
};

/// 128 bits: only compared and replaced.
using U128 = unsigned __int128;
using B128 = Tag<U128, ptx::Type::Kind::kBits, 128>;

/// Where the operation takes place: f32 addition flushes subnormals in global memory, not in shared memory.
enum class Place : u8 { kGlobal, kElsewhere };

Place place_of(const u8* pointer) {
  const u64 address = reinterpret_cast<u64>(pointer);
  return address >= kDeviceWindow && address < kHostWindow + (kHostWindow - kDeviceWindow)
             ? Place::kGlobal
             : Place::kElsewhere;
}

/// The program may work with it at the same time: pinned, mapped and managed memory.
bool is_host_visible(const u8* pointer) {
  return place_of(pointer) == Place::kGlobal && reinterpret_cast<u64>(pointer) >= kHostWindow;
}

template <class T, class F>
T update_word(u8* at, F f, T b, T c, Place place) {
  using Bits = typename Word<sizeof(T)>::Type;
  auto* word = reinterpret_cast<Bits*>(at);
  Bits seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    std::memcpy(&old, &seen, sizeof old);
    const T next = f(old, b, c, place);
    Bits bits;
    std::memcpy(&bits, &next, sizeof bits);
    if (__atomic_compare_exchange_n(word, &seen, bits, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return old;
  }
}

/// One lane's read-modify-write; returns the old value. Blocks that run on several host threads need the
/// host's atomics, and only for memory that they share; so does every block where host code may follow.
template <class T, class F>
T update(u8* at, F f, T b, T c, bool concurrent) {
  const Place place = place_of(at);
  const auto alone = [&] {
    T old;
    std::memcpy(&old, at, sizeof old);
    const T next = f(old, b, c, place);
    std::memcpy(at, &next, sizeof next);
    return old;
  };
  // The rows of 128 bits are ordered, so that no other thread runs blocks of the kernel.
  if constexpr (sizeof(T) == 16) {
    return alone();
  } else {
    const bool shared = (concurrent && place == Place::kGlobal) || is_host_visible(at);
    return shared ? update_word(at, f, b, c, place) : alone();
  }
}

/// The same of one that was deferred: its operand comes as bits.
template <class T, class F>
void update_later(u8* at, u64 operand, bool concurrent) {
  T b;
  std::memcpy(&b, &operand, sizeof b);
  update<T>(at, F{}, b, b, concurrent);
}

/// Leaves a lane's atomic for its block's turn; false: it has to happen now.
template <class T, class F>
bool defer(DeferredAtomics* deferred, u8* at, const T& b) {
  if constexpr (sizeof(T) <= sizeof(u64)) {
    if (deferred == nullptr || place_of(at) != Place::kGlobal) return false;
    u64 operand = 0;
    std::memcpy(&operand, &b, sizeof b);
    deferred->add(update_later<T, F>, at, sizeof b, operand);
    return true;
  } else {
    return false;
  }
}

/// For the atomics that may be deferred where blocks of the kernel run side by side.
DeferredAtomics* deferred_of(const Warp& w, const Instruction& in) {
  return (in.flags & kAccessDeferrable) != 0 ? w.block->deferred : nullptr;
}

template <class T, class F>
void atomic(Warp& w, const Instruction& in) {
  const Access access = begin_access(w, in, AccessKind::kAtomic);
  const bool concurrent = w.block->grid->parallel;
  DeferredAtomics* const deferred = deferred_of(w, in);
  const T* b = w.row<T>(in.b);
  const T* c = in.extra != nullptr ? w.row<T>(in.c) : b;
  T* d = (in.flags & kAccessResult) != 0 ? w.row<T>(in.d) : nullptr;
  for (u32 mask = w.mask; mask != 0; mask &= mask - 1) {
    const auto l = static_cast<u32>(std::countr_zero(mask));
    if (defer<T, F>(deferred, access.lane(l), b[l])) continue;
    const T old = update<T>(access.lane(l), F{}, b[l], c[l], concurrent);
    if (d != nullptr) d[l] = old;
  }
}

template <class L, class F>
void bind_atomic(const Row& row, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  const bool reduction = match.instruction->opcode == "red";
  const std::size_t first = reduction ? 0 : 1;
  const ptx::Type type = match.type;
  bind_address(operands[first], row.space, binder, in);
  in.width = static_cast<u8>(type.bytes());
  in.flags |= kAccessBypassL1;
  in.b = binder.source(operands[first + 1], type);
  if (match.has("cas")) {
    in.c = binder.source(operands[first + 2], type);
    in.extra = &binder.extra();
  }
  const bool result = !reduction && operands[0].kind != ptx::Operand::Kind::kDiscard;
  if (result) {
    in.flags |= kAccessResult;
    in.d = binder.destination(operands[0], type);
  }
  // Sums of floats depend on their order; so does a counter that wraps, or an exchange, whoever reads it.
  const bool commutes = type.kind != ptx::Type::Kind::kFloat && type.kind != ptx::Type::Kind::kBFloat &&
                        !match.has("inc") && !match.has("dec") && !match.has("exch") && !match.has("cas");
  if (row.space != ptx::Space::kShared && !commutes) {
    in.flags |= kAccessOrdered;
    if (in.extra == nullptr && in.width <= sizeof(u64)) in.flags |= kAccessDeferrable;
  }
  L::select(type, [&]<class T>() { in.execute = atomic<typename T::Lane, F>; });
}

constexpr auto kOrders = "{.relaxed,.acquire,.release,.acq_rel}";

AtomicOperation operation_of(std::string_view name) {
  if (name.starts_with(".add")) return AtomicOperation::kSum;
  if (name == ".{exch}" || name == ".{cas}") return AtomicOperation::kSwap;
  return name == ".{inc}" || name == ".{dec}" ? AtomicOperation::kOther : AtomicOperation::kReduction;
}

/// Rows of one operation for every space. The manual puts order and scope before the space; nvcc also writes
/// the scope behind it (atomicAdd_block), cooperative groups and libcu++ both behind the operation.
template <class L, class F>
void add_rows(std::vector<Row>& rows, std::string_view opcode, std::string_view operation, F) {
  const bool reduction = opcode == "red";
  const bool swap = operation == ".{cas}";
  for (const SpaceName& space : {kGeneric, kGlobal, kShared}) {
    std::string line = std::string(opcode) + kOrders + std::string(kScopes) + std::string(space.prefix) +
                       std::string(kScopes) + std::string(operation) + kOrders + std::string(kScopes) +
                       "{.L2::cache_hint}.type " +
                       (reduction ? "[a], b{, p}"
                        : swap    ? "d, [a], b, c{, p}"
                                  : "d, [a], b{, p}");
    rows.push_back({.syntax = keep(std::move(line)),
                    .types = L::all(),
                    .types2 = {},
                    .bind = bind_atomic<L, F>,
                    .cost = memory_cost,
                    .space = space.space,
                    .is_atomic = true,
                    .traits = {.atomic = operation_of(operation), .swaps = swap}});
  }
}

/// Subnormals of f32 become zeros of their sign.
f32 flushed(f32 a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }

f32 add_f32(f32 a, f32 b, Place place) {
  if (place == Place::kGlobal) a = flushed(a), b = flushed(b);
  const f32 sum = a + b;
  if (std::isnan(sum)) return std::bit_cast<f32>(0x7fff'ffffu);
  return place == Place::kGlobal ? flushed(sum) : sum;
}

f64 add_f64(f64 a, f64 b) {
  const f64 sum = a + b;
  return std::isnan(sum) ? std::bit_cast<f64>(0xfff8'0000'0000'0000u) : sum;
}

/// f32 has more than twice the precision of a half, so rounding its sum again is harmless.
template <class H>
H add_halves(H a, H b) {
  return narrow<H>(widen(a) + widen(b));
}

struct AddFloats {
  f32 operator()(f32 a, f32 b, f32, Place place) const { return add_f32(a, b, place); }
};

/// atom.global.add.v2.f32 {d0, d1}, [a], {b0, b1}: each element is atomic on its own. extra->slots holds the
/// destinations, if any, then the sources.
template <u32 N>
void atomic_vector(Warp& w, const Instruction& in) {
  const Access access = begin_access(w, in, AccessKind::kAtomic);
  const bool result = (in.flags & kAccessResult) != 0;
  DeferredAtomics* const deferred = deferred_of(w, in);
  const Slot* sources = in.extra->slots.data() + (result ? N : 0);
  for (u32 mask = w.mask; mask != 0; mask &= mask - 1) {
    const auto l = static_cast<u32>(std::countr_zero(mask));
    f32 old[N] = {};
    bool is_left = false;
    for (u32 j = 0; j < N; ++j) {
      const f32 b = w.row<f32>(sources[j])[l];
      u8* const at = access.lane(l) + 4 * j;
      is_left = defer<f32, AddFloats>(deferred, at, b);
      if (!is_left) old[j] = update<f32>(at, AddFloats{}, b, b, w.block->grid->parallel);
    }
    if (!result || is_left) continue;
    for (u32 j = 0; j < N; ++j) w.row<f32>(in.extra->slots[j])[l] = old[j];
  }
}

template <u32 N>
void bind_vector(const Row& row, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  const std::size_t first = match.instruction->opcode == "red" ? 0 : 1;
  const ptx::Operand& b = operands[first + 1];
  if (vector_length(b) != N ||
      (first == 1 && operands[0].kind != ptx::Operand::Kind::kDiscard && vector_length(operands[0]) != N)) {
    LoadError error("a vector of " + std::to_string(N) + " elements is spelled, the operand has " +
                    std::to_string(vector_length(b)));
    error.at = b.at;
    throw error;
  }
  bind_address(operands[first], row.space, binder, in);
  in.width = 4 * N;
  in.flags |= kAccessBypassL1 | kAccessOrdered | kAccessDeferrable;
  Extra& extra = binder.extra();
  in.extra = &extra;
  if (first == 1 && operands[0].kind == ptx::Operand::Kind::kVector) {
    in.flags |= kAccessResult;
    extra.written = N;
    for (const ptx::Operand& element : operands[0].elements)
      extra.slots.push_back(binder.destination(element, F32::kType));
  }
  for (const ptx::Operand& element : b.elements) extra.slots.push_back(binder.source(element, F32::kType));
  in.execute = atomic_vector<N>;
}

/// The manual knows it in global memory; debug code spells it without the space.
template <u32 N>
void add_vector_row(std::vector<Row>& rows, std::string_view opcode) {
  for (const SpaceName& space : {kGeneric, kGlobal}) {
    std::string line = std::string(opcode) + kOrders + std::string(kScopes) + std::string(space.prefix) +
                       std::string(kScopes) + ".add" + "{.L2::cache_hint}.v" + std::to_string(N) + ".f32 " +
                       (opcode == "red" ? "[a], b{, p}" : "d, [a], b{, p}");
    rows.push_back({.syntax = keep(std::move(line)),
                    .types = {},
                    .types2 = {},
                    .bind = bind_vector<N>,
                    .cost = memory_cost,
                    .space = space.space,
                    .is_atomic = true,
                    .traits = {.atomic = AtomicOperation::kOther}});
  }
}

using AddInts = TypeList<U32, S32, U64>;
using F32Only = TypeList<F32>;
using F64Only = TypeList<F64>;
using SwapTypes = TypeList<B16, B32, B64, B128>;
using ExchangeTypes = TypeList<B32, B64, B128>;

/// What atom and red share, in the manual's order of operations.
void add_common(std::vector<Row>& rows, std::string_view opcode) {
  using U32Only = TypeList<U32>;
  add_rows<WIDE_BITS>(rows, opcode, ".and", [](auto a, auto b, auto, Place) { return a & b; });
  add_rows<WIDE_BITS>(rows, opcode, ".or", [](auto a, auto b, auto, Place) { return a | b; });
  add_rows<WIDE_BITS>(rows, opcode, ".xor", [](auto a, auto b, auto, Place) { return a ^ b; });
  add_rows<AddInts>(rows, opcode, ".add", []<class T>(T a, T b, T, Place) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  });
  add_rows<F32Only>(rows, opcode, ".add", AddFloats{});
  add_vector_row<2>(rows, opcode);
  add_vector_row<4>(rows, opcode);
  add_rows<F64Only>(rows, opcode, ".add", [](f64 a, f64 b, f64, Place) { return add_f64(a, b); });
  add_rows<TypeList<F16>>(rows, opcode, ".add.noftz",
                          [](Half a, Half b, Half, Place) { return add_halves(a, b); });
  add_rows<TypeList<F16X2>>(rows, opcode, ".add.noftz", [](HalfPair a, HalfPair b, HalfPair, Place) {
    return HalfPair{{add_halves(a.element[0], b.element[0]), add_halves(a.element[1], b.element[1])}};
  });
  add_rows<TypeList<BF16>>(rows, opcode, ".add.noftz",
                           [](BFloat a, BFloat b, BFloat, Place) { return add_halves(a, b); });
  add_rows<TypeList<BF16X2>>(rows, opcode, ".add.noftz", [](BFloatPair a, BFloatPair b, BFloatPair, Place) {
    return BFloatPair{{add_halves(a.element[0], b.element[0]), add_halves(a.element[1], b.element[1])}};
  });
  add_rows<U32Only>(rows, opcode, ".{inc}", [](u32 a, u32 b, u32, Place) { return a >= b ? 0 : a + 1; });
  add_rows<U32Only>(rows, opcode, ".{dec}",
                    [](u32 a, u32 b, u32, Place) { return a == 0 || a > b ? b : a - 1; });
  add_rows<WIDE_WORDS>(rows, opcode, ".min", [](auto a, auto b, auto, Place) { return b < a ? b : a; });
  add_rows<WIDE_WORDS>(rows, opcode, ".max", [](auto a, auto b, auto, Place) { return a < b ? b : a; });
}

void nothing(Warp&, const Instruction&) {}

/// Lanes, warps and blocks see memory in the order of the instructions they run: there is nothing to fence.
void bind_fence(const Row&, const Match&, Binder&, Instruction& in) { in.execute = nothing; }

/// Beyond the cluster a fence waits for L2, where everybody meets: 272 clocks on an H200, whose L2 answers
/// after 275, one warp or many.
Cost fence_cost(const Match& match) {
  const bool is_wide = match.has("gl") || match.has("gpu") || match.has("sys");
  return {.pipe = Pipe::kControl, .holds = is_wide ? Holds::kL2 : Holds::kNothing};
}

Row fence(std::string_view syntax) {
  return {.syntax = syntax,
          .types = {},
          .types2 = {},
          .bind = bind_fence,
          .cost = fence_cost,
          .traits = {.fence = Fence::kWider}};
}

}  // namespace

std::vector<Row> atomic_rows() {
  std::vector<Row> rows = {
      fence("membar.{cta,gl,sys}"),
      fence(
          "fence{.sc,.acq_rel,.acquire,.release}{.sync_restrict::shared::cta,.sync_restrict::shared::cluster}"
          "{.cta,.cluster,.gpu,.sys}"),
      fence("fence.proxy.alias"),
      fence("fence.proxy.async{.global,.shared::cta,.shared::cluster}"),
      fence("fence.mbarrier_init.release.cluster"),
  };
  add_common(rows, "atom");
  add_rows<ExchangeTypes>(rows, "atom", ".{exch}", [](auto, auto b, auto, Place) { return b; });
  add_rows<SwapTypes>(rows, "atom", ".{cas}", [](auto a, auto b, auto c, Place) { return a == b ? c : a; });
  add_common(rows, "red");
  return rows;
}

}  // namespace roofline::sim::isa
