// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A kernel to compile to machine code.
extern "C" __global__ void one(int* p) { *p = 1; }
