// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

/// The programs in this folder check themselves: exit status 0 only when everything was as expected. They are
/// ordinary CUDA programs and hold on a real GPU too. With EXPECT_ALL in the environment they go on after
/// what was not so, to show all of it at once.
inline void not_as_expected() {
  static const bool go_on = std::getenv("EXPECT_ALL") != nullptr;
  if (!go_on) std::exit(1);
  static const bool at_exit = std::atexit([] { std::_Exit(1); }) == 0;
  static_cast<void>(at_exit);
}

#define EXPECT(condition)                                                          \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      not_as_expected();                                                           \
    }                                                                              \
  } while (0)

#define EXPECT_RESULT(expected, call)                                                                        \
  do {                                                                                                       \
    const cudaError_t got_ = (call);                                                                         \
    if (got_ != (expected)) {                                                                                \
      std::fprintf(stderr, "%s:%d: %s gave %s, not %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(got_), \
                   cudaGetErrorName(expected));                                                              \
      not_as_expected();                                                                                     \
    }                                                                                                        \
  } while (0)

/// For numbers: says which one it was.
#define EXPECT_VALUE(expected, value)                                                                   \
  do {                                                                                                  \
    const long long got_ = static_cast<long long>(value), wanted_ = static_cast<long long>(expected);   \
    if (got_ != wanted_) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #value, got_, wanted_); \
      not_as_expected();                                                                                \
    }                                                                                                   \
  } while (0)

#define OK(call) EXPECT_RESULT(cudaSuccess, call)
