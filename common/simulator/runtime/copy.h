// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/copy_request.h"
#include "simulator/runtime/runtime.h"

namespace roofline::sim::runtime {

/// All kinds of copy end here: done now, or made a node when the stream is being captured. Caller holds the
/// lock (is inside api()).
cudaError_t copy(Runtime& runtime, const CopyRequest& request);
/// What is wrong with a copy whatever the memory it means: direction, pitch.
cudaError_t check(const CopyRequest& request);

/// The machine reaches it: device memory, or pinned and managed memory.
bool machine_reaches(const void* pointer);
/// The same copy where the machine sees its ends: memory that cudaHostRegister pinned is in the host window,
/// too.
CopyRequest in_window(const Runtime& runtime, CopyRequest request);

/// Gives memory of cudaMallocManaged or of cudaHostAlloc back.
cudaError_t free_host(Runtime& runtime, void* p, bool managed);

/// Where an address lies.
bool is_device_address(const void* pointer);
bool is_window_address(const void* pointer);
/// The device that a device address belongs to.
int device_of(const void* pointer);

}  // namespace roofline::sim::runtime
