// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

extern __device__ int g_counter;
extern __constant__ int c_factors[4];
extern __managed__ int m_shared_with_host;
__device__ int scaled(int x);
__global__ void touch_managed();
int add_in_other_file(int value);

/// A template used in both files: each has a copy, the linker keeps one.
template <class T>
__device__ __noinline__ T largest(T a, T b) {
  return a < b ? b : a;
}
