// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/mbarrier.h"

#include <bit>
#include <cstring>

#include "simulator/isa/address.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/cost.h"

/// "Parallel Synchronization and Communication Instructions": mbarrier, the barrier in shared memory whose
/// phases wait for arrivals and for bytes of asynchronous copies. Copies are done when they are issued here,
/// so what waits for them finds them complete.
namespace roofline::sim::isa {

namespace {

/// The 64 bits of the object. Their meaning is nobody's business but these instructions'; a count of 0 stands
/// for memory that is no barrier.
struct Barrier {
  static constexpr s64 kMostBytes = (s64{1} << 20) - 1;
  static constexpr u32 kMostArrivals = (1u << 20) - 1;

  u32 expected = 0, pending = 0;  ///< arrivals
  s64 bytes = 0;                  ///< of copies that the phase still waits for
  bool phase = false;

  static Barrier load(const u8* at) {
    u64 bits;
    std::memcpy(&bits, at, sizeof bits);
    return {static_cast<u32>(bits & 0xf'ffffu), static_cast<u32>(bits >> 20 & 0xf'ffffu),
            static_cast<s64>(bits >> 40 & 0x3f'ffffu) - (s64{1} << 21), bits >> 63 != 0};
  }
  void store(u8* at) const {
    const u64 bits = u64{expected} | u64{pending} << 20 | static_cast<u64>(bytes + (s64{1} << 21)) << 40 |
                     u64{phase} << 63;
    std::memcpy(at, &bits, sizeof bits);
  }
  void complete_if_done() {
    if (pending != 0 || bytes != 0) return;
    phase = !phase;
    pending = expected;
  }
};

/// What arrive returns: the phase, and the arrivals that were pending before.
u64 token(const Barrier& barrier) { return u64{barrier.phase} << 63 | u64{barrier.pending} << 20; }

enum class Operation : u8 {
  kInit,
  kInval,
  kArrive,
  kDrop,
  kArriveNoComplete,
  kDropNoComplete,
  kExpect,
  kArriveExpect,
  kDropExpect,
  kCompleteBytes,
  kTest,
  kTestParity,
  kCopyArrive,
  kCopyArriveNoIncrement
};

constexpr bool arrives(Operation operation) {
  return operation == Operation::kArrive || operation == Operation::kDrop ||
         operation == Operation::kArriveNoComplete || operation == Operation::kDropNoComplete ||
         operation == Operation::kArriveExpect || operation == Operation::kDropExpect;
}
constexpr bool drops(Operation operation) {
  return operation == Operation::kDrop || operation == Operation::kDropNoComplete ||
         operation == Operation::kDropExpect;
}
constexpr bool tests(Operation operation) {
  return operation == Operation::kTest || operation == Operation::kTestParity;
}

[[noreturn]] void misuse(Warp& w, const Instruction& in, u32 lane, const std::string& what) {
  w.trap(TrapKind::kIllegalInstruction, lane, in, "mbarrier: " + what);
}

/// One lane's arrival of `count` threads, after `bytes` more are expected.
void arrive(Warp& w, const Instruction& in, u32 lane, Barrier& barrier, Operation operation, u32 count) {
  const bool no_complete =
      operation == Operation::kArriveNoComplete || operation == Operation::kDropNoComplete;
  if (count == 0 || count > barrier.pending)
    misuse(w, in, lane,
           "an arrival of " + std::to_string(count) + " where " + std::to_string(barrier.pending) +
               " are pending; the count given to mbarrier.init is what a phase waits for");
  if (drops(operation)) barrier.expected -= count;
  barrier.pending -= count;
  if (no_complete && barrier.pending == 0) misuse(w, in, lane, "arrive.noComplete completed the phase");
  barrier.complete_if_done();
}

void add_bytes(Warp& w, const Instruction& in, u32 lane, Barrier& barrier, s64 bytes) {
  barrier.bytes += bytes;
  if (barrier.bytes > Barrier::kMostBytes || barrier.bytes < -Barrier::kMostBytes)
    misuse(w, in, lane,
           "more than " + std::to_string(Barrier::kMostBytes) + " bytes are expected in a phase");
}

template <Operation kOperation>
void initialise(Warp& w, const Instruction& in, u32 lane, u8* at) {
  const u32 count = w.row<u32>(in.b)[lane];
  if (count == 0 || count > Barrier::kMostArrivals)
    misuse(w, in, lane, "a count of " + std::to_string(count) + "; it is from 1 to 1048575");
  Barrier{count, count, 0, false}.store(at);
}

/// Operands in Instruction: a the address, b count or bytes or state or parity (c: the bytes beside a count),
/// d the state or the predicate.
template <Operation kOperation>
void execute(Warp& w, const Instruction& in) {
  const Access access = begin_access(w, in, AccessKind::kAtomic);
  u32 done = 0;
  for (u32 mask = w.mask; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(mask));
    u8* const at = access.lane(lane);
    if constexpr (kOperation == Operation::kInit) {
      initialise<kOperation>(w, in, lane, at);
      continue;
    }
    Barrier barrier = Barrier::load(at);
    if (barrier.expected == 0 && barrier.pending == 0 && !drops(kOperation) && !tests(kOperation))
      misuse(w, in, lane,
             "the object was not initialised (mbarrier.init), or all of its threads have left it");
    const u32 operand = in.b.bits != 0 ? w.row<u32>(in.b)[lane] : 1;
    if constexpr (kOperation == Operation::kInval) {
      barrier = {};
    } else if constexpr (arrives(kOperation)) {
      constexpr bool kExpects =
          kOperation == Operation::kArriveExpect || kOperation == Operation::kDropExpect;
      const u64 state = token(barrier);
      if (kExpects) add_bytes(w, in, lane, barrier, operand);
      arrive(w, in, lane, barrier, kOperation, kExpects ? 1 : operand);
      if (in.d.bits != 0) w.row<u64>(in.d)[lane] = state;
    } else if constexpr (kOperation == Operation::kExpect) {
      add_bytes(w, in, lane, barrier, operand);
    } else if constexpr (kOperation == Operation::kCompleteBytes) {
      add_bytes(w, in, lane, barrier, -s64{operand});
      barrier.complete_if_done();
    } else if constexpr (kOperation == Operation::kTest) {
      done |= u32{w.row<u64>(in.b)[lane] >> 63 != (barrier.phase ? 1u : 0u)} << lane;
    } else if constexpr (kOperation == Operation::kTestParity) {
      done |= u32{(operand & 1u) != (barrier.phase ? 1u : 0u)} << lane;
    } else if constexpr (kOperation == Operation::kCopyArriveNoIncrement) {
      arrive(w, in, lane, barrier, Operation::kArrive, 1);
    }
    if constexpr (!tests(kOperation)) barrier.store(at);
  }
  if constexpr (tests(kOperation)) {
    u32& d = w.predicate(in.d);
    d = (d & ~w.mask) | done;
  }
}

template <Operation kOperation>
void bind(const Row&, const Match& match, Binder& binder, Instruction& in) {
  const ptx::OperandList& operands = match.instruction->operands;
  const bool result = arrives(kOperation) || tests(kOperation);
  const std::size_t first = result ? 1 : 0;
  // Without a space the address is generic.
  const bool shared = match.has("shared") || match.has("shared::cta") || match.has("shared::cluster");
  bind_address(operands[first], shared ? ptx::Space::kShared : ptx::Space::kGeneric, binder, in);
  in.width = 8;
  if (operands.size() > first + 1)
    in.b = binder.source(operands[first + 1], kOperation == Operation::kTest ? B64::kType : U32::kType);
  if (tests(kOperation))
    in.d = binder.predicate_destination(operands[0]);
  else if (result && operands[0].kind != ptx::Operand::Kind::kDiscard)
    in.d = binder.destination(operands[0], B64::kType);
  in.execute = execute<kOperation>;
}

template <Operation kOperation>
Row row(std::string_view syntax) {
  return {.syntax = syntax,
          .types = {},
          .types2 = {},
          .bind = bind<kOperation>,
          .cost = memory_cost,
          .space = ptx::Space::kShared,
          .is_atomic = true,
          .traits = {.barrier_object = true, .polls = tests(kOperation)}};
}

/// What arrives when the thread's asynchronous copies have. The machine copies at once.
template <Operation kOperation>
Row copies_row(std::string_view syntax) {
  return row<kOperation>(syntax).with({.async_copy = AsyncCopy::kHandOn, .barrier_object = true});
}

void pending_count(Warp& w, const Instruction& in) {
  const u64* state = w.row<u64>(in.a);
  u32* d = w.row<u32>(in.d);
  for (u32 l = 0; l < kWarpSize; ++l)
    if ((w.mask >> l & 1u) != 0) d[l] = static_cast<u32>(state[l] >> 20 & 0xf'ffffu);
}

void bind_pending_count(const Row&, const Match& match, Binder& binder, Instruction& in) {
  in.a = binder.source(match.instruction->operands[1], B64::kType);
  in.d = binder.destination(match.instruction->operands[0], B32::kType);
  in.execute = pending_count;
}

}  // namespace

void complete_bytes(Warp& w, const Instruction& in, u32 lane, u64 address, u32 bytes, u32 part) {
  alignas(64) u64 addresses[kWarpSize] = {};
  addresses[lane] = address;
  const Access access =
      begin_access(w, in, {AccessKind::kAtomic, ptx::Space::kShared, 1u << lane, 8, false, part}, addresses);
  Barrier barrier = Barrier::load(access.lane(lane));
  if (barrier.expected == 0 && barrier.pending == 0)
    misuse(w, in, lane, "the object was not initialised (mbarrier.init)");
  add_bytes(w, in, lane, barrier, -s64{bytes});
  barrier.complete_if_done();
  barrier.store(access.lane(lane));
}

std::vector<Row> mbarrier_rows() {
  using enum Operation;
  return {
      row<kInit>("mbarrier.init{.shared,.shared::cta}.b64 [a], n"),
      row<kInval>("mbarrier.inval{.shared,.shared::cta}.b64 [a]"),
      row<kExpect>(
          "mbarrier.expect_tx{.relaxed}{.cta,.cluster}{.shared,.shared::cta,.shared::cluster}.b64 [a], n"),
      row<kCompleteBytes>(
          "mbarrier.complete_tx{.relaxed}{.cta,.cluster}{.shared,.shared::cta,.shared::cluster}.b64 [a], n"),
      row<kArrive>(
          "mbarrier.arrive{.release,.relaxed}{.cta,.cluster}{.shared,.shared::cta,.shared::cluster}.b64 "
          "d, [a]{, n}"),
      row<kArriveExpect>("mbarrier.arrive.expect_tx{.release,.relaxed}{.cta,.cluster}"
                         "{.shared,.shared::cta,.shared::cluster}.b64 d, [a], n"),
      row<kArriveNoComplete>(
          "mbarrier.arrive.noComplete{.release}{.cta}{.shared,.shared::cta}.b64 d, [a], n"),
      row<kDrop>(
          "mbarrier.arrive_drop{.release,.relaxed}{.cta,.cluster}{.shared,.shared::cta,.shared::cluster}"
          ".b64 d, [a]{, n}"),
      row<kDropExpect>("mbarrier.arrive_drop.expect_tx{.release,.relaxed}{.cta,.cluster}"
                       "{.shared,.shared::cta,.shared::cluster}.b64 d, [a], n"),
      row<kDropNoComplete>(
          "mbarrier.arrive_drop.noComplete{.release}{.cta}{.shared,.shared::cta}.b64 d, [a], n"),
      copies_row<kCopyArrive>("cp.async.mbarrier.arrive{.shared,.shared::cta}.b64 [a]"),
      copies_row<kCopyArriveNoIncrement>("cp.async.mbarrier.arrive.noinc{.shared,.shared::cta}.b64 [a]"),
      row<kTest>("mbarrier.test_wait{.acquire,.relaxed}{.cta,.cluster}{.shared,.shared::cta}.b64 p, [a], s"),
      row<kTestParity>(
          "mbarrier.test_wait.parity{.acquire,.relaxed}{.cta,.cluster}{.shared,.shared::cta}.b64 p, [a], s"),
      row<kTest>(
          "mbarrier.try_wait{.acquire,.relaxed}{.cta,.cluster}{.shared,.shared::cta}.b64 p, [a], s{, t}"),
      row<kTestParity>("mbarrier.try_wait.parity{.acquire,.relaxed}{.cta,.cluster}{.shared,.shared::cta}.b64 "
                       "p, [a], s{, t}"),
      {.syntax = "mbarrier.pending_count.b64 d, s",
       .types = {},
       .types2 = {},
       .bind = bind_pending_count,
       .cost = logic_cost,
       .traits = {.barrier_object = true}},
  };
}

}  // namespace roofline::sim::isa
