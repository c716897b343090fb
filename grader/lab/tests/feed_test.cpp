// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/feed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "feed/pictures.h"

// Epochs of batches: what the judge expects of the weights, and what it says when a batch is missing.
namespace roofline::grader {
namespace {

constexpr std::uint64_t kSeed = 12'345;
constexpr int kEpochs = 2, kImages = 11, kBatch = 4, kBatches = 3;  // the last batch has three
constexpr std::size_t kBytes = 20;

CallView call() {
  return {{}, {{"seed", kSeed}, {"images", kImages}, {"batch", kBatch}, {"image_bytes", kBytes}}};
}

using Weights = std::vector<std::uint32_t>;

/// The weights after batch `order(epoch, i)` of an epoch in the place of batch i; -1: after none there.
Weights learnt(const std::function<std::pair<int, int>(int epoch, int batch)>& order) {
  Weights weights(kBytes);
  for (int epoch = 0; epoch < kEpochs; ++epoch)
    for (int batch = 0; batch < kBatches; ++batch) {
      const auto [from, which] = order(epoch, batch);
      for (int i = which * kBatch; which >= 0 && i < std::min(kImages, (which + 1) * kBatch); ++i) {
        std::uint8_t picture[kBytes];
        feed::decode_picture(kSeed + static_cast<unsigned>(from), static_cast<unsigned>(i), kBytes, picture);
        for (std::size_t j = 0; j < kBytes; ++j) weights[j] = weights[j] * feed::kForget + picture[j] + 1;
      }
    }
  return weights;
}

std::string complaint(const Weights& weights) {
  return feed_output(kEpochs).whole(call(), {}, std::as_bytes(std::span(weights)), 0).complaint;
}

// Breaks when the judge expects other weights than those of all batches in order.
TEST(Feed, AllBatchesInOrderAreRight) {
  const Weights weights = learnt([](int epoch, int batch) { return std::pair{epoch, batch}; });
  EXPECT_EQ(complaint(weights), "");
  std::vector<Expected> expected(kBytes);
  feed_output(kEpochs).reference_of(call())(call(), 0, kBytes, expected.data());
  for (std::size_t j = 0; j < kBytes; ++j) EXPECT_EQ(expected[j].value, weights[j]);
}

// Breaks when a learner reads no more than that all weights are wrong.
TEST(Feed, AMissingBatchIsNamed) {
  const auto says = [](const std::function<std::pair<int, int>(int, int)>& order, const std::string& words) {
    const std::string text = complaint(learnt(order));
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says([](int e, int) { return std::pair{e, -1}; }, "no batch was learnt");
  says([](int e, int b) { return std::pair{e, b == 2 ? -1 : b}; }, "of 3 pictures, was never learnt");
  says([](int, int b) { return std::pair{0, b}; }, "the pictures of the first one again");
  says(
      [](int e, int b) {
        return std::pair{e, e == 1 && b == 1 ? -1 : b};
      },
      "batch 1 of epoch 1 was never learnt");
  says(
      [](int e, int b) {
        return std::pair{e, e == 0 && b == 1 ? 0 : b};
      },
      "batch 0 of epoch 0 was learnt in the place of batch 1 of epoch 0");
  says(
      [](int e, int b) {
        return std::pair{e, e == 1 && b < 2 ? 1 - b : b};
      },
      "batch 0 of epoch 1 and batch 1 of epoch 1 were exchanged");
  says(
      [](int e, int b) {
        return std::pair{e, b == 1 ? 0 : b};
      },
      "batch 0 of each epoch was learnt in the place of batch 1 of each epoch");
  EXPECT_EQ(complaint(Weights(kBytes, 7)), "") << "nothing that explains it";
}

}  // namespace
}  // namespace roofline::grader
