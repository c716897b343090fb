// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#include "common.h"

__global__ void other(int* out) {
  out[0] = count();
  out[1] = g_setting<int>;
}

void there(int* out) { other<<<1, 1>>>(out); }
