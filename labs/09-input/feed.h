// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "feed/batches.h"

/// Lab 09, part B: an epoch of training whose pictures are in host memory. While the device computes one step
/// the next batch is on its way.
///
/// feed/batches.h has the batches and the step; what you need for every epoch (memory, streams, events) is
/// made once and used again.
struct Feed;
using roofline::feed::Batches;

/// Called once, before any clock runs.
/// \param batch        pictures in a batch; the last batch of an epoch may have fewer
/// \param image_bytes  bytes of a picture
/// \param stream       where the steps of all epochs will run
Feed* feed_prepare(int batch, std::size_t image_bytes, cudaStream_t stream);

/// Runs batches.step() once for each batch of the epoch, in order, in `stream`. It need not wait for the end,
/// but all its work must be done when the work in `stream` is. Called several times, one epoch after the
/// other, with other pictures each time.
///
/// At most two batches of bytes are in device memory at a time, and two in pinned host memory.
void feed_epoch(Feed* feed, const Batches& batches, cudaStream_t stream);

/// Gives back what feed_prepare() made. The device is idle.
void feed_release(Feed* feed);
