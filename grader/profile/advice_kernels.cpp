// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "grader/base/units.h"
#include "grader/profile/advisor.h"
#include "simulator/program/instruction_text.h"

/// Rules about how a kernel's threads, warps and blocks fill the GPU, and about its arithmetic.
namespace roofline::grader {
namespace {

using sim::LineRecord;
using sim::Pipe;
using sim::u64;

using sim::number;

std::string lanes_text(double lanes) { return format_number("%.1f", lanes); }

const std::string& limiter(const KernelProfile& kernel) {
  static const std::string kNone;
  return kernel.bounds.empty() ? kNone : kernel.bounds.front().first;
}
double top(const KernelProfile& kernel) { return kernel.bounds.empty() ? 0 : kernel.bounds.front().second; }

/// How close a bound is to the slowest.
double closeness(const KernelProfile& kernel, const std::string& resource) {
  return top(kernel) > 0 ? kernel.bound(resource) / top(kernel) : 0;
}

u64 threads(const KernelProfile& kernel) { return kernel.longest->block.count(); }
u64 warps_of_block(const KernelProfile& kernel) { return (threads(kernel) + 31) / 32; }

/// Lanes of a warp that have a thread.
double possible_lanes(const KernelProfile& kernel) {
  return number(threads(kernel)) / number(warps_of_block(kernel));
}

double instructions_a_warp(const KernelProfile& kernel) {
  const double warps = kernel.blocks * number(warps_of_block(kernel));
  return warps > 0 ? kernel.warp_instructions() / warps : 0;
}

double without_idle_lanes(const KernelProfile& kernel) {
  const double factor = kernel.lanes() / possible_lanes(kernel);
  return kernel.share_with({{"issue", factor},
                            {"FMA", factor},
                            {"ALU", factor},
                            {"SFU", factor},
                            {"FP64", factor},
                            {"memory issue", factor},
                            {"control", factor},
                            {"latency", factor}});
}

void divergence(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    if (kernel.lanes() > possible_lanes(kernel) * 0.8) continue;
    for (const LineProfile& line : kernel.lines) {
      u64 reached = 0;
      for (const sim::LineRecord* instruction : line.instructions)
        if (instruction->is_branch && instruction->counters.divergent != 0)
          reached += instruction->counters.warps;
      const double split = number(line.sum.divergent);
      if (reached == 0 || split < number(kernel.counters.divergent_branches) * 0.25 ||
          split < number(reached) * 0.1)
        continue;
      advice.line(
          kernel, line, without_idle_lanes(kernel),
          percent_text(split / number(reached)) +
              " of the warps that come to this branch split: some of "
              "their threads wait while the others run. On average " +
              lanes_text(kernel.lanes()) +
              " of 32 lanes are active in this kernel. Make the condition the same for the 32 "
              "neighbouring threads of a warp (by threadIdx.x / 32, or by sorting the work), or compute "
              "both sides without a branch; a loop that threads leave at different times counts too.");
    }
  }
}

void partial_warps(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    if (possible_lanes(kernel) > 28) continue;
    const u64 last = threads(kernel) % 32;
    advice.kernel(kernel, kernel.share_with({{"issue", possible_lanes(kernel) / 32}, {"latency", 0.9}}),
                  "a block of " + std::to_string(threads(kernel)) + " threads leaves " +
                      std::to_string(32 - last) +
                      " lanes of its last warp without a thread. Choose a multiple "
                      "of 32, for example 128 or 256.");
  }
}

/// Share of its registers that a kernel can often do with and not spill.
constexpr double kFewerRegisters = 0.75;

std::string lift_of(const KernelProfile& kernel, const sim::DeviceDescription& device) {
  const sim::KernelResources& r = kernel.longest->resources;
  const std::string& limit = kernel.longest->occupancy.limiter;
  const u64 warps = std::max<u64>(device.max_warps_per_sm / 2, 1);
  const u64 blocks = std::max<u64>(warps / warps_of_block(kernel), 1);
  if (limit == "registers") {
    const u64 registers = device.registers_per_sm / (warps * 32) / 8 * 8;
    const std::string use = "each thread uses " + std::to_string(r.registers) + " registers; with at most " +
                            std::to_string(registers) + " half of the warp slots could be filled: ";
    // Values that find no register go to memory, which costs more than few warps do.
    if (number(registers) < kFewerRegisters * number(r.registers))
      return use +
             "let each thread hold fewer values. Do not force it: __launch_bounds__ would spill them "
             "into memory";
    return use + "__launch_bounds__(" + std::to_string(threads(kernel)) + ", " + std::to_string(blocks) +
           ") asks the compiler for it";
  }
  if (limit == "shared memory")
    return "each block uses " + bytes_text(number(r.static_shared_bytes + r.dynamic_shared_bytes)) +
           " of shared memory; with at most " + bytes_text(number(device.shared_per_sm / blocks)) +
           " half of the warp slots could be filled: smaller tiles, or more threads on the same tile";
  if (limit == "blocks")
    return "an SM takes " + std::to_string(device.max_blocks_per_sm) + " blocks, and these have " +
           std::to_string(threads(kernel)) + " threads each: use blocks of 128 to 256 threads";
  if (limit == "barriers") return "the block's named barriers are used up: use fewer of them";
  return "";
}

void low_occupancy(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    const sim::Occupancy& occupancy = kernel.longest->occupancy;
    if (occupancy.fraction >= 0.5 || closeness(kernel, "latency") < 0.6) continue;
    const std::string lift = lift_of(kernel, program.device);
    if (lift.empty()) continue;
    advice.kernel(kernel, kernel.share_with({{"latency", std::max(0.4, occupancy.fraction / 0.5)}}),
                  "occupancy is " + percent_text(occupancy.fraction) + ", limited by " + occupancy.limiter +
                      ": " + lift + ". More warps hide the waiting of each.");
  }
}

void small_grid(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    const u64 blocks = kernel.longest->grid.count(), sms = program.device.sms;
    if (blocks >= sms || instructions_a_warp(kernel) < 256) continue;
    const double factor = std::max(number(blocks) / number(sms), 0.05);
    const u64 all = blocks * threads(kernel), held = sms * u64{program.device.max_warps_per_sm} * 32;
    if (all < 32) {
      advice.kernel(kernel, factor,
                    std::to_string(all) + (all == 1 ? " thread does" : " threads do") +
                        " all the work; this GPU holds " + std::to_string(held) +
                        " at a time. Give each element a thread: blockIdx.x * blockDim.x + threadIdx.x, and "
                        "(n + block - 1) / block blocks.");
      continue;
    }
    advice.kernel(kernel, factor,
                  "the grid has " + std::to_string(blocks) + (blocks == 1 ? " block" : " blocks") +
                      ", the GPU " + std::to_string(sms) + " SMs: " + std::to_string(sms - blocks) +
                      " of them idle, while each thread executes " + count_text(instructions_a_warp(kernel)) +
                      " instructions. Spread the work over more blocks, at least two for each SM.");
  }
}

/// In a shorter kernel the launch itself costs more than its last wave.
constexpr double kWorthATail = 20e-6;

void tail_effect(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    const double resident = number(u64{kernel.longest->occupancy.blocks_per_sm} * program.device.sms);
    const double waves = resident > 0 ? number(kernel.longest->grid.count()) / resident : 0;
    const double mean = kernel.seconds / number(kernel.launches);
    if (waves <= 1 || std::ceil(waves) / waves < 1.25 || closeness(kernel, "latency") < 0.8 ||
        mean < kWorthATail)
      continue;
    advice.kernel(
        kernel, kernel.share_with({{"latency", waves / std::ceil(waves)}}),
        "the blocks run in " + format_number("%.2f", waves) + " waves of " + count_text(resident) +
            ": in the last one most SMs idle. Choose the grid as a multiple of that, or smaller blocks, "
            "or a grid-stride loop.");
  }
}

/// The load whose sectors come from furthest away.
const LineProfile* farthest_load(const KernelProfile& kernel) {
  const LineProfile* found = nullptr;
  u64 most = 0;
  for (const LineProfile& line : kernel.lines)
    if (line.sum.l2_read_sectors > most) {
      most = line.sum.l2_read_sectors;
      found = &line;
    }
  return found;
}

/// ", and a warp waits 80 % of it for memory (long scoreboard)"; empty where that is not what it waits for.
std::string waits_for_memory(const KernelProfile& kernel) {
  const auto reasons = by_time(kernel.stalls);
  if (reasons.empty() || reasons.front().first != sim::Stall::kLongScoreboard) return "";
  return ", and a warp waits " + percent_text(reasons.front().second / kernel.stalls.sum()) +
         " of it for memory (" + name_of(sim::Stall::kLongScoreboard) + ")";
}

void few_bytes_in_flight(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    const LineProfile* load = farthest_load(kernel);
    if (limiter(kernel) != "latency" || load == nullptr || kernel.bounds.size() < 2) continue;
    const double next = kernel.bounds[1].second / top(kernel);
    if (next > 0.6 || kernel.seconds / number(kernel.launches) < 10e-6 || instructions_a_warp(kernel) < 64 ||
        kernel.longest->grid.count() < program.device.sms)
      continue;
    const sim::DeviceDescription& d = program.device;
    const double needed = d.dram_latency / (d.clock_mhz * 1e6) * d.dram_gbps * 1e9;
    advice.line(
        kernel, *load, std::max(next, 0.3),
        "the kernel waits: its busiest unit (" + kernel.bounds[1].first + ") works " + percent_text(next) +
            " of the time" + waits_for_memory(kernel) + ". To keep the memory busy " + bytes_text(needed) +
            " must be under way at any time, as latency times bandwidth. Start several independent loads "
            "before the first value is used (unroll the loop by 4), load vectors, or run more warps.");
  }
}

void uneven_warps(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    const double even = number(kernel.counters.even_warp_instructions);
    const double warps = even > 0 ? number(kernel.counters.busiest_warp_instructions) / even : 1;
    const double blocks =
        even > 0 ? number(kernel.counters.busiest_block_instructions) * kernel.blocks / even : 1;
    const bool matters = kind_of_bound(limiter(kernel)) != BoundKind::kMemory;
    if (!matters || instructions_a_warp(kernel) < 64) continue;
    if (warps >= 1.5)
      advice.kernel(
          kernel, kernel.share_with({{"latency", 1 / warps}}),
          "the busiest warp of a block executes " + format_number("%.1f", warps) +
              " times as many instructions as the average one; the others wait for it. Share the work "
              "out evenly, for example with a loop over blockDim.x.");
    else if (blocks >= 2 && kernel.blocks > 1)
      advice.kernel(kernel, kernel.share_with({{"latency", 1 / blocks}}),
                    "the busiest block executes " + format_number("%.1f", blocks) +
                        " times as many instructions as the average one. Share the work out evenly: smaller "
                        "pieces, or blocks that fetch their next piece with an atomic counter.");
  }
}

void barriers(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    const double share = number(kernel.counters.barriers) / std::max(1.0, kernel.warp_instructions());
    if (share < 0.08 || limiter(kernel) != "latency" || instructions_a_warp(kernel) < 64) continue;
    const LineProfile* most = nullptr;
    for (const LineProfile& line : kernel.lines) {
      const bool waits = std::any_of(line.instructions.begin(), line.instructions.end(),
                                     [](const auto* i) { return i->is_barrier; });
      if (waits && (most == nullptr || line.sum.warps > most->sum.warps)) most = &line;
    }
    if (most == nullptr) continue;
    advice.line(kernel, *most, kernel.share_with({{"latency", 0.7}}),
                "one of " + format_number("%.0f", 1 / share) + " instructions waits at a barrier" +
                    (kernel.stalls.sum() > 0
                         ? ", " + percent_text(kernel.stalls[sim::Stall::kBarrier] / kernel.stalls.sum()) +
                               " of a warp's time"
                         : std::string()) +
                    ". Do more between two barriers (a larger tile, two buffers), "
                    "or let a warp work alone with __shfl_sync or __syncwarp.");
  }
}

/// Double precision that nobody asked for: float values made double and back.
void accidental_double(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    const double all = number(kernel.counters.pipe_warps[static_cast<size_t>(Pipe::kFp64)]);
    if (all == 0) continue;
    for (const LineProfile& line : kernel.lines) {
      u64 doubles = 0;
      bool converts = false;
      for (const sim::LineRecord* instruction : line.instructions) {
        if (instruction->pipe == Pipe::kFp64) doubles += instruction->counters.warps;
        converts = converts || instruction->widens;
      }
      if (!converts || number(doubles) < all * 0.1) continue;
      advice.line(
          kernel, line, kernel.share_with({{"FP64", 1 - number(doubles) / all}}),
          "float values become double and go through the double-precision units, which are slower by a "
          "factor of " +
              format_number("%.0f", program.device.fma_rate / program.device.fp64_rate) +
              " on this GPU. A constant without f is a double: write 2.0f, and sqrtf, expf instead of "
              "sqrt, exp.");
    }
  }
}

/// What to do instead of an operation without an instruction of its own; null when it is fast.
const char* faster_way(const sim::LineRecord& instruction) {
  constexpr unsigned kOneInstruction = 4;
  if (instruction.issue <= kOneInstruction) return nullptr;
  const bool is_float = instruction.type.kind == sim::ptx::Type::Kind::kFloat,
             is_wide = instruction.type.bits == 64;
  switch (instruction.arithmetic) {
    case sim::Arithmetic::kQuotient:
      if (is_float)
        return is_wide ? "multiply by a reciprocal computed once"
                       : "multiply by a reciprocal computed once, or use __fdividef or -use_fast_math";
      return is_wide ? "use 32-bit integers, or a shift for powers of two"
                     : "make the divisor a compile-time constant, or use a shift";
    case sim::Arithmetic::kRemainder:
      return is_wide ? "use 32-bit integers, or a mask for powers of two"
                     : "make the divisor a compile-time constant, or use a mask";
    case sim::Arithmetic::kReciprocal:
      return "use __fdividef(1, x), or -use_fast_math";
    case sim::Arithmetic::kRoot:
      return "use rsqrtf, or -use_fast_math";
    default:
      return nullptr;
  }
}

void slow_arithmetic(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    if (kind_of_bound(limiter(kernel)) == BoundKind::kMemory) continue;
    for (const LineProfile& line : kernel.lines) {
      double slots = 0, most = 0;
      const sim::LineRecord* worst = nullptr;
      for (const sim::LineRecord* instruction : line.instructions) {
        if (faster_way(*instruction) == nullptr) continue;
        const double here = number(instruction->counters.warps * instruction->issue);
        slots += here;
        if (here > most) {
          most = here;
          worst = instruction;
        }
      }
      const double share = slots / std::max(1.0, number(kernel.counters.issue_slots));
      if (worst == nullptr || share < 0.25) continue;
      const std::string opcode(sim::spelling_in(worst->ptx));
      advice.line(kernel, line, 1 - share * 0.7,
                  opcode + " has no machine instruction of its own: it becomes about " +
                      std::to_string(worst->issue) + ", here " + percent_text(share) +
                      " of what the kernel issues. If you can, " + faster_way(*worst) + ".");
    }
  }
}

}  // namespace

std::vector<AdviceRule> kernel_rules() {
  return {
      {"divergent-branch", "Threads of a warp take different sides of a branch", divergence},
      {"partial-warp", "The block size is not a multiple of 32", partial_warps},
      {"low-occupancy", "Too few warps fit on an SM to hide latency", low_occupancy},
      {"small-grid", "The grid is too small to fill the GPU", small_grid},
      {"tail-effect", "The last wave of blocks leaves most SMs idle", tail_effect},
      {"latency-bound", "Too few bytes are in flight to keep the memory busy", few_bytes_in_flight},
      {"uneven-work", "Warps or blocks differ in how much they do", uneven_warps},
      {"frequent-barrier", "Little work lies between two barriers", barriers},
      {"accidental-double", "Single-precision code computes in double precision", accidental_double},
      {"slow-arithmetic", "Arithmetic without an instruction of its own takes much of the time",
       slow_arithmetic},
  };
}

}  // namespace roofline::grader
