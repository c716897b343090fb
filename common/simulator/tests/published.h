// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// published.cases: published measurements and what the model says about each.
#pragma once
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/tests/records.h"
#include "simulator/timing/kernel_model.h"
#include "simulator/timing/timeline.h"

namespace roofline::sim {

/// One line of published.cases.
struct Measurement {
  std::string kind, card, arguments;  ///< arguments as written: "op=read threads=32"
  std::map<std::string, std::string> values;
  double published = 0, model = 0;
  std::string unit, source;
  bool fitted = false;
  bool counted = true;  ///< false: its source corrected it since

  double error() const { return model / published - 1; }
  /// Larger is quicker, whatever the unit.
  double published_speed() const { return is_time() ? 1 / published : published; }
  double model_speed() const { return is_time() ? 1 / model : model; }
  bool is_time() const { return unit == "us" || unit == "ms"; }
  std::string word(const std::string& key) const { return values.at(key); }
  double number(const std::string& key) const { return std::stod(values.at(key)); }
  u64 count(const std::string& key) const { return std::stoull(values.at(key)); }
};

namespace published {

inline u64& pipe(KernelCounters& counters, Pipe which) {
  return counters.pipe_warps[static_cast<size_t>(which)];
}

/// What a streaming kernel counts: every thread loads and stores so many bytes, each warp in one request.
inline KernelCounters streaming(const DeviceDescription& gpu, u64 warps, u64 loaded, u64 stored) {
  KernelCounters counters;
  counters.warp_instructions = counters.issue_slots = warps * 8;
  pipe(counters, Pipe::kAlu) = warps * 4;
  pipe(counters, Pipe::kMemory) = warps * ((loaded + 15) / 16 + (stored + 15) / 16);
  counters.global_load_sectors = counters.l2_read_sectors = counters.l1_miss_sectors = warps * loaded;
  counters.global_store_sectors = counters.l2_write_sectors = warps * stored;
  counters.global_passes = counters.global_transfers = warps * (loaded + stored) / 4;
  counters.dram_read_bytes = warps * loaded * kSectorBytes;
  counters.dram_write_bytes = warps * stored * kSectorBytes;
  const double arithmetic = 8 * gpu.alu_latency;
  counters.block_cycles_l2 = arithmetic + (loaded != 0 ? gpu.l2_latency : 0);
  counters.block_cycles_dram = arithmetic + (loaded != 0 ? gpu.dram_latency : 0);
  return counters;
}

/// What a warp of it does: an address, loads of `width` bytes a thread, `between` for each warp, stores.
template <class Between>
test::HandMade streaming_warp(u64 loaded, u64 stored, u64 width, Between between) {
  test::HandMade warp;
  u32 address = warp.arithmetic(Pipe::kAlu);
  for (int i = 1; i < 4; ++i) address = warp.arithmetic(Pipe::kAlu, {address});
  u32 value = address;
  for (u64 at = 0; at < loaded; at += width) value = warp.load(static_cast<u32>(width), {address});
  value = between(warp, value);
  for (u64 at = 0; at < stored; at += width) warp.store(static_cast<u32>(width), {value});
  return warp;
}
inline test::HandMade streaming_warp(u64 loaded, u64 stored, u64 width) {
  return streaming_warp(loaded, stored, width, [](test::HandMade&, u32 value) { return value; });
}

inline double seconds(const DeviceDescription& gpu, const KernelCounters& counters, u64 blocks, u32 threads,
                      const test::HandMade& warp, u64 shared = 0, double part = 1) {
  KernelResources resources;
  resources.registers = 32;
  resources.dynamic_shared_bytes = shared;
  BlockRecord record = test::block_of(warp, threads / 32);
  record.part = record.loop_part = part;
  return model_kernel(gpu, counters, resources, {static_cast<u32>(blocks), 1, 1}, {threads, 1, 1},
                      {&record, 1})
      .seconds;
}

/// Two blocks an SM (shared memory keeps others out), doubles, one element a thread; from DRAM or from L2.
inline double gpu_stream(const DeviceDescription& gpu, const Measurement& m, bool in_l2) {
  const std::string op = m.word("op");
  const u64 loaded = op == "init" ? 0 : op == "triad" ? 16 : 8, stored = op == "read" ? 0 : 8;
  const auto threads = static_cast<u32>(m.count("threads"));
  const u64 blocks = u64{gpu.sms} * 2 * 1000;
  auto counters = streaming(gpu, blocks * threads / 32, loaded, stored);
  const u64 bytes = counters.dram_read_bytes + counters.dram_write_bytes;
  if (in_l2) {
    counters.l2_hit_sectors = counters.l2_read_sectors;
    counters.dram_read_bytes = counters.dram_write_bytes = 0;
  }
  const u64 half = gpu.shared_per_sm / 2 - gpu.shared_reserved_per_block - 256;
  return static_cast<double>(bytes) /
         seconds(gpu, counters, blocks, threads, streaming_warp(loaded, stored, 8), half) * 1e-9;
}

/// Grid-stride loops over doubles, 128 threads a block, `loads` independent loads an iteration.
inline double cuda_stream(const DeviceDescription& gpu, const Measurement& m) {
  constexpr u64 kIterations = 1 << 12;
  const u64 loads = m.count("loads"), blocks = m.count("blocks");
  auto counters = streaming(gpu, blocks * 4 * kIterations, 8 * loads, 0);
  constexpr u64 kRecorded = 1 << 7;
  test::HandMade warp;
  for (u64 i = 0; i < kRecorded; ++i) {
    u32 sum = warp.arithmetic(Pipe::kAlu), first = 0;
    for (u64 k = 0; k < loads; ++k) first = warp.load(8);
    first -= static_cast<u32>(loads) - 1;
    for (u64 k = 0; k < loads; ++k) sum = warp.arithmetic(Pipe::kFp64, {sum, first + static_cast<u32>(k)});
    warp.arithmetic(Pipe::kControl, {warp.arithmetic(Pipe::kAlu)});
  }
  return static_cast<double>(counters.dram_read_bytes) /
         seconds(gpu, counters, blocks, 128, warp, 0, double{kRecorded} / kIterations) * 1e-9;
}

/// Seconds from one kernel to the next; timeline_test shows that graphs give nodes their pace.
inline double pace(const DeviceDescription& gpu, bool graph, double kernel) {
  if (graph) return gpu.graph_node_us * 1e-6 + kernel;
  constexpr int kKernels = 1000;
  Timeline timeline(gpu);
  timeline.kernel(0, "first", kernel);
  const double first = timeline.device_end();
  for (int i = 0; i < kKernels; ++i) timeline.kernel(0, "next", kernel);
  return (timeline.device_end() - first) / kKernels;
}

/// Copies of n doubles one after the other; all in L2 when both arrays fit.
inline double small_kernels(const DeviceDescription& gpu, const Measurement& m) {
  const u64 n = m.count("n"), blocks = n / 256 + 1;
  auto counters = streaming(gpu, (n + 31) / 32, 8, 8);
  if (16 * n <= gpu.l2_bytes) {
    counters.l2_hit_sectors = counters.l2_read_sectors;
    counters.dram_read_bytes = counters.dram_write_bytes = 0;
  }
  const double kernel = seconds(gpu, counters, blocks, 256, streaming_warp(8, 8, 8));
  return static_cast<double>(16 * n) / pace(gpu, m.word("mode") == "graph", kernel) * 1e-9;
}

/// As many blocks as fit; loops over two arrays of floats, two pairs an iteration: a chain of FMAs with three
/// register operands on each pair. `clock`: what the card ran at, in MHz, where it was not its boost clock.
inline double gpu_roofline(const DeviceDescription& boost, const Measurement& m) {
  DeviceDescription gpu = boost;
  if (m.values.contains("clock")) gpu.clock_mhz = m.number("clock");
  constexpr u64 kIterations = 2000, kRecorded = 32, kThreads = 256;
  const u64 blocks = u64{gpu.sms} * gpu.max_threads_per_sm / kThreads, warps = blocks * kThreads / 32;
  const auto chain = static_cast<u64>(m.number("flop_per_byte") * 8 / 2);  // FMAs a pair
  auto counters = streaming(gpu, warps * kIterations, 16, 0);
  pipe(counters, Pipe::kMemory) = warps * kIterations * 4;
  pipe(counters, Pipe::kAlu) = warps * kIterations * 2;
  pipe(counters, Pipe::kFma) = counters.three_register_fma = warps * kIterations * 2 * chain;
  counters.issue_slots = warps * kIterations * (2 * chain + 8);
  test::HandMade warp;
  for (u64 i = 0; i < kRecorded; ++i) {
    u32 values[2] = {};
    for (u32& value : values) {
      warp.load(4);
      value = warp.load(4);
    }
    const u32 loaded[2] = {values[0], values[1]};
    for (u64 k = 0; k < chain; ++k)
      for (int pair = 0; pair < 2; ++pair) {
        Recorded fma;
        fma.pipe = Pipe::kFma;
        fma.flop_type = FlopType::kF32;
        fma.issue = 1;
        fma.slow_fma = true;
        values[pair] =
            k == 0 ? warp.add(fma, {loaded[pair] - 1, loaded[pair]}) : warp.add(fma, {values[pair]});
      }
    warp.arithmetic(Pipe::kControl, {warp.arithmetic(Pipe::kAlu)});
  }
  const double part = double{kRecorded} / kIterations;
  return static_cast<double>(warps * kIterations * 2 * chain * 64) /
         seconds(gpu, counters, blocks, kThreads, warp, 0, part) * 1e-12;
}

/// A loop of multiplications alone does half of what FMAs do.
inline double multiply(const DeviceDescription& gpu, const Measurement&) {
  constexpr u64 kBlocks = 1 << 14, kWarps = kBlocks * 8, kRepeat = 512;
  KernelCounters counters;
  pipe(counters, Pipe::kFma) = counters.issue_slots = kWarps * kRepeat;
  test::HandMade warp;
  u32 product = 0;
  for (u64 i = 0; i < kRepeat; ++i) product = warp.arithmetic(Pipe::kFma, {product});
  return static_cast<double>(kWarps * kRepeat * 32) / seconds(gpu, counters, kBlocks, 256, warp) * 1e-12;
}

/// Every warp reads doubles again and again, many loads in flight, all found in this level.
inline double cached_reads(const DeviceDescription& gpu, bool in_l1) {
  constexpr u64 kBlocks = 1 << 12, kWarps = kBlocks * 8, kLoads = 256;
  auto counters = streaming(gpu, kWarps * kLoads, 8, 0);
  counters.l2_hit_sectors = counters.l2_read_sectors;
  counters.dram_read_bytes = 0;
  counters.issue_slots = 2 * kWarps * kLoads;
  pipe(counters, Pipe::kAlu) = 0;
  test::HandMade warp;
  for (u64 i = 0; i < kLoads; ++i) {
    warp.arithmetic(Pipe::kAlu);
    warp.memory(Recorded::Kind::kLoad, 2, in_l1 ? 0 : 8);
  }
  if (in_l1) counters.l2_read_sectors = counters.l2_hit_sectors = 0;
  const double bytes = static_cast<double>(counters.global_load_sectors * kSectorBytes);
  return bytes / seconds(gpu, counters, kBlocks, 256, warp) * 1e-9;
}

inline double mma_sync(const DeviceDescription& gpu, const Measurement&) {
  constexpr u64 kFlops = u64{1} << 36;
  KernelCounters counters;
  counters.flops[static_cast<size_t>(FlopType::kTensorF16F32)] = kFlops;
  const u64 blocks = u64{gpu.sms} << 8;
  constexpr u64 kProducts = 64, kFlopsEach = 4096;
  test::HandMade warp;
  for (u64 i = 0; i < kProducts; ++i) {
    Recorded product;
    product.pipe = Pipe::kTensor;
    product.flop_type = FlopType::kTensorF16F32;
    product.issue = 1;
    product.amount = kFlopsEach;
    warp.add(product, {static_cast<u32>(i < 8 ? i : i - 8)});
  }
  const double part = static_cast<double>(blocks * 8 * kProducts * kFlopsEach) / kFlops;
  return static_cast<double>(kFlops) / seconds(gpu, counters, blocks, 256, warp, 0, part) * 1e-12;
}

/// Microseconds from the call to the end of an empty kernel.
inline double null_kernel(const DeviceDescription& gpu) {
  Timeline timeline(gpu);
  timeline.kernel(0, "null", 0);
  return timeline.device_end() * 1e6;
}

/// Figures of a file of lines "NAME = FIGURE"; none where there is no such file.
inline std::map<std::string, double> stored_figures(const std::string& path) {
  std::map<std::string, double> all;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line))
    if (const size_t equals = line.find(" = "); equals != line.npos && line.front() != '#')
      all[line.substr(0, equals)] = std::stod(line.substr(equals + 3));
  return all;
}

/// Of whole programs, which take minutes: tuned_test runs them. 0: not yet.
inline double tuned(const DeviceDescription&, const Measurement& m) {
  static const auto all = stored_figures(SIMULATOR_SOURCE "/tests/tuned.simulated");
  const auto found = all.find(m.kind + ' ' + m.card + ' ' + m.arguments);
  return found == all.end() ? 0 : found->second;
}

inline double pinned_copy(const DeviceDescription& gpu, const Measurement& m) {
  Timeline timeline(gpu);
  timeline.copy(0, CopyKind::kHostToDevice, m.count("bytes"), false, true);
  const auto& entry = timeline.entries().back();
  return m.number("bytes") / (entry.end - entry.start) * 1e-9;
}

using Model = std::function<double(const DeviceDescription&, const Measurement&)>;

/// The kinds of lines and their models.
inline const std::map<std::string, Model>& models() {
  static const std::map<std::string, Model> all = {
      {"gpu-stream", [](const auto& gpu, const auto& m) { return gpu_stream(gpu, m, false); }},
      {"l2-stream", [](const auto& gpu, const auto& m) { return gpu_stream(gpu, m, true); }},
      {"cuda-stream", cuda_stream},
      {"small-kernels", small_kernels},
      {"gpu-roofline", gpu_roofline},
      {"multiply", multiply},
      {"l2-read", [](const auto& gpu, const auto&) { return cached_reads(gpu, false); }},
      {"l1-read", [](const auto& gpu, const auto&) { return cached_reads(gpu, true); }},
      {"mma-sync", mma_sync},
      {"launch", [](const auto& gpu, const auto&) { return pace(gpu, false, 0) * 1e6; }},
      {"graph-node", [](const auto& gpu, const auto&) { return pace(gpu, true, 0) * 1e6; }},
      {"null-kernel", [](const auto& gpu, const auto&) { return null_kernel(gpu); }},
      {"pinned-copy", pinned_copy},
      {"product", tuned},
      {"tensor-tile", tuned},
      {"dedispersion", tuned}};
  return all;
}

/// "card NAME = DEVICE key=value ...": the device with some numbers changed.
inline DeviceDescription derived_card(std::istringstream& words, const std::string& devices) {
  std::string equals, base, change;
  words >> equals >> base;
  DeviceDescription gpu = load_device(devices, base);
  while (words >> change) {
    const size_t sign = change.find('=');
    if (sign == std::string::npos ||
        !set_number(gpu, change.substr(0, sign), std::stod(change.substr(sign + 1))))
      throw std::runtime_error("no such key: " + change);
  }
  return gpu;
}

inline Measurement measurement(const std::string& kind, std::istringstream& words) {
  Measurement m{.kind = kind, .card = {}, .arguments = {}, .values = {}, .unit = {}, .source = {}};
  words >> m.card;
  std::string word, whether;
  while (words >> word && word != "=") {
    m.arguments += (m.arguments.empty() ? "" : " ") + word;
    m.values[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  if (!(words >> m.published >> m.unit >> whether >> m.source) ||
      (whether != "fitted" && whether != "held-out" && whether != "replaced"))
    throw std::runtime_error("a line ends in: = FIGURE UNIT fitted|held-out|replaced SOURCE");
  m.fitted = whether == "fitted";
  m.counted = whether != "replaced";
  return m;
}

}  // namespace published

/// All lines of the files, evaluated; throws std::runtime_error that names the line that is wrong.
inline std::vector<Measurement> published_measurements(const std::vector<std::string>& files,
                                                       const std::string& devices) {
  std::map<std::string, DeviceDescription> cards;
  for (const std::string& id : known_devices(devices)) cards[id] = load_device(devices, id);
  std::vector<Measurement> all;
  for (const std::string& cases : files) {
    std::ifstream file(cases);
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) try {
        if (line.empty() || line.front() == '#') continue;
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "card") {
          std::string name;
          words >> name;
          cards[name] = published::derived_card(words, devices);
          continue;
        }
        Measurement m = published::measurement(kind, words);
        m.model = published::models().at(kind)(cards.at(m.card), m);
        all.push_back(std::move(m));
      } catch (const std::exception& error) {
        throw std::runtime_error(cases + ":" + std::to_string(number) + ": " + error.what());
      }
  }
  return all;
}

}  // namespace roofline::sim
