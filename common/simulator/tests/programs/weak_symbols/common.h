// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

__device__ inline int g_calls = 0;
__device__ inline __noinline__ int count() { return ++g_calls; }

template <class T>
__device__ T g_setting = 40;

void there(int* out);
