// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include "simulator/driver/frame.h"
#include "simulator/runtime/not_supported.h"

namespace roofline::sim::driver {

/// Handles of the runtime and of the driver are the same.
inline cudaArray_t runtime_array(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }
inline cudaMipmappedArray_t runtime_array(CUmipmappedArray array) {
  return reinterpret_cast<cudaMipmappedArray_t>(array);
}

/// A format in the runtime's terms. CUDA_ERROR_NOT_SUPPORTED, said once, where it has none of them.
CUresult channels_of(CUarray_format format, unsigned n, cudaChannelFormatDesc& channels);
CUarray_format format_of(const cudaChannelFormatDesc& channels);
unsigned count_of(const cudaChannelFormatDesc& channels);

}  // namespace roofline::sim::driver
