// expect: fail crashed; naive: hangs
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stops before the first word, neither dead nor alive.

#include <unistd.h>

#include <csignal>

#include "pointwise.h"

namespace {

__attribute__((constructor)) void before_main() { raise(SIGSTOP); }

}  // namespace

void pointwise(const float*, float*, float, float, std::size_t, cudaStream_t) {}
