// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/lab/roof.h"

/// Epochs of batches that come from the host (common/feed/batches.h): the program's arguments, what its
/// weights are at the end, and the time of its steps alone.
namespace roofline::grader {

/// weights, seed, images, batch, image_bytes, work, stream.
std::vector<Argument> feed_arguments();
/// The weights after `epochs` epochs of `images` pictures each, the seed of each one more than the last's.
/// Where they are wrong the message says which batch is missing, or came twice, if that explains it.
Output feed_output(int epochs);
/// Pictures of an epoch, pictures in a batch, bytes of a picture (a multiple of 4), and operations of the
/// step's chain for each picture.
NamedValues feed_settings(double images, double batch, double image_bytes, const Value& work);

double feed_batch_bytes(const Settings& settings);
/// Of one epoch.
double feed_bytes(const Settings& settings);
/// Operations of the steps' chains in an epoch, which no feed can leave out.
double feed_flops(const Settings& settings);

/// The size at which a feed is timed: batches of 1 MiB, whose copies and steps take about as long as each
/// other on a simulated A100.
NamedValues timed_feed();

// Batches that workers decode (common/feed/source.h).

/// files, weights, images, batch, image_bytes, work, decode, workers, stream. A picture is what its file
/// says: 64 random bits, on the device, for each picture of each epoch.
std::vector<Argument> source_arguments(int epochs);
/// As feed_output(), for pictures of files.
Output source_output(int epochs);
/// feed_settings() with so many workers, and the operations that one needs for a picture, on average.
NamedValues source_settings(NamedValues feed, double workers, const Value& decode);
/// Operations of the workers' chains in an epoch of thousands of pictures, at least.
double decode_flops(const Settings& settings);
/// The size at which workers are timed: four of them, each of which takes more than three steps for a batch.
NamedValues timed_source();
/// The chains of the steps, and of the workers where there are any, have done so many operations each as this
/// asks for, one after the other: steps follow each other, and so do the operations of a thread. Only the
/// feed's own kernels count, in the shape in which the feed launches them. Anything else would be a step that
/// takes no time.
StructureCheck chains_done(std::function<double(const Settings&)> steps,
                           std::function<double(const Settings&)> workers = {});
/// No batch is decoded by others than the workers, and no more at a time than there are workers: what the
/// device's clock saw. It does not matter what the program thinks about them.
StructureCheck decoded_by_workers(int epochs);

/// The steps alone, with the batches on the device already: "feed-step" of timed_feed(), "source-step" of
/// timed_source().
std::vector<Roof> feed_roofs();

}  // namespace roofline::grader
