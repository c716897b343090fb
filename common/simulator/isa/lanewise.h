// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "simulator/machine/warp.h"

/// How a function of one lane becomes an instruction of a warp.
namespace roofline::sim::isa {

/// to[i] = from[i] for the lanes in `mask`, `bytes` (1, 2, 4, 8 or 16) a lane.
void merge_rows(void* to, const void* from, u32 mask, std::size_t bytes);

/// Bit i is set where flags[i] (0 or 1) is; `flags` is 32 bytes, 32-byte aligned.
u32 collect_flags(const u8* flags);

/// The lanes where f(s[i]...) holds, whether they are active or not.
template <class F, class... S>
inline __attribute__((always_inline)) u32 lanes_where(F f, const S*... s) {
  alignas(32) u8 flags[kWarpSize];
#pragma GCC ivdep
  for (int i = 0; i < kWarpSize; ++i) flags[i] = f(s[i]...) ? 1 : 0;
  return collect_flags(flags);
}

/// d[i] = f(s[i]...) for the lanes in `mask`. Inactive lanes are computed too, for the vector units' sake,
/// and dropped: f must be total. A destination may be a source, exactly; rows never overlap partially.
template <class D, class F, class... S>
inline __attribute__((always_inline)) void each_lane(u32 mask, D* d, F f, const S*... s) {
  alignas(64) D masked[kWarpSize];
  const bool full = mask == ~0u;
  D* out = full ? d : masked;
#pragma GCC ivdep
  for (int i = 0; i < kWarpSize; ++i) out[i] = static_cast<D>(f(s[i]...));
  if (!full) merge_rows(d, masked, mask, sizeof(D));
}

/// The Execute of a stateless function of lanes: D and S... are the lane types of destination and sources.
template <class F, class D, class... S>
struct Lanewise;

template <class F, class D, class A>
struct Lanewise<F, D, A> {
  static void execute(Warp& w, const Instruction& in) {
    each_lane(w.mask, w.row<D>(in.d), F{}, w.row<A>(in.a));
  }
};

template <class F, class D, class A, class B>
struct Lanewise<F, D, A, B> {
  static void execute(Warp& w, const Instruction& in) {
    each_lane(w.mask, w.row<D>(in.d), F{}, w.row<A>(in.a), w.row<B>(in.b));
  }
};

template <class F, class D, class A, class B, class C>
struct Lanewise<F, D, A, B, C> {
  static void execute(Warp& w, const Instruction& in) {
    each_lane(w.mask, w.row<D>(in.d), F{}, w.row<A>(in.a), w.row<B>(in.b), w.row<C>(in.c));
  }
};

template <class F, class D, class A, class B, class C, class E>
struct Lanewise<F, D, A, B, C, E> {
  static void execute(Warp& w, const Instruction& in) {
    each_lane(w.mask, w.row<D>(in.d), F{}, w.row<A>(in.a), w.row<B>(in.b), w.row<C>(in.c), w.row<E>(in.e));
  }
};

}  // namespace roofline::sim::isa
