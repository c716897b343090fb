// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/linker.h"

#include <algorithm>
#include <unordered_set>

#include "simulator/ptx/load_error.h"
#include "simulator/ptx/rename.h"

namespace roofline::sim::ptx {
namespace {

/// In the order in which they win.
enum class Binding : u8 { kUndefined, kCommon, kWeak, kStrong };

/// What all units together know of one global name.
struct Symbol {
  Binding binding = Binding::kUndefined;
  size_t unit = 0;  ///< that defines it, or that mentioned it first
  bool is_function = false;
  u64 bytes = 0;  ///< of a variable; 0: not known
};

bool is_local(const Variable& v) { return !v.is_extern && !v.is_visible && !v.is_weak && !v.is_common; }
bool is_local(const Function& f) { return f.has_body && !f.is_extern && !f.is_visible && !f.is_weak; }

Binding binding_of(const Variable& v) {
  if (v.is_extern) return Binding::kUndefined;
  if (v.is_common) return Binding::kCommon;
  return v.is_weak ? Binding::kWeak : Binding::kStrong;
}
Binding binding_of(const Function& f) {
  if (!f.has_body) return Binding::kUndefined;
  return f.is_weak ? Binding::kWeak : Binding::kStrong;
}

class Linker {
 public:
  Linker(std::vector<Unit> units, const std::function<bool(const std::string&)>& is_provided)
      : units_(std::move(units)), is_provided_(is_provided) {}

  Module run() {
    for (size_t i = 0; i < units_.size(); ++i) enter_globals(i);
    for (const auto& [name, symbol] : symbols_) taken_.insert(name);
    for (size_t i = 0; i < units_.size(); ++i) separate_locals(i);
    for (size_t i = 0; i < units_.size(); ++i) check_mentions(i);
    Module result;
    for (size_t i = 0; i < units_.size(); ++i) take_over(i, result);
    return result;
  }

 private:
  const std::string& name_of(size_t unit) const { return units_[unit].name; }

  void enter_globals(size_t unit) {
    const Module& module = units_[unit].module;
    for (const Variable& v : module.variables)
      if (!is_local(v)) enter(v.name, {binding_of(v), unit, false, v.bytes});
    for (const Function& f : module.functions)
      if (!is_local(f)) enter(f.name, {binding_of(f), unit, true, 0});
    for (size_t i = 0; i + 1 < module.aliases.size(); i += 2)
      enter(module.aliases[i], {Binding::kWeak, unit, true, 0});
  }

  void enter(const std::string& name, const Symbol& symbol) {
    const auto [place, is_new] = symbols_.try_emplace(name, symbol);
    if (is_new) return;
    Symbol& known = place->second;
    check_agreement(name, known, symbol);
    if (known.binding == Binding::kStrong && symbol.binding == Binding::kStrong && known.unit != symbol.unit)
      throw LoadError("The device symbol '" + name + "' is defined in " + name_of(known.unit) + " and in " +
                      name_of(symbol.unit) + ": keep one definition, declare it extern in the other file.");
    const bool is_larger = symbol.binding == Binding::kCommon && symbol.bytes > known.bytes;
    if (symbol.binding > known.binding || (symbol.binding == known.binding && is_larger)) known = symbol;
  }

  void check_agreement(const std::string& name, const Symbol& a, const Symbol& b) const {
    if (a.is_function != b.is_function)
      throw LoadError("The device symbol '" + name + "' is a function in " +
                      name_of(a.is_function ? a.unit : b.unit) + " and a variable in " +
                      name_of(a.is_function ? b.unit : a.unit) + ".");
    const bool may_differ = a.binding == Binding::kCommon || b.binding == Binding::kCommon;
    if (a.bytes != 0 && b.bytes != 0 && a.bytes != b.bytes && !may_differ)
      throw LoadError("The device variable '" + name + "' has " + std::to_string(a.bytes) + " bytes in " +
                      name_of(a.unit) + " and " + std::to_string(b.bytes) + " bytes in " + name_of(b.unit) +
                      ": declare it with the same type.");
  }

  /// Names of a unit that other units know, too.
  static std::unordered_set<std::string> shared_names(const Module& module) {
    std::unordered_set<std::string> names;
    for (const Variable& v : module.variables)
      if (!is_local(v)) names.insert(v.name);
    for (const Function& f : module.functions)
      if (!is_local(f)) names.insert(f.name);
    return names;
  }

  /// Names that only their unit knows must differ from those of all others.
  void separate_locals(size_t unit) {
    Module& module = units_[unit].module;
    Names names;
    const std::unordered_set<std::string> shared = shared_names(module);
    const auto see = [&](const std::string& name) {
      if (shared.contains(name))
        throw LoadError("The device symbol '" + name + "' stands for two things in " + name_of(unit) + ".");
      if (taken_.insert(name).second) return;
      std::string other = name + "$" + std::to_string(unit);
      while (!taken_.insert(other).second) other += '_';
      names.emplace(name, std::move(other));
    };
    for (const Variable& v : module.variables)
      if (is_local(v)) see(v.name);
    for (const Function& f : module.functions) {
      if (is_local(f)) see(f.name);
      if (!is_kept(f, unit)) continue;
      for (const Variable& v : f.variables)
        if (v.space == Space::kGlobal || v.space == Space::kConst || v.space == Space::kShared) see(v.name);
    }
    rename(module, names);
  }

  void check_mentions(size_t unit) {
    Module& module = units_[unit].module;
    const std::function<void(std::string&)> check = [&](std::string& name) {
      const auto found = symbols_.find(name);
      if (found == symbols_.end() || found->second.binding != Binding::kUndefined) return;
      if (found->second.is_function ? is_provided_(name) : is_shared(name)) return;
      throw LoadError("The device symbol '" + name + "' is used in " + name_of(unit) +
                      " and defined in no file of the program: link the object or library that defines it.");
    };
    for (Function& f : module.functions)
      if (f.has_body && is_kept(f, unit)) for_each_mention(f, check);
    for (Variable& v : module.variables)
      for (auto& relocation : v.relocations) check(relocation.symbol);
  }

  bool is_shared(const std::string& name) const {
    const Module& module = units_[symbols_.at(name).unit].module;
    return std::any_of(module.variables.begin(), module.variables.end(),
                       [&](const Variable& v) { return v.name == name && v.space == Space::kShared; });
  }

  /// Whether this unit's definition or declaration is the one that counts.
  template <class Definition>
  bool is_kept(const Definition& definition, size_t unit) const {
    if (is_local(definition)) return true;
    const Symbol& symbol = symbols_.at(definition.name);
    return symbol.unit == unit && symbol.binding == binding_of(definition);
  }

  void take_over(size_t unit, Module& result) {
    Module& module = units_[unit].module;
    const auto version = [](const Module& m) { return std::pair{m.version_major, m.version_minor}; };
    if (version(module) > version(result)) {
      result.version_major = module.version_major;
      result.version_minor = module.version_minor;
    }
    if (module.target > result.target) {
      result.target = module.target;
      result.target_name = module.target_name;
    }
    const std::map<u32, u32> files = take_files(module, result);
    for (Variable& v : module.variables)
      if (is_kept(v, unit)) result.variables.push_back(std::move(v));
    for (Function& f : module.functions) {
      if (!is_kept(f, unit)) continue;
      for (Instruction& instruction : f.instructions) move_line(instruction.source, files);
      result.functions.push_back(std::move(f));
    }
    result.aliases.insert(result.aliases.end(), module.aliases.begin(), module.aliases.end());
  }

  /// Units number their files independently of each other.
  std::map<u32, u32> take_files(const Module& module, Module& result) {
    std::map<u32, u32> moved;
    for (const auto& [index, path] : module.files) {
      const auto [place, is_new] =
          file_numbers_.try_emplace(path, static_cast<u32>(file_numbers_.size() + 1));
      if (is_new) result.files.emplace(place->second, path);
      moved.emplace(index, place->second);
    }
    return moved;
  }

  static void move_line(SourceLine& source, const std::map<u32, u32>& files) {
    const auto move = [&](u32& file) {
      const auto found = files.find(file);
      file = found == files.end() ? 0 : found->second;
    };
    move(source.file);
    move(source.caller_file);
  }

  std::vector<Unit> units_;
  const std::function<bool(const std::string&)>& is_provided_;
  std::unordered_map<std::string, Symbol> symbols_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, u32> file_numbers_;
};

/// "b.cu" from a name that nvcc made unique to its file: "..._c28c13d1_4_b_cu_counter...".
std::string file_in(const std::string& name) {
  const size_t end = name.find("_cu_");
  if (end == std::string::npos) return "";
  // The length of "b_cu" stands before it, between underscores.
  for (size_t start = end; start-- > 2;) {
    if (name[start - 1] != '_') continue;
    const std::string length = std::to_string(end + 3 - start);
    if (start < length.size() + 2 || name.compare(start - 1 - length.size(), length.size(), length) != 0)
      continue;
    if (name[start - 2 - length.size()] == '_') return name.substr(start, end - start) + ".cu";
  }
  return "";
}

}  // namespace

std::string unit_name(const Module& module, size_t ordinal) {
  for (const auto& [index, path] : module.files)
    if (path.ends_with(".cu")) return path.substr(path.rfind('/') + 1);
  for (const Variable& v : module.variables)
    if (std::string file = file_in(v.name); !file.empty()) return file;
  for (const Function& f : module.functions)
    if (std::string file = file_in(f.name); !file.empty()) return file;
  return "translation unit " + std::to_string(ordinal);
}

Module link(std::vector<Unit> units, const std::function<bool(const std::string&)>& is_provided) {
  return Linker(std::move(units), is_provided).run();
}

}  // namespace roofline::sim::ptx
