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

// Breaks when the pictures of files are others than those that workers deliver, or in another order.
TEST(Source, EachPictureIsTheOneOfItsFile) {
  std::vector<std::uint64_t> files(kEpochs * kImages);
  for (std::size_t i = 0; i < files.size(); ++i) files[i] = feed::bits_of(kSeed, i);
  const CallView view({{"files", Type::kU64, std::as_bytes(std::span(files))}},
                      {{"images", kImages}, {"batch", kBatch}, {"image_bytes", kBytes}});
  Weights weights(kBytes);
  for (const std::uint64_t file : files) {
    std::uint8_t picture[kBytes];
    feed::decode_picture(file, 0, kBytes, picture);
    for (std::size_t j = 0; j < kBytes; ++j) weights[j] = weights[j] * feed::kForget + picture[j] + 1;
  }
  const Output output = source_output(kEpochs);
  EXPECT_EQ(output.whole(view, {}, std::as_bytes(std::span(weights)), 0).complaint, "");
  std::vector<Expected> expected(kBytes);
  output.reference_of(view)(view, 0, kBytes, expected.data());
  for (std::size_t j = 0; j < kBytes; ++j) EXPECT_EQ(expected[j].value, weights[j]);
}

// --- what the device saw of the workers ---

constexpr const char *kDecode = "_ZN8roofline4feed6decodeIvEEvPKmifiP10ulonglong2",
                     *kDeliver = "_ZN8roofline4feed7deliverIvEEvPKmijP10ulonglong2",
                     *kThink = "_ZN8roofline4feed5thinkIvEEvP5uint4fi";

/// Batch i is decoded by worker i % workers, who needs three units of time for it and one to deliver it.
sim::Region decoded(int batches, int workers) {
  sim::Region region;
  const auto add = [&](const char* name, double start, double end) {
    region.kernels.emplace_back();
    region.kernels.back().name = name;
    region.kernels.back().start = start;
    region.kernels.back().end = end;
  };
  for (int i = 0; i < batches; ++i) {
    const double start = i / workers * 4.0;
    add(kDecode, start, start + 3);
    add(kDeliver, start + 3, start + 4);
    add(kThink, start + 4, start + 8);
  }
  return region;
}

std::string complaint_about(const sim::Region& region, double workers) {
  Settings settings;
  settings.set("images", kImages);
  settings.set("batch", kBatch);
  settings.set("workers", workers);
  return decoded_by_workers(kEpochs).complaint({region, settings}).value_or("");
}

// Breaks when as many workers as there are count as too many: one begins when another one ends.
TEST(Workers, MayAllBeBusy) {
  EXPECT_EQ(complaint_about(decoded(kEpochs * kBatches, 2), 2), "");
  EXPECT_EQ(complaint_about(decoded(kEpochs * kBatches, 2), 4), "");
}

// Breaks when someone may hire more of them, leave a batch out, or have other kernels decode.
TEST(Workers, DecodeAllBatchesAndNobodyElseDoes) {
  EXPECT_EQ(complaint_about(decoded(kEpochs * kBatches, 3), 2),
            "3 batches were decoded at the same time, by 2 workers");
  EXPECT_EQ(complaint_about(decoded(kEpochs * kBatches - 1, 2), 2), "workers decoded 5 batches instead of 6");
  sim::Region region = decoded(kEpochs * kBatches, 2);
  region.kernels.back().name = "_Z6decodePKmifiPj";
  EXPECT_EQ(complaint_about(region, 2), "decode is neither the workers' nor the step's");
}

// Breaks when workers may be made faster than files allow, or files by chance are slower than is asked for.
TEST(Workers, TheirOperationsCount) {
  Settings settings;
  for (const auto& [name, value] : {std::pair{"images", 1000.0}, {"work", 100.0}, {"decode", 300.0}})
    settings.set(name, value);
  const double decoded = 1000 * 300.0 * 2 * 32;
  EXPECT_GT(decode_flops(settings), 0.95 * decoded);
  EXPECT_LT(decode_flops(settings), 0.98 * decoded);
}

// Breaks when the operations of a chain count though they are done side by side, in a kernel of another's, or
// not at all.
class ChainsDone : public testing::Test {
 protected:
  static constexpr std::uint64_t kFlops = 512 * 100;  ///< of 256 threads: a hundred multiply-adds each
  static constexpr const char* kSteps = "_ZN8roofline4feed5thinkIvEEvP5uint4fi";

  void SetUp() override {
    kernel_.name = kSteps;
    kernel_.grid = {1, 1, 1};
    kernel_.block = {256, 1, 1};
    kernel_.counters.flops[static_cast<std::size_t>(sim::FlopType::kF32)] = kFlops;
    kernel_.counters.block_cycles_l2 = kernel_.counters.block_cycles_dram = 410;
    kernel_.end = 1;
  }
  /// Of two such kernels, the second at `start`.
  std::string complaint(double start = 1) const {
    sim::Region region;
    region.kernels = {kernel_, kernel_};
    region.kernels[1].start = start;
    region.kernels[1].end = start + 1;
    return chains_done([](const Settings&) { return 2 * kFlops; })
        .complaint({region, Settings()})
        .value_or("");
  }

  sim::KernelRecord kernel_;
};

TEST_F(ChainsDone, OneAfterTheOther) {
  EXPECT_EQ(complaint(), "");
  EXPECT_EQ(complaint(0.5).substr(0, 31), "2 steps ran at the same time: e");
}

TEST_F(ChainsDone, AllOfThem) {
  kernel_.counters.flops[static_cast<std::size_t>(sim::FlopType::kF32)] = kFlops - 1;
  EXPECT_EQ(complaint().substr(0, 32), "the chains of the steps did 1.00");
}

TEST_F(ChainsDone, NotInOtherShapes) {
  kernel_.grid = {2, 1, 1};
  EXPECT_NE(complaint(), "");
  kernel_.grid = {1, 1, 1};
  kernel_.block = {1024, 1, 1};
  EXPECT_NE(complaint(), "");
}

TEST_F(ChainsDone, NotInKernelsOfOthers) {
  kernel_.name = "_Z5thinkP5uint4fi";
  EXPECT_NE(complaint(), "");
  kernel_.name = "_ZN8roofline4feed5thinkI4MineEEvP5uint4fi";
  EXPECT_NE(complaint(), "");
}

// A thread that does two chains beside each other is done in half the time.
TEST_F(ChainsDone, NotFasterThanAChain) {
  kernel_.counters.block_cycles_l2 = kernel_.counters.block_cycles_dram = 210;
  EXPECT_NE(complaint(), "");
}

// Breaks when the host may fetch the files, which are all that a picture is made of.
TEST(Workers, FilesStayOnTheDevice) {
  sim::Region region = decoded(kEpochs * kBatches, 2);
  region.device_to_host_bytes = 8;
  EXPECT_EQ(complaint_about(region, 2), "8 bytes were copied back to the host");
}

}  // namespace
}  // namespace roofline::grader
