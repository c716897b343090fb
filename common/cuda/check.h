// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

/// Ends the program with file, line and the error's name when a CUDA call fails.
#define CUDA_CHECK(call)                                                                                  \
  do {                                                                                                    \
    const cudaError_t error_ = (call);                                                                    \
    if (error_ != cudaSuccess) {                                                                          \
      std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_), \
                   cudaGetErrorName(error_));                                                             \
      std::exit(1);                                                                                       \
    }                                                                                                     \
  } while (0)
