// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Before a function with loops over millions of elements: it is compiled for CPUs with AVX2 as well, and at
/// run time the CPU decides which one is called. Both give the same bits, as AVX2 brings no FMA along.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define ROOFLINE_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define ROOFLINE_VECTORISED
#endif
