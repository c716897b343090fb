// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/image/line_table.h"

#include <algorithm>

namespace roofline::sim::image {
namespace {

enum Standard : u8 { kCopy = 1, kAdvanceAddress, kAdvanceLine, kAddConstantAddress = 8, kFixedAdvance };
enum Extended : u8 { kEndOfSequence = 1, kSetAddress };

/// Reads one after the other.
class Cursor {
 public:
  Cursor(Bytes bytes, u64 at) : bytes_(bytes), at_(at) {}

  u64 at() const { return at_; }
  void skip(u64 bytes) { at_ += part(bytes_, at_, bytes).size(); }
  template <typename T>
  T take() {
    const T value = number_at<T>(bytes_, at_);
    at_ += sizeof(T);
    return value;
  }
  /// LEB128: seven bits a byte, the last one without its highest bit.
  u64 take_unsigned() {
    u64 value = 0;
    for (u32 shift = 0;; shift += 7) {
      const auto byte = take<u8>();
      if (shift < 64) value |= u64{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  s64 take_signed() {
    u64 value = 0;
    for (u32 shift = 0;;) {
      const auto byte = take<u8>();
      if (shift < 64) value |= u64{byte & 0x7fu} << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~u64{0} << shift;
      return static_cast<s64>(value);
    }
  }

 private:
  Bytes bytes_;
  u64 at_;
};

class LineProgram {
 public:
  LineProgram(Bytes section, std::vector<LineSequence>& sequences)
      : section_(section), sequences_(sequences) {}

  /// The unit at `begin`; returns where the next one is.
  u64 run(u64 begin) {
    Cursor in(section_, begin);
    const u64 length = in.take<u32>();
    const u64 end = in.at() + length;
    part(section_, in.at(), length);
    in.skip(sizeof(u16));  // version
    const u64 header = in.take<u32>();
    const u64 program = in.at() + header;
    step_ = in.take<u8>();
    in.skip(sizeof(u8));  // every row begins a statement
    line_base_ = static_cast<s8>(in.take<u8>());
    line_range_ = std::max<u8>(in.take<u8>(), 1);
    operands_.assign(std::max<u8>(in.take<u8>(), 1), 0);
    for (size_t i = 1; i < operands_.size(); ++i) operands_[i] = in.take<u8>();
    begin_sequence();
    for (Cursor code(section_, program); code.at() < end;) execute(code);
    return end;
  }

 private:
  void begin_sequence() {
    address_ = 0;
    line_ = 1;
    sequence_ = {};
  }

  void execute(Cursor& code) {
    const auto opcode = code.take<u8>();
    if (opcode >= operands_.size()) {
      const u32 special = opcode - static_cast<u32>(operands_.size());
      address_ += step_ * (special / line_range_);
      advance_line(line_base_ + static_cast<s64>(special % line_range_));
      add_row();
    } else if (opcode == 0) {
      extended(code);
    } else {
      standard(opcode, code);
    }
  }

  void standard(u8 opcode, Cursor& code) {
    switch (opcode) {
      case kCopy:
        return add_row();
      case kAdvanceAddress:
        address_ += step_ * code.take_unsigned();
        return;
      case kAdvanceLine:
        return advance_line(code.take_signed());
      case kAddConstantAddress:
        address_ += step_ * ((255 - operands_.size()) / line_range_);
        return;
      case kFixedAdvance:
        address_ += code.take<u16>();
        return;
      default:
        for (u32 i = 0; i < operands_[opcode]; ++i) code.take_unsigned();
    }
  }

  void extended(Cursor& code) {
    const u64 length = code.take_unsigned();
    const u64 begin = code.at();
    code.skip(length);
    if (length == 0) return;
    const auto opcode = number_at<u8>(section_, begin);
    if (opcode == kSetAddress) {
      sequence_.start_at = begin + 1;
      address_ = 0;
    } else if (opcode == kEndOfSequence) {
      sequences_.push_back(std::move(sequence_));
      begin_sequence();
    }
  }

  void advance_line(s64 by) { line_ = static_cast<u32>(static_cast<s64>(line_) + by); }
  void add_row() { sequence_.rows.push_back({address_, line_}); }

  Bytes section_;
  std::vector<LineSequence>& sequences_;
  u64 step_ = 1;
  s64 line_base_ = 0;
  u32 line_range_ = 1;
  std::vector<u8> operands_;  ///< of each standard opcode
  u64 address_ = 0;
  u32 line_ = 1;
  LineSequence sequence_;
};

}  // namespace

u32 LineSequence::line_of(u64 address) const {
  const auto after = std::ranges::upper_bound(rows, address, {}, &LineRow::address);
  return after == rows.begin() ? 0 : std::prev(after)->line;
}

std::vector<LineSequence> read_lines(Bytes section) {
  std::vector<LineSequence> sequences;
  LineProgram program(section, sequences);
  for (u64 at = 0; at < section.size();) at = program.run(at);
  return sequences;
}

}  // namespace roofline::sim::image
