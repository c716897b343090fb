// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <unordered_map>
#include <vector>

#include "simulator/machine/warp.h"
#include "simulator/program/function.h"
#include "simulator/program/thread_record.h"

namespace roofline::sim {

/// Whether `request` names a thread of such a launch; if so `block` and `thread` are set to where it is, if
/// not `problem` says why.
bool find_thread(const ThreadRequest& request, Dim3 grid, Dim3 block_size, ThreadRecord& record);

/// Writes down what one thread of a launch does, instruction by instruction. Only the warp that holds the
/// thread knows of it: every other warp runs the loop that has no such call.
class ThreadRecorder {
 public:
  /// `record.block` and `.thread` tell the thread; both must outlive the launch.
  ThreadRecorder(const Grid& grid, u64 most_steps, ThreadRecord& record);

  bool follows(u64 linear_block, u32 warp) const { return linear_block == block_ && warp == warp_; }
  /// Before `in` is executed (its pc already advanced) by the lanes in `active`, of those in `together`.
  void before(const Warp& w, const Instruction& in, u32 active, u32 together);
  /// The instruction did not run after all: it comes again.
  void undo();
  /// After the last instruction.
  void finish();

 private:
  struct Text {
    std::unordered_map<std::string, u32> rows;  ///< by register, into Function::registers
    std::vector<bool> is_label;                 ///< by PTX instruction
  };
  const Text& text_of(const Function& function);
  void settle_outputs();
  void other_lanes(const Warp& w, const Instruction& in);
  void copies_before(const Warp& w, const Function& function, u32 index, u32 lanes);
  void own(const Warp& w, const Instruction& in, u32 active);
  ThreadRecord::Step& step(const Warp& w, ThreadRecord::Kind kind, u32 index);
  void read(const Lanes& lanes, const Function& function, u32 index, bool outputs,
            std::vector<ThreadRecord::Value>& values);
  bool value_of(const Lanes& lanes, const Function& function, const std::string& name,
                ThreadRecord::Value& value);
  void locate(const Warp& w, const Instruction& in, ThreadRecord::Step& step);
  u32 place_of(ptx::Space space, u64 address, u64& offset);
  u32 instruction(const Function& function, u32 index);
  u32 register_name(const Function& function, u32 place);
  bool full() const { return record_.steps.size() >= most_steps_; }

  const Grid& grid_;
  ThreadRecord& record_;
  u64 most_steps_;
  u64 block_ = 0;
  u32 warp_ = 0, lane_ = 0;
  std::vector<bool> is_copy_;                           ///< by Instruction::index
  std::unordered_map<const Function*, Text> texts_;     ///< names and labels of functions met so far
  std::map<u32, u32> instructions_;                     ///< Instruction::index to record_.instructions
  std::map<const Function::NamedRow*, u32> registers_;  ///< to record_.registers
  std::map<std::pair<u64, std::string>, u32> places_;   ///< begin and text, to record_.places
  u32 last_index_ = ~0u;                                ///< of the instruction before
  struct {
    bool is_open = false;
    u64 step = 0;
    const Function* function = nullptr;
    u32 index = 0;
    u8* bank[2] = {nullptr, nullptr};
  } open_;  ///< its outputs are not known yet
};

}  // namespace roofline::sim
