// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The CUDA runtime's own declarations. Only what they declare is exported: the library is built with hidden
/// visibility.
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#define ROOFLINE_EXPORT extern "C" __attribute__((visibility("default")))
