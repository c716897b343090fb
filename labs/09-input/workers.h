// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "feed/source.h"

/// Lab 09, part C: an epoch of training whose pictures are decoded by workers, each of which takes longer for
/// a batch than a step does. The device should not notice.
///
/// feed/source.h has the source of batches and the step; what you need for every epoch is made once and used
/// again.
struct Loader;
using roofline::feed::Source;

/// Called once, before any clock runs.
/// \param workers      of the source: source.workers()
/// \param batch        pictures in a batch; the last batch of an epoch may have fewer
/// \param image_bytes  bytes of a picture
/// \param stream       where the steps of all epochs will run
Loader* loader_prepare(int workers, int batch, std::size_t image_bytes, cudaStream_t stream);

/// Runs source.step() once for each batch of the epoch, in order, in `stream`. It need not wait for the end,
/// but all its work must be done when the work in `stream` is. Called several times, one epoch after the
/// other, with other pictures each time.
///
/// At most two batches for each worker are in pinned memory at a time, and two batches in all on the device.
void loader_epoch(Loader* loader, Source& source, cudaStream_t stream);

/// Gives back what loader_prepare() made. The device is idle.
void loader_release(Loader* loader);
