// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "simulator/bind/function_builder.h"

namespace roofline::sim {

namespace {

constexpr Slot Instruction::*kPositions[] = {&Instruction::a, &Instruction::b, &Instruction::c};

bool is_register(Slot slot) { return slot.bits != 0 && slot.bank() == 0; }

bool reads_three_registers(const Instruction& in) {
  return is_register(in.a) && is_register(in.b) && is_register(in.c) && in.a != in.b && in.b != in.c &&
         in.a != in.c;
}

bool depends_on(const Instruction& in, const Instruction& earlier) {
  return in.a == earlier.d || in.b == earlier.d || in.c == earlier.d;
}

/// The operand cache holds what the previous instruction read at the same position; ptxas does not put an
/// instruction right behind the one it depends on.
bool reuses(const Instruction& in, const Instruction& earlier) {
  if (depends_on(in, earlier)) return false;
  return in.a == earlier.a || in.b == earlier.b || in.c == earlier.c;
}

}  // namespace

/// Three distinct register sources need three reads of a register file with two ports, unless the operand
/// cache holds one of them: from the instruction before, or because most FMAs of the block share it.
void FunctionBuilder::note_operand_ports() {
  for (const ControlFlowGraph::Block& block : graph_.blocks()) {
    std::vector<const Instruction*> fmas;
    const Instruction* earlier = nullptr;
    std::map<std::pair<int, u32>, u32> readers;
    std::set<u32> written;
    for (u32 i = code_begin_[block.begin]; i < code_begin_[block.end]; ++i) {
      const Instruction& in = result_.code[i];
      if (in.hidden) continue;
      if (kernel_.info[in.index].cost.pipe == Pipe::kFma) written.insert(in.d.bits);  // accumulators
      if (kernel_.info[in.index].cost.pipe == Pipe::kFma && reads_three_registers(in)) {
        kernel_.info[in.index].three_register_sources = earlier == nullptr || !reuses(in, *earlier);
        fmas.push_back(&in);
        for (int p = 0; p < 3; ++p) ++readers[{p, (in.*kPositions[p]).bits}];
      }
      earlier = &in;
    }
    const auto is_shared = [&](int position, u32 row) {
      return fmas.size() > 1 && !written.contains(row) && readers[{position, row}] * 2 > fmas.size();
    };
    for (const Instruction* in : fmas)
      for (int p = 0; p < 3; ++p)
        if (is_shared(p, (in->*kPositions[p]).bits)) kernel_.info[in->index].three_register_sources = false;
  }
}

}  // namespace roofline::sim
