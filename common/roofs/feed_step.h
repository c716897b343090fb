// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/// The training steps of `images` pictures in batches of `batch`, the last of which may be short, with the
/// pictures on the device already: every batch is the first one again.
void feed_step_roof(const std::uint8_t* pictures, std::uint32_t* weights, int images, int batch,
                    std::size_t image_bytes, int work, cudaStream_t stream);
