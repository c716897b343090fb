// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/isa/half_math.h"
#include "simulator/isa/row.h"
#include "simulator/machine/warp.h"

/// Instruction cases, one a line: `add.sat.s32 2147483647 1 = 2147483647`.
/// A value is an integer, a float (1.5, -0.0, inf, nan, 0f3f800000, 0d..., 0h3c00), a vector {1,2}, a pair
/// 1|0 (both destinations of a comparison) or, as a result, value+-tolerance. `carry=1` stands for CC.CF,
/// before and after; 5.b0 is a byte of an operand of a video instruction; `sm=90` is the first architecture
/// that has the instruction (for a GPU; the simulator has all).
namespace roofline::sim::isa::cases {

struct Case {
  std::string file, text, spelling;
  int line = 0, architecture = 0;
  std::vector<std::string> sources, results;
  std::optional<bool> carry_in, carry_out;
};

inline std::vector<Case> read_cases(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<Case> cases;
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    text = text.substr(0, text.find('#'));
    std::istringstream words(text);
    Case one;
    one.file = path, one.text = text, one.line = line;
    if (!(words >> one.spelling)) continue;
    bool after = false;
    for (std::string word; words >> word;) {
      if (word == "=")
        after = true;
      else if (word.starts_with("sm="))
        one.architecture = std::stoi(word.substr(3));
      else if (word.starts_with("carry="))
        (after ? one.carry_out : one.carry_in) = word.back() == '1';
      else
        (after ? one.results : one.sources).push_back(word);
    }
    if (!after) throw std::runtime_error(path + ":" + std::to_string(line) + ": no '='");
    cases.push_back(one);
  }
  return cases;
}

/// The bits of a value's text as a PTX type.
inline u64 bits_of_value(const std::string& text, ptx::Type type) {
  using Kind = ptx::Type::Kind;
  if (text.starts_with("0f") || text.starts_with("0d") || text.starts_with("0h"))
    return std::stoull(text.substr(2), nullptr, 16);
  const bool is_float = (type.kind == Kind::kFloat || type.kind == Kind::kBFloat) && type.lanes == 1;
  if (!is_float) {
    const u64 all = std::stoull(text, nullptr, 0);  // accepts and wraps a minus sign
    return type.bits >= 64 ? all : all & ((u64{1} << type.bits) - 1);
  }
  const bool nan = text == "nan";
  const double number = nan ? 0 : std::stod(text);
  if (type.bits == 64) return to_bits(nan ? kNaN64 : number);
  if (type.bits == 32) return to_bits(nan ? kNaN32 : static_cast<f32>(number));
  if (nan) return kNaN16;
  return type.kind == Kind::kFloat ? narrow<Half>(static_cast<f32>(number)).bits
                                   : narrow<BFloat>(static_cast<f32>(number)).bits;
}

inline double number_of_bits(u64 bits, ptx::Type type) {
  if (type.bits == 64) return std::bit_cast<f64>(bits);
  if (type.bits == 32) return std::bit_cast<f32>(static_cast<u32>(bits));
  const auto half = static_cast<u16>(bits);
  return type.kind == ptx::Type::Kind::kFloat ? widen(Half{half}) : widen(BFloat{half});
}

/// Whether a result's bits are what the case says.
inline bool agrees(u64 bits, const std::string& expected, ptx::Type type) {
  const auto tolerance = expected.find("+-");
  if (tolerance == std::string::npos) return bits == bits_of_value(expected, type);
  const double want = std::stod(expected.substr(0, tolerance)),
               within = std::stod(expected.substr(tolerance + 2));
  return std::fabs(number_of_bits(bits, type) - want) <= within;
}

/// A Binder without a machine: every operand gets a row of its own and remembers the type it was asked for,
/// which is how a case's text learns its types.
class CaseBinder : public Binder {
 public:
  struct Bound {
    const ptx::Operand* operand;
    std::string value;  ///< what the case says: a source's value, a destination's expected one
    ptx::Type type;
    Slot slot;
  };

  explicit CaseBinder(const ptx::Instruction& instruction)
      : instruction_(instruction), memory_(kBytes / 64) {}

  Slot source(const ptx::Operand& operand, ptx::Type type) override { return add(sources, operand, type); }
  Slot destination(const ptx::Operand& operand, ptx::Type type) override {
    return add(results, operand, type);
  }
  Slot predicate(const ptx::Operand& operand) override { return add(sources, operand, kPredicate); }
  Slot predicate_destination(const ptx::Operand& operand) override {
    return add(results, operand, kPredicate);
  }
  Slot scratch(u32 bytes_per_lane) override { return allocate(bytes_per_lane * kWarpSize); }
  Address address(const ptx::Operand&, ptx::Space) override {
    throw std::logic_error("cases have no addresses");
  }
  ptx::Type type_of(const ptx::Operand&) const override { return {}; }
  Extra& extra() override { return *extras_.emplace_back(std::make_unique<Extra>()); }
  void branch_to(const std::string&, Instruction&, int) override {
    throw std::logic_error("cases have no labels");
  }
  const ptx::Function& function() const override { return function_; }
  const ptx::Instruction& instruction() const override { return instruction_; }

  u8* memory() { return memory_.front().bytes; }

  std::vector<Bound> sources, results;

 private:
  static constexpr ptx::Type kPredicate{ptx::Type::Kind::kPredicate, 1};
  static constexpr u32 kBytes = 64 * 1024;
  struct alignas(64) Line {
    u8 bytes[64];
  };

  Slot allocate(u32 bytes) {
    const Slot slot{next_};
    next_ += (bytes + 63u) / 64u * 64u;
    if (next_ > kBytes) throw std::logic_error("a case needs too many rows");
    return slot;
  }
  Slot add(std::vector<Bound>& list, const ptx::Operand& operand, ptx::Type type) {
    list.push_back({&operand, operand.name, type, allocate(type.bits == 1 ? 4 : type.bytes() * kWarpSize)});
    return list.back().slot;
  }

  const ptx::Instruction& instruction_;
  ptx::Function function_;
  std::vector<Line> memory_;
  std::vector<std::unique_ptr<Extra>> extras_;
  u32 next_ = 64;
};

/// Splits "{1,2}" or "1|0" into its elements; nothing for a plain value.
inline std::vector<std::string> elements_of(const std::string& text) {
  const bool vector = text.front() == '{';
  if (!vector && text.find('|') == std::string::npos) return {};
  std::vector<std::string> elements;
  std::istringstream parts(vector ? text.substr(1, text.size() - 2) : text);
  for (std::string part; std::getline(parts, part, vector ? ',' : '|');) elements.push_back(part);
  return elements;
}

/// What a video instruction takes of a register, by Operand::part - 1.
inline constexpr std::string_view kParts[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};

/// An operand that carries the value's text as its name, so that the binder can look it up.
inline ptx::Operand operand_of(const std::string& text) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::kInteger;
  operand.name = text;
  for (u8 part = 0; part < std::size(kParts); ++part) {
    if (!text.ends_with(kParts[part])) continue;
    operand = operand_of(text.substr(0, text.size() - kParts[part].size()));
    operand.part = static_cast<u8>(part + 1);
    return operand;
  }
  for (const std::string& element : elements_of(text)) operand.elements.push_back(operand_of(element));
  if (!operand.elements.empty())
    operand.kind = text.front() == '{' ? ptx::Operand::Kind::kVector : ptx::Operand::Kind::kPair;
  else if (text.find_first_not_of("0123456789") == std::string::npos || text.starts_with("0x"))
    operand.bits = std::stoull(text, nullptr, 0);
  return operand;
}

inline ptx::Instruction instruction_of(const std::string& spelling, const std::vector<std::string>& results,
                                       const std::vector<std::string>& sources) {
  ptx::Instruction instruction;
  std::istringstream parts(spelling);
  std::getline(parts, instruction.opcode, '.');
  for (std::string part; std::getline(parts, part, '.');) instruction.modifiers.push_back(part);
  for (const std::string& text : results) instruction.operands.push_back(operand_of(text));
  for (const std::string& text : sources) instruction.operands.push_back(operand_of(text));
  return instruction;
}

/// Writes a value to every lane of a row.
inline void fill(u8* row, ptx::Type type, u64 bits) {
  if (type.kind == ptx::Type::Kind::kPredicate) {
    const u32 all = bits != 0 ? ~0u : 0u;
    std::memcpy(row, &all, sizeof all);
    return;
  }
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    std::memset(row + lane * type.bytes(), 0, type.bytes());
    std::memcpy(row + lane * type.bytes(), &bits, std::min(type.bytes(), 8u));
  }
}

inline u64 lane_of(const u8* row, ptx::Type type, u32 lane) {
  u64 bits = 0;
  if (type.kind == ptx::Type::Kind::kPredicate) {
    std::memcpy(&bits, row, sizeof(u32));
    return bits >> lane & 1u;
  }
  std::memcpy(&bits, row + lane * type.bytes(), std::min(type.bytes(), 8u));
  return bits;
}

}  // namespace roofline::sim::isa::cases
