// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Looks for kernels that the time model takes for faster than what they must do. Kernels are drawn at random
// (drawn_kernels.h). The drawer knows what every warp does, so the least time follows from that, the table of
// costs and the device's rates, without the counters that the model itself reads.
//
//   ROOFLINE_ARBITRAGE_SECONDS=3600 ROOFLINE_ARBITRAGE_SEED=2 arbitrage_test      searches on
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>

#include "simulator/device/device.h"
#include "simulator/tests/drawn_kernels.h"
#include "simulator/timing/kernel_model.h"

namespace roofline::sim {
namespace {

using drawn::Draw;

/// A device, and what its kernels work on.
struct Card {
  explicit Card(const char* id) : device(load_device(SIMULATOR_SOURCE "/devices", id), 2) {}
  Device device;
  u64 memory = device.allocate(u64{33} << 20, "test"), counter = device.allocate(256, "test");
};

class Search : public testing::Test {
 protected:
  /// Clocks that some rounds of the body take at least, where `share` of each pipe's rate is there.
  static double clocks(const DeviceDescription& gpu, const Draw& d, const std::vector<double>& pipe_slots,
                       double tensor_clocks, double share) {
    const double rates[] = {
        0, gpu.alu_rate,    gpu.fma_rate, gpu.half_rate, gpu.fp64_rate, gpu.sfu_rate, gpu.memory_issue_rate,
        0, gpu.control_rate};
    double issue = 0, least = tensor_clocks / share;
    for (size_t p = 0; p < pipe_slots.size(); ++p) {
      if (p == static_cast<size_t>(Pipe::kTensor)) continue;
      issue += pipe_slots[p];
      if (rates[p] > 0) least = std::max(least, pipe_slots[p] / rates[p] / share);
    }
    least = std::max(least, issue / gpu.issue_rate / share);
    double path = 0, transfers = 0, in = 0, out = 0;
    for (const auto& [kind, chain] : d.body) {
      path += (kind->l1_passes + kind->wavefronts) / gpu.shared_wavefronts_per_clock;
      transfers += kind->l1_passes / kind->conflicts * 128 / gpu.l1_bytes_per_clock +
                   kind->wavefronts / gpu.shared_wavefronts_per_clock;
      in += kind->read_sectors * 32;
      out += kind->written_sectors * 32;
    }
    return std::max({least, path, transfers, in / gpu.l2_bytes_per_clock, out / gpu.l2_bytes_per_clock});
  }

  /// Seconds that nothing can beat, and what they are spent on.
  static std::pair<double, std::string> least(const Device& device, u32 function, const Draw& d,
                                              const LaunchResult& result) {
    const DeviceDescription& gpu = device.description();
    std::vector<double> slots(static_cast<size_t>(Pipe::kCount));
    double tensor = 0;
    const auto& info = device.instructions_of(function);
    bool inside = false;
    for (const InstructionInfo& in : info) {  // of the loop: from the counter's step to the branch
      if (in.text.find("add.u32 %r22") == 0) inside = true;
      if (!inside) continue;
      slots[static_cast<size_t>(in.cost.pipe)] += in.cost.pipe_slots();
      if (const double rate = mma_sync_rate(gpu, in.cost.flop_type); rate > 0) tensor += in.cost.flops / rate;
      if (in.text.find("bra") == 0 || in.text.find("@%p4") == 0) break;
    }
    double most_in_block = 0, sum = 0, lanes = 0, registers = 0, most_rounds = 0;
    std::vector<double> rounds_of_block(d.blocks);
    for (u32 b = 0; b < d.blocks; ++b) {
      for (u32 w = 0; w < d.warps(); ++w) {
        const double rounds = d.rounds + (d.chosen(b, w) ? d.more_rounds : 0);
        rounds_of_block[b] += rounds;
        most_rounds = std::max(most_rounds, rounds);
      }
      most_in_block = std::max(most_in_block, rounds_of_block[b]);
      sum += rounds_of_block[b];
    }
    for (const auto& [kind, chain] : d.body) {
      lanes += sum * kind->same_address;
      registers += kind->registers;
    }
    // Any placement gives one SM ceil(k / SMs) of the k busiest blocks.
    std::sort(rounds_of_block.begin(), rounds_of_block.end(), std::greater<>());
    double most_on_sm = sum / gpu.sms;
    for (size_t k = 0; k < rounds_of_block.size(); k += gpu.sms)
      most_on_sm = std::max(most_on_sm, static_cast<double>(k / gpu.sms + 1) * rounds_of_block[k]);
    const double round = clocks(gpu, d, slots, tensor, 1), clock = gpu.clock_mhz * 1e6;
    std::map<double, std::string> bounds;
    bounds[most_rounds * clocks(gpu, d, slots, tensor, 0.25) / clock] = "the busiest warp";
    bounds[most_rounds * registers / 255 * gpu.l2_latency / clock] = "the registers of the busiest warp";
    bounds[most_in_block * round / clock] = "the busiest block";
    bounds[most_on_sm * round / clock] = "the busiest SM";
    bounds[lanes / gpu.atomic_same_address_per_clock / clock] = "atomics on one address";
    bounds[static_cast<double>(result.counters.dram_read_bytes + result.counters.dram_write_bytes) /
           (gpu.dram_gbps * 1e9)] = "DRAM at the rate of its pins";
    return *bounds.rbegin();
  }

  struct Found {
    double ratio = 0;  ///< modelled over least
    std::string text;
  };
  Found attempt(const Draw& d) {
    Card& card = cards_[random_() % std::size(cards_)];
    Device& device = card.device;
    const ModuleFacts module = device.load_module(drawn::ptx_of(d), {});
    Launch launch;
    launch.function = module.functions.at(0).id;
    launch.grid = {d.blocks, 1, 1};
    launch.block = {d.threads, 1, 1};
    if (d.cluster != 0) launch.cluster = {d.cluster, 1, 1};
    launch.sample_seed = random_();
    launch.parameters.resize(16 + 128);
    std::memcpy(launch.parameters.data(), &card.memory, 8);
    std::memcpy(launch.parameters.data() + 8, &card.counter, 8);
    if (!device.check_launch(launch).empty()) launch.cluster = {0, 0, 0};  // no clusters on this card
    EXPECT_EQ(device.check_launch(launch), "") << d.text();
    const LaunchResult result = device.launch(launch);
    EXPECT_FALSE(result.trap) << d.text() << '\n' << (result.trap ? result.trap->message : "");
    const auto [seconds, what] = least(device, launch.function, d, result);
    device.unload_module(module.id);
    char figures[160];
    std::snprintf(figures, sizeof figures, "%.2f us modelled (%s), %.2f us for ", result.time.seconds * 1e6,
                  result.time.limiter().c_str(), seconds * 1e6);
    return {seconds > 0 ? result.time.seconds / seconds : 1,
            device.description().name + ": " + figures + what + " in " + d.text()};
  }

  std::mt19937_64 random_{std::strtoull(
      std::getenv("ROOFLINE_ARBITRAGE_SEED") ? std::getenv("ROOFLINE_ARBITRAGE_SEED") : "1", nullptr, 10)};
  Card cards_[3] = {Card("a100-sxm4-40gb"), Card("h100-sxm"), Card("rtx4090")};
};

// Breaks when a kernel is timed as faster than what its own warps have to do.
TEST_F(Search, NoKernelIsFasterThanItsWork) {
  const char* given = std::getenv("ROOFLINE_ARBITRAGE_SECONDS");
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> search(given ? std::strtod(given, nullptr) : 0);
  constexpr u32 kAttempts = 1500;  // of a test run: the same ones on every machine
  u32 attempts = 0, won = 0;
  for (; given ? std::chrono::steady_clock::now() - begin < search : attempts < kAttempts; ++attempts) {
    const Found found = attempt(drawn::draw(random_, 60'000));
    if (found.ratio >= 16.0 / 17) continue;  // a step of the tally, in which work counts as its least
    ++won;
    ADD_FAILURE() << found.ratio << ": " << found.text;
    if (!given && won > 10) break;
  }
  std::printf("%u kernels, %u faster than their work\n", attempts, won);
}

}  // namespace
}  // namespace roofline::sim
