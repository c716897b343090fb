// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/register_arrays.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

constexpr s64 kElementBytes = 4;
/// Of an array with an index that is not known.
constexpr s64 kMostBytes = 32;

/// Offsets of foreign text: as far as addresses go, around the end.
s64 sum(s64 a, s64 b) { return static_cast<s64>(static_cast<u64>(a) + static_cast<u64>(b)); }

class Finder {
 public:
  Finder(const ptx::Function& function, std::span<const InstructionInfo> info)
      : function_(function), info_(info), found_(function.instructions.size(), 0) {
    for (const ptx::Variable& variable : function.variables)
      if (variable.space == ptx::Space::kLocal) bytes_[variable.name] = static_cast<s64>(variable.bytes);
  }

  std::vector<u32> run() {
    if (bytes_.empty()) return found_;
    follow_addresses();
    for (size_t i = 0; i < found_.size(); ++i) note_uses(i);
    for (const auto& [name, bytes] : bytes_)
      if (!lost_.contains(name)) keep(name, bytes);
    return found_;
  }

 private:
  /// In a variable; `begin`: of the array, where the offset is not known.
  struct Place {
    std::string variable;
    s64 begin = 0;
    bool known = true;
    bool operator==(const Place&) const = default;
  };
  struct Access {
    size_t instruction;
    Place place;
    s64 element;
  };

  const Place* place_of(const std::string& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &found->second;
  }

  std::optional<Place> place_of(const ptx::Operand& operand) const {
    if (operand.kind == Kind::kSymbol && bytes_.contains(operand.name))
      return Place{operand.name, operand.offset, true};
    if (operand.kind != Kind::kRegister) return std::nullopt;
    if (const Place* place = place_of(operand.name)) return *place;
    return std::nullopt;
  }

  /// Where the result of a copy or a sum points to.
  std::optional<Place> result_of(size_t i) const {
    const ptx::Instruction& in = function_.instructions[i];
    const Traits& traits = info_[i].traits;
    if (!traits.writes_first || in.operands.size() < 2 || in.operands[0].kind != Kind::kRegister)
      return std::nullopt;
    if (traits.copies == Copies::kValue) return place_of(in.operands[1]);
    if (traits.zeros != Zeros::kFewer || in.operands.size() != 3) return std::nullopt;
    for (const size_t at : {size_t{1}, size_t{2}}) {
      std::optional<Place> place = place_of(in.operands[at]);
      const ptx::Operand& other = in.operands[3 - at];
      if (!place || place_of(other)) continue;
      if (other.kind == Kind::kInteger && place->known)
        place->begin = sum(place->begin, static_cast<s64>(other.bits));
      else
        place->known = false;
      return place;
    }
    return std::nullopt;
  }

  void follow_addresses() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < found_.size(); ++i) {
        const std::optional<Place> place = result_of(i);
        if (!place) continue;
        const auto [known, is_new] = places_.try_emplace(function_.instructions[i].operands[0].name, *place);
        changed = changed || is_new;
        if (known->second == *place) continue;
        lost_.insert(place->variable);  // one register, several places
        lost_.insert(known->second.variable);
      }
    }
  }

  void lose(const ptx::Operand& operand) {
    if (const auto place = place_of(operand)) lost_.insert(place->variable);
    if (operand.kind == Kind::kAddress) {
      if (const Place* place = place_of(operand.name)) lost_.insert(place->variable);
      if (operand.base_is_symbol && bytes_.contains(operand.name)) lost_.insert(operand.name);
    }
    for (const ptx::Operand& element : operand.elements) lose(element);
  }

  void note_uses(size_t i) {
    const ptx::Instruction& in = function_.instructions[i];
    if (in.call) {
      for (const ptx::Operand& argument : in.call->arguments) lose(argument);
      lose(in.call->target);
    }
    if (result_of(i)) return;
    const InstructionInfo& info = info_[i];
    const bool accesses =
        (info.is_load || info.is_store) && info.space == ptx::Space::kLocal && in.operands.size() == 2;
    const size_t address = info.is_load ? 1 : 0;
    for (size_t k = 0; k < in.operands.size(); ++k)
      if (!accesses || k != address) lose(in.operands[k]);
    if (!accesses) return;
    const ptx::Operand& at = in.operands[address];
    Access access{i, {}, 0};
    if (at.base_is_symbol && bytes_.contains(at.name))
      access.place = {at.name, at.offset, true};
    else if (const Place* place = place_of(at.name); place != nullptr)
      access.place = *place;
    else
      return lose_all();  // whatever it points to
    if (!at.base_is_symbol && access.place.known) access.place.begin = sum(access.place.begin, at.offset);
    const ptx::Operand& data = in.operands[1 - address];
    const bool several = data.kind == Kind::kVector && !data.elements.empty();
    access.element = info.width / static_cast<s64>(several ? data.elements.size() : 1);
    accesses_.push_back(access);
  }

  void lose_all() {
    for (const auto& [name, bytes] : bytes_) lost_.insert(name);
  }

  /// A variable's arrays begin where registers point to.
  void keep(const std::string& name, s64 bytes) {
    for (const Access& access : accesses_)
      if (access.place.variable == name && (access.place.begin < 0 || access.place.begin >= bytes)) return;
    std::set<s64> begins{0, bytes};
    for (const auto& [unused, place] : places_)
      if (place.variable == name) begins.insert(place.begin);
    const auto array_of = [&](s64 offset) { return *std::prev(begins.upper_bound(offset)); };
    std::map<s64, bool> fits;  // by the array's begin
    for (const Access& access : accesses_) {
      if (access.place.variable != name) continue;
      const s64 begin = array_of(access.place.begin);
      bool& fit = fits.try_emplace(begin, true).first->second;
      const s64 size = *begins.upper_bound(begin) - begin;
      fit = fit && access.element == kElementBytes && (access.place.known || size <= kMostBytes);
    }
    for (const Access& access : accesses_) {
      if (access.place.variable != name) continue;
      const s64 begin = array_of(access.place.begin);
      const s64 size = *begins.upper_bound(begin) - begin;
      if (fits.at(begin))
        found_[access.instruction] = access.place.known ? 1 : static_cast<u32>(size / kElementBytes);
    }
  }

  const ptx::Function& function_;
  std::span<const InstructionInfo> info_;
  std::vector<u32> found_;
  std::map<std::string, s64> bytes_;     ///< of local variables
  std::map<std::string, Place> places_;  ///< that registers point to
  std::set<std::string> lost_;           ///< variables whose address goes elsewhere
  std::vector<Access> accesses_;
};

}  // namespace

std::vector<u32> accesses_to_registers(const ptx::Function& function, std::span<const InstructionInfo> info) {
  return Finder(function, info).run();
}

}  // namespace roofline::sim
