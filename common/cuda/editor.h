// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// For editors only: clangd includes this before every CUDA file (cmake/editor.cmake), no compiler does.
/// Clang 14 does not know CUDA 13, whose headers redefine what Clang has built in. Here every function counts
/// as both host and device code, so that the headers are read as ordinary C++ and only what is wrong in
/// *your* file is underlined. `<<<>>>`, `threadIdx`, shared memory and intrinsics work as usual.

#if !defined(__clang__)
#error "common/cuda/editor.h is for clangd; include <cuda_runtime.h>"
#endif

// Declared before the pragma: their overloads for the device are Clang's own.
#include <exception>
#include <new>
#define __CLANG_CUDA_WRAPPERS_NEW

#pragma clang force_cuda_host_device begin

#include <cmath>

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#define __MATH_FUNCTIONS_H__  // <cmath> has most of it, as constexpr; the rest follows
#include <crt/host_defines.h>
#undef __device__
#undef __host__
#define __device__
#define __host__
#define __syncthreads __syncthreads_  // Clang has a device-only one built in

float rsqrtf(float);
double rsqrt(double);
float rcbrtf(float);
float sinpif(float);
float cospif(float);
float normcdff(float);
template <class A, class B>
constexpr auto min(A a, B b) {
  return b < a ? b : a;
}
template <class A, class B>
constexpr auto max(A a, B b) {
  return a < b ? b : a;
}

#include <cuda_runtime.h>
