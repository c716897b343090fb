// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "grader/base/units.h"
#include "grader/profile/advisor.h"

/// Rules about memory accesses of single lines.
namespace roofline::grader {
namespace {

using sim::InstructionCounters;
using sim::LineRecord;
using sim::u64;

/// A pattern is worth a word when it costs this much more than it had to ...
constexpr double kWasteful = 1.5;
/// ... and the line causes this much of the kernel's unnecessary work of that kind.
constexpr double kWorthMentioning = 0.10;

using sim::number;

std::string one_digit(double value) { return format_number(value < 9.95 ? "%.2g" : "%.0f", value); }

const char* verb(const sim::LineRecord& instruction) {
  return instruction.is_atomic ? "atomic" : instruction.is_store ? "store" : "load";
}

/// The instruction of a line that wastes most.
const sim::LineRecord* worst(const LineProfile& line, u64 InstructionCounters::*actual,
                             u64 InstructionCounters::*ideal) {
  const sim::LineRecord* found = nullptr;
  u64 most = 0;
  for (const sim::LineRecord* instruction : line.instructions) {
    const u64 is = instruction->counters.*actual, needed = instruction->counters.*ideal;
    if (is <= needed || is - needed <= most) continue;
    most = is - needed;
    found = instruction;
  }
  return found;
}

std::string bytes_word(long long bytes) {
  const long long size = std::llabs(bytes);
  return std::to_string(size) + (size == 1 ? " byte" : " bytes") +
         (bytes < 0 ? " apart, downwards" : " apart");
}

/// "neighbours in the warp read addresses 128 bytes apart"
std::string neighbours(const sim::LineRecord& instruction) {
  const InstructionCounters& c = instruction.counters;
  const std::string doing = instruction.is_store ? "write" : instruction.is_atomic ? "update" : "read";
  if (c.irregular * 2 > c.requests || c.stride_low > c.stride_high)
    return "the lanes of a warp " + doing + " scattered addresses";
  if (c.stride_low == c.stride_high)
    return "neighbours in the warp " + doing + " addresses " + bytes_word(c.stride_low);
  return "neighbours in the warp " + doing + " addresses " + std::to_string(c.stride_low) + " to " +
         std::to_string(c.stride_high) + " bytes apart";
}

/// Two or four elements that lie side by side, fetched one by one: the size of the vector in bytes.
unsigned vector_bytes(const LineProfile& line, const sim::LineRecord& instruction) {
  const InstructionCounters& c = instruction.counters;
  const unsigned width = instruction.width;
  if (c.stride_low != c.stride_high || c.stride_low <= 0 || instruction.is_atomic) return 0;
  const auto stride = static_cast<unsigned>(c.stride_low);
  if (stride > 16 || (stride != 2 * width && stride != 4 * width)) return 0;
  const auto same =
      std::count_if(line.instructions.begin(), line.instructions.end(), [&](const sim::LineRecord* other) {
        return other->counters.stride_low == c.stride_low && other->is_store == instruction.is_store;
      });
  return static_cast<unsigned>(same) * width >= stride ? stride : 0;
}

/// "float4": a type of `bytes` bytes that holds elements of `width` bytes.
std::string vector_name(unsigned bytes, unsigned width) {
  if (width == 1) return bytes == 16 ? "uint4" : bytes == 8 ? "uint2" : "uchar" + std::to_string(bytes);
  if (width == 2) return bytes == 4 ? "half2" : "uint" + std::to_string(bytes / 4);
  return (width == 8 ? "double" : "float") + std::to_string(bytes / width);
}

std::string uncoalesced_hint(const sim::LineRecord& instruction) {
  const InstructionCounters& c = instruction.counters;
  if (c.irregular * 2 > c.requests)
    return "Order the data or the work so that neighbouring threads use neighbouring elements, or fetch "
           "whole "
           "rows into shared memory first.";
  if (c.stride_low == c.stride_high && std::labs(c.stride_low) == static_cast<long>(instruction.width))
    return "Neighbouring threads use neighbouring elements, but few of a warp take part or the rows start "
           "between two sectors: pad the rows to a multiple of 32 bytes.";
  return "Let neighbouring threads (threadIdx.x) use neighbouring elements: swap the indices, or go through "
         "a "
         "tile in shared memory.";
}

std::string sectors_sentence(const sim::LineRecord& instruction) {
  const InstructionCounters& c = instruction.counters;
  return std::string("this ") + verb(instruction) + " touches " +
         one_digit(number(c.sectors) / number(c.requests)) + " sectors a warp request, " +
         one_digit(number(c.ideal_sectors) / number(c.requests)) + " would do: " + neighbours(instruction) +
         ".";
}

/// What remains of a kernel's time when a share of its sectors goes away.
double without_sectors(const KernelProfile& kernel, double saved) {
  const double all = kernel.traffic();
  const double factor = all > 0 ? std::max(0.0, 1 - saved / all) : 1;
  return kernel.share_with({{"DRAM", factor}, {"L2", factor}, {"L1", factor}});
}

/// What remains of a kernel's time when a line asks for the fewest sectors. Those that it finds in L1 today
/// cost L1 alone.
double without_waste(const KernelProfile& kernel, const LineProfile& line) {
  const double all = kernel.traffic(), all_beyond = all - number(kernel.counters.l1_hit_sectors);
  const double actual = number(line.sum.sectors), ideal = number(line.sum.ideal_sectors);
  const double beyond = actual - number(line.sum.l1_hit_sectors);
  const auto factor = [](double saved, double of) {
    return of > 0 ? std::clamp(1 - saved / of, 0.0, 1.0) : 1;
  };
  const double further = factor(beyond - ideal, all_beyond);
  return kernel.share_with({{"DRAM", further}, {"L2", further}, {"L1", factor(actual - ideal, all)}});
}

void each_wasteful_line(const ProgramProfile& program, bool vectors, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    for (const LineProfile& line : kernel.lines) {
      const sim::LineRecord* found =
          worst(line, &InstructionCounters::sectors, &InstructionCounters::ideal_sectors);
      if (found == nullptr) continue;
      const double actual = number(line.sum.sectors), ideal = number(line.sum.ideal_sectors);
      if (number(found->counters.sectors) < number(found->counters.ideal_sectors) * kWasteful ||
          actual - ideal < kernel.traffic() * kWorthMentioning)
        continue;
      const unsigned bytes = vector_bytes(line, *found);
      if ((bytes != 0) != vectors) continue;
      const std::string hint =
          vectors ? "Each thread takes " + std::to_string(bytes) +
                        " bytes side by side, piece by piece: take them with one access, as a " +
                        vector_name(bytes, found->width) + " or another " + std::to_string(bytes) +
                        "-byte vector."
                  : uncoalesced_hint(*found);
      advice.line(kernel, line, without_waste(kernel, line), sectors_sentence(*found) + " " + hint);
    }
  }
}

void uncoalesced(const ProgramProfile& program, Advice& advice) {
  each_wasteful_line(program, false, advice);
}
void scalar_access(const ProgramProfile& program, Advice& advice) {
  each_wasteful_line(program, true, advice);
}

/// Rows of a fragment, and accesses of 16 bytes, begin at multiples of 16 bytes: one element more would
/// misalign them.
constexpr const char* kPadWide = "Pad the rows by 16 bytes: 8 halves or 4 floats. Less would misalign them.";

std::string bank_hint(const sim::LineRecord& instruction, bool fragments) {
  const InstructionCounters& c = instruction.counters;
  const bool regular = c.stride_low == c.stride_high && c.irregular * 2 <= c.requests;
  if (!regular) return "Spread the addresses of a warp over the 32 banks of 4 bytes.";
  const long stride = std::labs(c.stride_low);
  std::string text = neighbours(instruction) + ", so they meet in the same of the 32 banks. ";
  text[0] = 'N';
  const unsigned width = instruction.width;
  if (stride % 128 == 0 && stride != 0 && (fragments || width > 4)) return text + kPadWide;
  if (stride % 128 == 0 && stride != 0)
    return text + "Pad the rows by one element: [" + std::to_string(stride / std::max(width, 1u)) + " + 1].";
  // Rows that are an odd number of 16 bytes apart begin in different banks.
  if ((fragments || width == 16) && stride >= 64 && stride % 32 == 0) return text + kPadWide;
  if (width > 4)  // an odd number of words would misalign it
    return text + "Accesses of " + std::to_string(width) + " bytes are served for " +
           std::to_string(128 / width) + " lanes at a time: those should touch each bank once.";
  return text + "Make the distance an odd number of 4-byte words, for example by padding.";
}

void bank_conflicts(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    const double all = number(kernel.counters.shared_wavefronts);
    bool on_tensor_cores = false;
    for (size_t type = 0; type < kernel.counters.flops.size(); ++type)
      on_tensor_cores = on_tensor_cores ||
                        (sim::is_tensor(static_cast<sim::FlopType>(type)) && kernel.counters.flops[type] > 0);
    for (const LineProfile& line : kernel.lines) {
      const sim::LineRecord* found =
          worst(line, &InstructionCounters::wavefronts, &InstructionCounters::ideal_wavefronts);
      if (found == nullptr || found->is_atomic) continue;
      const double ways = number(found->counters.wavefronts) / number(found->counters.ideal_wavefronts);
      const double wasted = number(line.sum.wavefronts - line.sum.ideal_wavefronts);
      if (ways < kWasteful || wasted < all * kWorthMentioning) continue;
      advice.line(kernel, line,
                  kernel.share_with({{"shared", 1 - wasted / all}, {"latency", 1 - wasted / all / 2}}),
                  one_digit(ways) + "-way bank conflict: this " + verb(*found) + " takes " +
                      one_digit(number(found->counters.wavefronts) / number(found->counters.requests)) +
                      " passes over shared memory a warp request, " +
                      one_digit(number(found->counters.ideal_wavefronts) / number(found->counters.requests)) +
                      " would do. " + bank_hint(*found, on_tensor_cores));
    }
  }
}

/// What a line does with local memory, without what ptxas added for lack of registers.
struct ArrayUse {
  u64 requests = 0, sectors = 0;
};
ArrayUse array_use(const LineProfile& line) {
  ArrayUse use;
  for (const auto* instruction : line.instructions) {
    if (instruction->is_spill) continue;
    use.requests += instruction->counters.local_requests;
    use.sectors += instruction->counters.local_sectors;
  }
  return use;
}

void local_memory(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    ArrayUse all;
    for (const LineProfile& line : kernel.lines) {
      const ArrayUse use = array_use(line);
      all.requests += use.requests;
      all.sectors += use.sectors;
    }
    if (all.requests == 0 || number(all.sectors) < kernel.traffic() * kWorthMentioning) continue;
    for (const LineProfile& line : kernel.lines) {
      const ArrayUse use = array_use(line);
      if (number(use.requests) < number(all.requests) * 0.25) continue;
      advice.line(
          kernel, line, without_sectors(kernel, number(use.sectors)),
          "this line moves " + count_text(number(use.sectors)) + " sectors of local memory, " +
              percent_text(number(use.sectors) / kernel.traffic()) +
              " of the kernel's traffic: an array that is indexed at run time lies in memory, and so does "
              "what "
              "printf is given. Unroll the loops over the array (#pragma unroll, constant bounds) so that it "
              "stays in registers, or put it in shared memory.");
    }
  }
}

void spills(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    const sim::KernelResources& resources = kernel.longest->resources;
    if (resources.spill_bytes == 0) continue;
    advice.kernel(kernel, 0.95,
                  "the compiler spilled " + std::to_string(resources.spill_bytes) +
                      " bytes a thread out of " + std::to_string(resources.registers) +
                      " registers into local memory. Allow more registers (__launch_bounds__ with fewer "
                      "threads or no minimum of blocks, -maxrregcount), or keep fewer values alive.");
  }
}

void atomics(const ProgramProfile& program, Advice& advice) {
  for (const KernelProfile& kernel : program.kernels) {
    const LineProfile* most = nullptr;
    u64 turns = 0;
    for (const LineProfile& line : kernel.lines)
      if (line.sum.atomic_turns > turns) {
        turns = line.sum.atomic_turns;
        most = &line;
      }
    if (most == nullptr) continue;
    u64 requests = 0;
    bool is_shared = false;
    for (const auto* instruction : most->instructions)
      if (instruction->is_atomic) {
        requests += instruction->counters.requests;
        is_shared = is_shared || instruction->counters.wavefronts != 0;
      }
    const double a_request = number(turns) / number(std::max<u64>(requests, 1));
    const double left =
        is_shared ? kernel.share_with({{"shared", 0.2}}) : kernel.share_with({{"atomics", 0.05}});
    const bool hot = kernel.counters.atomic_same_address_max * 8 > kernel.counters.atomic_lanes;
    // One a block, by one lane: there is nothing left to combine.
    const bool combined = a_request < 2 && number(requests) <= kernel.blocks;
    if (left > 0.9 || combined || (a_request < 4 && !hot)) continue;
    std::string text = "the atomics here take turns: " + one_digit(a_request) +
                       " lanes of a warp meet on one address a request";
    if (!is_shared && kernel.counters.atomic_same_address_max > 1)
      text += ", and one address is updated " + count_text(number(kernel.counters.atomic_same_address_max)) +
              " times";
    advice.line(
        kernel, *most, left,
        text +
            ". Combine first: a sum in the warp (__shfl_down_sync, __reduce_add_sync), then in shared "
            "memory, then one atomic a block.");
  }
}

}  // namespace

std::vector<AdviceRule> memory_rules() {
  return {
      {"uncoalesced-access", "A warp's global access touches more sectors than its bytes need", uncoalesced},
      {"scalar-access", "Neighbouring elements of one thread are accessed one by one", scalar_access},
      {"bank-conflict", "Lanes of a warp meet in one bank of shared memory", bank_conflicts},
      {"local-array", "An array lies in local memory instead of registers", local_memory},
      {"register-spill", "Values were spilled from registers to local memory", spills},
      {"atomic-contention", "Atomic operations of many threads meet on one address", atomics},
  };
}

}  // namespace roofline::grader
