// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The functions of the real library that this one does not have. Their parameters do not matter (the caller
// cleans up), so the CUDA headers stay out of this file.
#include "simulator/runtime/not_supported.h"

#define DONE(name)
#define MISSING(name, why)                                       \
  extern "C" __attribute__((visibility("default"))) int name() { \
    static std::atomic<bool> said = false;                       \
    return roofline::sim::runtime::not_supported(#name, said);   \
  }
#include "simulator/runtime/api.list"
