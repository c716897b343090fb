// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/thread_recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "simulator/analysis/held_types.h"
#include "simulator/machine/access.h"
#include "simulator/machine/memory.h"
#include "simulator/program/address_windows.h"
#include "simulator/ptx/registers.h"

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;
using Space = ptx::Space;

u64 linear(Dim3 at, Dim3 size) { return at.x + u64{size.x} * (at.y + u64{size.y} * at.z); }

bool inside(Dim3 at, Dim3 size) { return at.x < size.x && at.y < size.y && at.z < size.z; }

Dim3 spread(u32 linear, Dim3 size) {
  return {linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
}

std::string shape(Dim3 d) {
  return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
}

const ptx::Operand* address_operand(const ptx::Instruction& in) {
  const auto found = std::find_if(in.operands.begin(), in.operands.end(),
                                  [](const ptx::Operand& o) { return o.kind == Kind::kAddress; });
  return found == in.operands.end() ? nullptr : &*found;
}

}  // namespace

bool find_thread(const ThreadRequest& request, Dim3 grid, Dim3 block_size, ThreadRecord& record) {
  record.grid = grid;
  record.block_size = block_size;
  record.block = request.block_is_linear ? spread(request.block.x, grid) : request.block;
  record.thread = request.thread_is_linear ? spread(request.thread.x, block_size) : request.thread;
  record.found = inside(record.block, grid) && inside(record.thread, block_size);
  if (!inside(record.block, grid)) {
    record.problem = "the grid has " + shape(grid) + " blocks, there is no such block";
  } else if (!record.found) {
    record.problem = "a block has " + shape(block_size) + " threads, there is no such thread";
  }
  return record.found;
}

ThreadRecorder::ThreadRecorder(const Grid& grid, u64 most_steps, ThreadRecord& record)
    : grid_(grid), record_(record), most_steps_(most_steps) {
  block_ = linear(record.block, grid.size);
  const u64 thread = linear(record.thread, grid.block);
  warp_ = static_cast<u32>(thread / kWarpSize);
  lane_ = static_cast<u32>(thread % kWarpSize);
  is_copy_.resize(grid.kernel->info.size());
  for (const Kernel::Elided& elided : grid.kernel->elided) is_copy_[elided.index] = true;
}

void ThreadRecorder::before(const Warp& w, const Instruction& in, u32 active, u32 together) {
  if (in.hidden) return;  // part of the instruction before or after it
  settle_outputs();
  if ((together >> lane_ & 1u) == 0) return other_lanes(w, in);
  copies_before(w, *w.function, in.index, together);
  own(w, in, active);
  last_index_ = in.index;
}

void ThreadRecorder::undo() {
  if (!open_.is_open) return;
  record_.steps.resize(open_.step);
  --record_.executed;
  open_.is_open = false;
}

void ThreadRecorder::finish() { settle_outputs(); }

/// Other threads of the warp run while this one waits for them: one step for the whole stretch.
void ThreadRecorder::other_lanes(const Warp& w, const Instruction& in) {
  if ((w.exited >> lane_ & 1u) != 0 || full()) return;
  const u32 index = instruction(*w.function, in.index);
  if (record_.steps.empty() || record_.steps.back().kind != ThreadRecord::Kind::kInactive)
    step(w, ThreadRecord::Kind::kInactive, in.index);
  ThreadRecord::Step& stretch = record_.steps.back();
  stretch.last = index;
  ++stretch.count;
}

/// Moves that cost nothing are not executed; they belong to the instruction that follows them, unless that is
/// where a branch leads.
void ThreadRecorder::copies_before(const Warp& w, const Function& function, u32 index, u32 lanes) {
  const Text& text = text_of(function);
  u32 first = index;
  while (first > function.first_index && is_copy_[first - 1]) {
    const bool came_by_branch = last_index_ + 1 != first && text.is_label[first - function.first_index];
    if (came_by_branch) break;
    --first;
  }
  for (; first < index && !full(); ++first) {
    ThreadRecord::Step& copied = step(w, ThreadRecord::Kind::kCopied, first);
    copied.lanes = static_cast<u32>(std::popcount(lanes));
    read(w, function, first, true, copied.values);
  }
}

void ThreadRecorder::own(const Warp& w, const Instruction& in, u32 active) {
  ++record_.executed;
  if (full()) return;
  const bool runs = (active >> lane_ & 1u) != 0;
  const Function& function = *w.function;
  ThreadRecord::Step& now =
      step(w, runs ? ThreadRecord::Kind::kExecuted : ThreadRecord::Kind::kSkipped, in.index);
  now.lanes = static_cast<u32>(std::popcount(active));
  read(w, function, in.index, false, now.values);
  if (runs) locate(w, in, now);
  open_ = {true, record_.steps.size() - 1, &function, in.index, {w.bank[0], w.bank[1]}};
}

/// Registers are private to a lane, so they still hold what the instruction left in them when the warp comes
/// to its next one.
void ThreadRecorder::settle_outputs() {
  if (!open_.is_open) return;
  open_.is_open = false;
  ThreadRecord::Step& step = record_.steps[open_.step];
  if (step.kind != ThreadRecord::Kind::kExecuted) return;
  Lanes lanes;
  lanes.bank[0] = open_.bank[0];
  lanes.bank[1] = open_.bank[1];
  read(lanes, *open_.function, open_.index, true, step.values);
}

ThreadRecord::Step& ThreadRecorder::step(const Warp& w, ThreadRecord::Kind kind, u32 index) {
  ThreadRecord::Step& step = record_.steps.emplace_back();
  step.kind = kind;
  step.instruction = step.last = instruction(*w.function, index);
  for (const Frame* f = w.frame; f->caller != nullptr; f = f->caller) ++step.depth;
  return step;
}

const ThreadRecorder::Text& ThreadRecorder::text_of(const Function& function) {
  const auto [place, is_new] = texts_.try_emplace(&function);
  if (!is_new) return place->second;
  Text& text = place->second;
  for (u32 i = 0; i < function.registers.size(); ++i) text.rows.emplace(*function.registers[i].name, i);
  text.is_label.resize(function.source->instructions.size() + 1);
  for (const ptx::Label& label : function.source->labels) text.is_label[label.instruction] = true;
  return text;
}

u32 ThreadRecorder::instruction(const Function& function, u32 index) {
  const auto [place, is_new] =
      instructions_.try_emplace(index, static_cast<u32>(record_.instructions.size()));
  if (!is_new) return place->second;
  const InstructionInfo& info = grid_.kernel->info[index];
  ThreadRecord::Instruction& known = record_.instructions.emplace_back();
  known.text = info.text;
  known.function = function.name;
  known.line = info.source.line;
  known.ptx_line = info.at.line;
  known.guard = info.guard;
  known.branches = info.traits.flow == Flow::kBranch || info.traits.flow == Flow::kBranchList;
  known.is_barrier = is_barrier(info.traits.gathers);
  known.held = held_types(function.source->instructions[index - function.first_index], info.traits);
  if (const auto file = grid_.kernel->files.find(info.source.file);
      known.line != 0 && file != grid_.kernel->files.end())
    known.file = file->second;
  return place->second;
}

u32 ThreadRecorder::register_name(const Function& function, u32 place) {
  const Function::NamedRow& row = function.registers[place];
  const auto [known, is_new] = registers_.try_emplace(&row, static_cast<u32>(record_.registers.size()));
  if (is_new) record_.registers.push_back({*row.name, row.type});
  return known->second;
}

bool ThreadRecorder::value_of(const Lanes& lanes, const Function& function, const std::string& name,
                              ThreadRecord::Value& value) {
  const Text& text = text_of(function);
  const auto found = text.rows.find(name);
  if (found == text.rows.end()) return false;
  const Function::NamedRow& row = function.registers[found->second];
  value.name = register_name(function, found->second);
  if (row.type.kind == ptx::Type::Kind::kPredicate) {
    value.low = lanes.predicate(row.slot) >> lane_ & 1u;
    return true;
  }
  const u32 bytes = row.type.bits <= 8 ? 1 : row.type.bits / 8u;
  u64 image[2] = {0, 0};
  std::memcpy(image, lanes.row<u8>(row.slot) + lane_ * bytes, std::min<u32>(bytes, 16));
  value.low = image[0];
  value.high = image[1];
  return true;
}

void ThreadRecorder::read(const Lanes& lanes, const Function& function, u32 index, bool outputs,
                          std::vector<ThreadRecord::Value>& values) {
  const ptx::Instruction& in = function.source->instructions[index - function.first_index];
  const auto add = [&](const std::string& name) {
    ThreadRecord::Value value;
    value.written = outputs;
    if (!value_of(lanes, function, name, value)) return;
    const bool known = std::any_of(values.begin(), values.end(), [&](const ThreadRecord::Value& v) {
      return v.name == value.name && v.written == outputs;
    });
    if (!known) values.push_back(value);
  };
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const bool written = i == 0 && grid_.kernel->info[index].traits.writes_first;
    if (written == outputs) each_register(in.operands[i], add);
  }
  if (in.call) {
    if (outputs) return;  // known when the callee returns, not now
    for (const ptx::Operand& argument : in.call->arguments) each_register(argument, add);
    each_register(in.call->target, add);
  }
  if (!outputs && !in.guard.empty()) add(in.guard);
}

void ThreadRecorder::locate(const Warp& w, const Instruction& in, ThreadRecord::Step& step) {
  const Function& function = *w.function;
  const ptx::Operand* operand =
      address_operand(function.source->instructions[in.index - function.first_index]);
  if (operand == nullptr) return;
  const InstructionInfo& info = grid_.kernel->info[in.index];
  if (info.traits.object) return;
  ThreadRecord::Value base;
  if (!operand->base_is_symbol && !operand->name.empty()) {
    if (!value_of(w, function, operand->name, base)) return;
    step.address = base.low + static_cast<u64>(operand->offset);
  } else if (info.is_load || info.is_store || info.is_atomic) {
    const bool narrow = (in.flags & kAccessNarrow) != 0;
    step.address =
        (narrow ? w.row<u32>(in.a)[lane_] : w.row<u64>(in.a)[lane_]) + static_cast<u64>(in.immediate);
  } else {
    return;
  }
  Space space = info.space;
  if (space == Space::kNone || space == Space::kGeneric) space = space_of(step.address);
  step.has_address = true;
  step.place = place_of(space, step.address, step.offset);
}

u32 ThreadRecorder::place_of(Space space, u64 address, u64& offset) {
  u64 begin = 0;
  ThreadRecord::Place place;
  const u64 in_window = address % kWindowBytes;
  if (space == Space::kShared) {
    place = {"shared memory", grid_.kernel->static_shared_bytes + grid_.dynamic_shared_bytes};
    begin = address - in_window;
  } else if (space == Space::kLocal || space == Space::kReg) {
    place = {"local memory", 0};
    begin = address - in_window;
  } else if (space == Space::kParam) {
    place = {"parameters", 0};
    begin = address - in_window;
  } else if (const Memory::Allocation* found = grid_.memory->find(address); found != nullptr) {
    begin = found->begin;
    place = {found->origin, found->end - found->begin};
    const Kernel& kernel = *grid_.kernel;
    for (size_t i = 0; i < kernel.parameter_offsets.size(); ++i) {
      u64 value = 0;
      if (kernel.parameter_sizes[i] != sizeof value) continue;
      std::memcpy(&value, grid_.parameters + kernel.parameter_offsets[i], sizeof value);
      if (value < found->begin || value >= found->end || value > address) continue;
      begin = value;
      place = {"argument " + std::to_string(i + 1), found->end - value};
      break;
    }
    if (place.what.empty()) place.what = "an allocation";
  } else {
    place = {"no allocation", 0};
  }
  offset = address - begin;
  const auto [known, is_new] =
      places_.try_emplace({begin, place.what}, static_cast<u32>(record_.places.size()));
  if (is_new) record_.places.push_back(std::move(place));
  return known->second;
}

}  // namespace roofline::sim
