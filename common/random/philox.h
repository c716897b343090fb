// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#ifdef __CUDACC__
#define ROOFLINE_HOST_DEVICE __host__ __device__
#else
#define ROOFLINE_HOST_DEVICE
#endif

/// Random numbers without a state: the k-th block of four 32-bit numbers is a function of k and a seed, so
/// every thread can compute its own, in any order, and again later.
namespace roofline {

struct PhiloxBlock {
  std::uint32_t word[4];
};

namespace detail {
/// Upper 32 bits of a product. On the device asked for by name: from a 64-bit product nvcc makes 64-bit
/// arithmetic of the whole round.
ROOFLINE_HOST_DEVICE inline std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  return __umulhi(a, b);
#else
  return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
#endif
}

/// One instruction of the machine; said to the compiler so that PTX, which a simulated device counts, has one
/// as well.
ROOFLINE_HOST_DEVICE inline std::uint32_t exclusive_or(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef __CUDA_ARCH__
  std::uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
#else
  return a ^ b ^ c;
#endif
}
}  // namespace detail

/// Philox4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC
/// 2011). The counter is `block` in its low 64 bits and 0 above, the key is `seed`.
ROOFLINE_HOST_DEVICE inline PhiloxBlock philox(std::uint64_t seed, std::uint64_t block,
                                               std::uint64_t high = 0) {
  constexpr std::uint32_t kFactor0 = 0xD2511F53, kFactor2 = 0xCD9E8D57;
  auto c0 = static_cast<std::uint32_t>(block), c1 = static_cast<std::uint32_t>(block >> 32);
  auto c2 = static_cast<std::uint32_t>(high), c3 = static_cast<std::uint32_t>(high >> 32);
  auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint32_t high0 = detail::multiply_high(kFactor0, c0), low0 = kFactor0 * c0;
    const std::uint32_t high2 = detail::multiply_high(kFactor2, c2), low2 = kFactor2 * c2;
    c0 = detail::exclusive_or(high2, c1, k0);
    c1 = low2;
    c2 = detail::exclusive_or(high0, c3, k1);
    c3 = low0;
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace roofline

#undef ROOFLINE_HOST_DEVICE
