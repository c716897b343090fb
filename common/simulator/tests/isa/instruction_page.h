// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sstream>
#include <string>

#include "simulator/isa/chapters.h"
#include "simulator/ptx/type_names.h"

namespace roofline::sim::isa::cases {

/// docs/instructions.md, made from the table.
inline std::string instruction_page() {
  std::ostringstream page;
  page
      << "# PTX instructions of the simulated GPU\n\n"
         "Made from the instruction table (`common/simulator/isa`). A line is the syntax that a row "
         "matches: `{.sat}`\n"
         "may be absent, `{.rn,.rz}` is one of these or absent, `.{eq,ne}` is exactly one; the types for "
         "`.type`\n"
         "(`.dtype`) and `.stype` (`.atype`) follow. A kernel that reaches an instruction which is "
         "not\n"
         "here cannot be launched: the error names its line and the rows that nearly match; other kernels of "
         "the "
         "program run.\n";
  const auto list = [&page](const std::vector<ptx::Type>& types) {
    for (std::size_t i = 0; i < types.size(); ++i) page << (i == 0 ? "" : ", ") << ptx::name_of(types[i]);
  };
  for (const Chapter& chapter : chapters()) {
    page << "\n## " << chapter.title << "\n\n| syntax | types |\n|---|---|\n";
    for (const Row& row : chapter.rows()) {
      std::string syntax;
      for (char c : row.syntax) syntax += c == '|' ? "\\|" : std::string(1, c);
      page << "| `" << syntax << "` | ";
      const bool spelled = row.syntax.find(".type") != std::string_view::npos ||
                           row.syntax.find(".dtype") != std::string_view::npos;
      if (spelled) list(row.types);
      if (!row.types2.empty()) {
        page << (spelled ? "; from " : "");
        list(row.types2);
      }
      page << " |\n";
    }
  }
  return page.str();
}

}  // namespace roofline::sim::isa::cases
