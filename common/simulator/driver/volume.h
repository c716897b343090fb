// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/driver/frame.h"
#include "simulator/runtime/copy_request.h"

namespace roofline::sim::driver {

/// A copy in the runtime's terms. CUDA_ERROR_NOT_SUPPORTED, said once, where an end is a CUDA array.
CUresult request_of(const CUDA_MEMCPY2D& c, runtime::CopyRequest& request);
CUresult request_of(const CUDA_MEMCPY3D& c, runtime::CopyRequest& request);

}  // namespace roofline::sim::driver
