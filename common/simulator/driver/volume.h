// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/driver/frame.h"
#include "simulator/runtime/copy_request.h"

namespace roofline::sim::driver {

/// A copy in the runtime's terms: a CUDA array becomes the memory it lies in.
CUresult request_of(const CUDA_MEMCPY2D& c, runtime::CopyRequest& request);
CUresult request_of(const CUDA_MEMCPY3D& c, runtime::CopyRequest& request);

}  // namespace roofline::sim::driver
