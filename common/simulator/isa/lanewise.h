// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <cstddef>

#include "simulator/isa/float_math.h"
#include "simulator/machine/warp.h"

/// How a function of one lane becomes an instruction of a warp.
namespace roofline::sim::isa {

/// to[i] = from[i] for the lanes in `mask`, `bytes` (1, 2, 4, 8 or 16) a lane.
void merge_rows(void* to, const void* from, u32 mask, std::size_t bytes);

/// Bit i is set where flags[i] (0 or 1) is; `flags` is 32 bytes, 32-byte aligned.
u32 collect_flags(const u8* flags);

/// Bit i is the sign of values[i]; `values` is a row.
inline u32 collect_signs(const s32* values) {
  u32 signs = 0;
#if defined(__AVX512DQ__)
  for (int i = 0; i < kWarpSize; i += 16)
    signs |= u32{_mm512_movepi32_mask(_mm512_load_si512(values + i))} << i;
#elif defined(__x86_64__)
  for (int i = 0; i < kWarpSize; i += 4)
    signs |= static_cast<u32>(_mm_movemask_ps(_mm_load_ps(reinterpret_cast<const f32*>(values + i)))) << i;
#else
  for (int i = 0; i < kWarpSize; ++i) signs |= (static_cast<u32>(values[i]) >> 31) << i;
#endif
  return signs;
}

/// The lanes where f(s[i]...) holds, whether they are active or not.
template <class F, class... S>
inline __attribute__((always_inline)) u32 lanes_where(F f, const S*... s) {
  alignas(64) s32 holds[kWarpSize];
#pragma GCC ivdep
  for (int i = 0; i < kWarpSize; ++i) holds[i] = f(s[i]...) ? -1 : 0;
  return collect_signs(holds);
}

/// has_nan in the words of every processor: a loop without a way out, which becomes vectors.
template <class F>
inline bool any_nan(const F* row) {
  decltype(to_bits(F{})) unordered = 0;
  for (int i = 0; i < kWarpSize; ++i) unordered |= row[i] != row[i];
  return unordered != 0;
}

/// Whether any lane of a row is NaN: on x86-64 two lanes are compared at a time.
inline bool has_nan(const f32* row) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(_mm512_load_ps(row), _mm512_load_ps(row + 16), _CMP_UNORD_Q) != 0;
#elif defined(__x86_64__)
  __m128 unordered = _mm_setzero_ps();
  for (int i = 0; i < kWarpSize; i += 8)
    unordered = _mm_or_ps(unordered, _mm_cmpunord_ps(_mm_load_ps(row + i), _mm_load_ps(row + i + 4)));
  return _mm_movemask_ps(unordered) != 0;
#else
  return any_nan(row);
#endif
}
inline bool has_nan(const f64* row) {
#if defined(__AVX512F__)
  const auto unordered = [row](int i) {
    return _mm512_cmp_pd_mask(_mm512_load_pd(row + i), _mm512_load_pd(row + i + 8), _CMP_UNORD_Q);
  };
  return (unordered(0) | unordered(16)) != 0;
#elif defined(__x86_64__)
  __m128d unordered = _mm_setzero_pd();
  for (int i = 0; i < kWarpSize; i += 4)
    unordered = _mm_or_pd(unordered, _mm_cmpunord_pd(_mm_load_pd(row + i), _mm_load_pd(row + i + 2)));
  return _mm_movemask_pd(unordered) != 0;
#else
  return any_nan(row);
#endif
}

/// Of a function of lanes whose NaN must become the canonical one.
template <class F>
concept MakesNan = requires {
  requires F::kMakesNan;
};

/// d[i] = f(s[i]...) for all lanes.
template <class D, class F, class... S>
inline __attribute__((always_inline)) void every_lane(D* d, F f, const S*... s) {
#pragma GCC ivdep
  for (int i = 0; i < kWarpSize; ++i) d[i] = static_cast<D>(f(s[i]...));
  // Looked for afterwards, so that an instruction which needs the result does not wait for the search.
  if constexpr (MakesNan<F>)
    if (has_nan(d)) [[unlikely]]
      for (int i = 0; i < kWarpSize; ++i) d[i] = canonical(d[i]);
}

/// The others keep what they have. Kept apart, so that a full warp needs no room for results.
template <class D, class F, class... S>
__attribute__((noinline)) void some_lanes(u32 mask, D* d, F f, const S*... s) {
  alignas(64) D results[kWarpSize];
  every_lane(results, f, s...);
  merge_rows(d, results, mask, sizeof(D));
}

/// d[i] = f(s[i]...) for the lanes in `mask`. Inactive lanes are computed too, for the vector units' sake,
/// and dropped: f must be total. A destination may be a source, exactly; rows never overlap partially.
template <class D, class F, class... S>
inline __attribute__((always_inline)) void each_lane(u32 mask, D* d, F f, const S*... s) {
  if (mask != ~0u) [[unlikely]]
    return some_lanes(mask, d, f, s...);
  every_lane(d, f, s...);
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
