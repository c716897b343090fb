// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

#include "simulator/types.h"

namespace roofline::sim {

/// By which judge and machine agree on the bytes of an array without sending them. Whoever does not know
/// `key` finds two contents of the same size and hash with a chance of 2^-32 at best: blocks of 1 KiB by NH
/// (Black et al., UMAC, 1999), their sums by a polynomial modulo 2^61 - 1. A few GB a second on one core.
u64 content_hash(std::span<const std::byte> bytes, u64 key);

}  // namespace roofline::sim
