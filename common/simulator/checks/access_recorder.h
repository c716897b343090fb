// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <vector>

#include "simulator/machine/observer.h"
#include "simulator/program/access_picture.h"

namespace roofline::sim {

/// Writes down what the lanes of one warp do at one source line. It watches as a check does: only the launch
/// that was asked for is observed, every other one runs as if there were none.
class AccessRecorder : public Observer {
 public:
  explicit AccessRecorder(PictureRequest request) : request_(std::move(request)) {}
  const AccessPicture& picture() const { return picture_; }

  void launch_begins(const Grid& grid) override;
  void launch_ends(const Grid& grid) override;
  void access(Warp& w, const Instruction& in, const ObservedAccess& a) override;
  void before(Warp& w, const Instruction& in, u32 active) override;

 private:
  bool find_lines(const Kernel& kernel);
  bool find_warp(const Grid& grid);
  bool follows(const Warp& w) const;
  void settle();
  void keep(Warp& w, const Instruction& in, const ObservedAccess& a);
  void note_writers(const Warp& w, const ObservedAccess& a);
  AccessPicture::Place place_of(const Grid& grid, bool shared, u64 address, u64& begin) const;
  u32 instruction(const Kernel& kernel, u32 index);

  PictureRequest request_;
  AccessPicture picture_;
  bool done_ = false;
  std::vector<u32> line_of_;         ///< by Instruction::index: its line in the file, 0: elsewhere
  std::map<u32, u32> instructions_;  ///< Instruction::index to picture_.instructions
  u64 written_begin_ = 0;            ///< address of the array whose writers are kept
  bool written_shared_ = false;
  /// The request before: what it cost is counted after it was seen.
  struct {
    const InstructionCounters* counters = nullptr;  ///< nullptr: nothing is open
    u64 cost = 0, ideal = 0;                        ///< before it
  } open_;
};

}  // namespace roofline::sim
