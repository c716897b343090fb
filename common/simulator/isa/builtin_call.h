// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstring>
#include <string>

#include "simulator/machine/access.h"
#include "simulator/program/function.h"

/// Arguments and results of a call whose function is part of the simulator.
namespace roofline::sim::isa {

inline const CallSite& site_of_builtin(const Instruction& in) {
  return *static_cast<const CallSite*>(in.extra->pointer);
}

/// The bytes of an argument or a result, for one lane.
inline u8* piece_bytes(const Warp& w, const CallSite::Piece& piece, u32 lane) {
  return piece.in_register ? const_cast<Warp&>(w).row<u8>(piece.slot) + std::size_t{lane} * piece.bytes
                           : call_bytes(w, piece, lane);
}

/// An argument as T; what the call does not pass is 0.
template <class T = u64>
T argument(const Warp& w, const CallSite& site, std::size_t i, u32 lane) {
  T value{};
  if (i >= site.arguments.size()) return value;
  const CallSite::Piece& piece = site.arguments[i];
  std::memcpy(&value, piece_bytes(w, piece, lane), std::min<std::size_t>(piece.bytes, sizeof value));
  return value;
}

inline void give_result(Warp& w, const CallSite& site, u32 lane, u64 value) {
  if (site.results.empty()) return;
  const CallSite::Piece& piece = site.results[0];
  std::memcpy(piece_bytes(w, piece, lane), &value, std::min(piece.bytes, 8u));
}

template <class Use>
void each_active(const Warp& w, Use use) {
  for (u32 mask = w.mask; mask != 0; mask &= mask - 1) use(static_cast<u32>(std::countr_zero(mask)));
}

/// A zero-terminated string of device memory.
inline std::string text_at(Warp& w, const Instruction& in, u32 lane, u64 address) {
  constexpr u64 kLongestText = 4096;
  u64 n = readable_bytes(w, lane, address, kLongestText);
  if (n == 0) n = 1;  // lane_pointer traps and says why
  const auto* bytes = reinterpret_cast<const char*>(lane_pointer(w, in, lane, address, n, AccessKind::kLoad));
  return {bytes, strnlen(bytes, n)};
}

}  // namespace roofline::sim::isa
