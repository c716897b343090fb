// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

__device__ float g_coefficients[3];

__device__ float polynomial(float x) {
  return g_coefficients[0] + x * (g_coefficients[1] + x * g_coefficients[2]);
}
