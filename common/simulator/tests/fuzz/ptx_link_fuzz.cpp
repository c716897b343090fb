// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Any texts are one module or a LoadError; what was linked is whole. Texts are separated by the line of
// kSeparator.
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>

#include "simulator/program/trap.h"
#include "simulator/ptx/linker.h"
#include "simulator/ptx/parser.h"

static constexpr std::string_view kSeparator = "// next unit\n";

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace roofline::sim;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  try {
    std::vector<ptx::Unit> units;
    while (!rest.empty() && units.size() < 8) {
      const std::string_view text = rest.substr(0, rest.find(kSeparator));
      rest.remove_prefix(std::min(rest.size(), text.size() + kSeparator.size()));
      ptx::Unit unit{"", ptx::parse(text, "fuzz.ptx")};
      unit.name = ptx::unit_name(unit.module, units.size() + 1);
      units.push_back(std::move(unit));
    }
    const ptx::Module module =
        ptx::link(std::move(units), [](const std::string& name) { return name == "vprintf"; });
    std::unordered_set<std::string> variables, functions;
    for (const ptx::Variable& variable : module.variables)
      if (!variables.insert(variable.name).second) std::abort();
    for (const ptx::Function& function : module.functions) {
      if (!functions.insert(function.name).second) std::abort();
      for (const ptx::Label& label : function.labels)
        if (label.instruction > function.instructions.size()) std::abort();
    }
  } catch (const LoadError& error) {
    if (*error.what() == '\0') std::abort();
  }
  return 0;
}
