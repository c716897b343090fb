// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Any text is a module or a LoadError whose place lies inside the text. Seeds: tests/ptx.
#include <cstdlib>
#include <string_view>

#include "simulator/ptx/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace roofline::sim;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const ptx::Module module = ptx::parse(text, "fuzz.ptx");
    for (const ptx::Function& function : module.functions) {
      for (const ptx::Label& label : function.labels) {
        if (label.instruction > function.instructions.size()) std::abort();
      }
    }
    for (const ptx::Variable& variable : module.variables) {
      if (!variable.initial.empty() && variable.initial.size() != variable.bytes) std::abort();
      for (const auto& relocation : variable.relocations) {
        if (relocation.at + relocation.size > variable.bytes) std::abort();
      }
    }
  } catch (const LoadError& error) {
    if (error.at.line == 0 || error.at.line > size + 1 || error.at.column == 0) std::abort();
  }
  return 0;
}
