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
/// "feed-step": the steps of timed_feed() with the batches on the device already.
std::vector<Roof> feed_roofs();

}  // namespace roofline::grader
