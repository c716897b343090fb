// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/result/counter_names.h"

#include <algorithm>
#include <stdexcept>

#include "grader/text/terminal.h"

namespace roofline::grader {
namespace {

// As the source page and the sections of Nsight Compute 2025.3 call them. Ours are counted for PTX, theirs
// for the machine code: instructions may differ a little, what an access costs may not.
constexpr CounterName kCounterNames[] = {
    {"instr%", "warp instructions, share", "inst_executed"},
    {"wait%", "time of warps that do not issue, share", "smsp__pcsamp_warps_issue_stalled_*"},
    {"lanes", "active threads of a warp", "derived__avg_thread_executed"},
    {"split%", "branches whose threads disagree", "smsp__branch_targets_threads_divergent"},
    {"sectors", "sectors of global memory / ideal",
     "memory_l2_theoretical_sectors_global / memory_l2_theoretical_sectors_global_ideal"},
    {"traffic%", "sectors with local memory, share",
     "memory_l2_theoretical_sectors_global + memory_l2_theoretical_sectors_local"},
    {"L1%", "sectors that L1 held", "l1tex__t_sector_hit_rate.pct"},
    {"L2%", "sectors that L2 held", "lts__t_sector_op_read_hit_rate.pct"},
    {"banks", "passes over shared memory / ideal",
     "memory_l1_wavefronts_shared / memory_l1_wavefronts_shared_ideal"}};

}  // namespace

std::span<const CounterName> counter_names() { return kCounterNames; }

std::string ncu_name(std::string_view column) {
  const auto found = std::ranges::find(kCounterNames, column, &CounterName::column);
  if (found == std::end(kCounterNames)) throw std::out_of_range("no counter " + std::string(column));
  return std::string(found->ncu);
}

std::string counter_names_text() {
  std::string text;
  for (const CounterName& each : kCounterNames)
    text += "  " + pad_right(each.column, 10) + std::string(each.what) +
            "\n            ncu: " + std::string(each.ncu) + "\n";
  return text;
}

}  // namespace roofline::grader
