// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/counter_sums.h"

#include <algorithm>

namespace roofline::sim {

void add_instructions(std::vector<InstructionCounters>& to, const std::vector<IssueCounters>& issued,
                      const std::vector<InstructionCounters>& from) {
  for (size_t i = 0; i < to.size(); ++i) {
    to[i].add(from[i]);
    to[i].warps += issued[i].warps;
    to[i].lanes += issued[i].lanes;
  }
}

void add_totals(KernelCounters& to, const KernelCounters& from) {
  for (const auto sum : kCountedSums) to.*sum += from.*sum;
  for (const auto most : kMaxima) to.*most = std::max(to.*most, from.*most);
}

void derive_sums(KernelCounters& counters, const Kernel& kernel) {
  auto& list = counters.per_instruction;
  for (const Kernel::Elided& elided : kernel.elided) {
    list[elided.index].warps = list[elided.donor].warps;
    list[elided.index].lanes = list[elided.donor].lanes;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const InstructionInfo& info = kernel.info[i];
    if (info.text.empty()) {  // hidden instructions share this place
      list[i] = {};
      continue;
    }
    const InstructionCounters& count = list[i];
    const u64 slots = count.warps * info.cost.issue;
    counters.warp_instructions += count.warps;
    counters.lane_instructions += count.lanes;
    counters.issue_slots += slots;
    counters.pipe_warps[static_cast<size_t>(info.cost.pipe)] += count.warps * info.cost.pipe_slots();
    const bool a_warp = is_tensor(info.cost.flop_type);
    counters.flops[static_cast<size_t>(info.cost.flop_type)] +=
        (a_warp ? count.warps : count.lanes) * info.cost.flops;
    if (info.three_register_sources) counters.three_register_fma += count.warps;
    if (info.cost.pipe == Pipe::kTensor) counters.tensor_operations += count.warps;
  }
  for (u32 branch : kernel.branches) counters.branches += list[branch].warps;
}

}  // namespace roofline::sim
