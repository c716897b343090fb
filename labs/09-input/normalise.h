// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

/// Lab 09, part A: pictures become numbers. A decoder delivers bytes, the three colours of a pixel beside
/// each other (NHWC); the first layer of a network wants halves, each colour a plane of its own (NCHW):
///
///     nchw[image][c][pixel] = (nhwc[image][pixel][c] - mean[c]) * scale[c]            c = 0, 1, 2
///
/// computed in float and rounded once, to the half that is stored.
///
/// \param nhwc   device, images x pixels x 3 bytes
/// \param nchw   device, images x 3 x pixels halves
/// \param mean, scale  device, three floats each
/// \param images, pixels  from 0; pixels is height times width of an image, and any number. There may be more
///               than 2^31 elements
/// nhwc may be any address, nchw any multiple of 2 bytes.
void normalise(const std::uint8_t* nhwc, half* nchw, const float* mean, const float* scale, int images,
               int pixels, cudaStream_t stream);
