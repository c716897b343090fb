// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/old_versions.h"

#include <algorithm>
#include <utility>

#include "simulator/isa/row.h"
#include "simulator/isa/word_order.h"
#include "simulator/ptx/type_names.h"

namespace roofline::sim::isa {

namespace {

bool has(const ptx::Instruction& in, std::string_view word) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), word) != in.modifiers.end();
}

/// Adds a modifier before the types, if a row has it.
void add(ptx::Instruction& in, const char* word) {
  ptx::Instruction longer = in;
  const auto is_type = [](const std::string& each) { return ptx::type_named(each).has_value(); };
  longer.modifiers.insert(std::find_if(longer.modifiers.begin(), longer.modifiers.end(), is_type), word);
  use_table_order(longer);
  Match match;
  if (find(longer, match) != nullptr) in = std::move(longer);
}

/// A conversion with a 64-bit number on one side.
bool converts_wide(const ptx::Instruction& in) {
  return in.opcode == "cvt" && (has(in, "f64") || has(in, "s64") || has(in, "u64"));
}

}  // namespace

void complete_old_spellings(ptx::Module& module) {
  const std::pair version(module.version_major, module.version_minor);
  const bool flushes = module.target < 20;
  if (!flushes && version >= std::pair(3u, 2u)) return;
  for (ptx::Function& function : module.functions)
    for (ptx::Instruction& in : function.instructions) {
      if (!has(in, "f32")) continue;
      Match match;
      if (in.opcode == "mad" && find(in, match) == nullptr) add(in, "rn");
      const bool keeps = converts_wide(in) && version < std::pair(1u, 5u);
      if (flushes && !keeps && !has(in, "ftz")) add(in, "ftz");
    }
}

}  // namespace roofline::sim::isa
