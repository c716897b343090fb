// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/symbol_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "grader/terminal.h"

namespace roofline::grader {

std::string readable_symbol(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return printable(symbol);
  std::string readable = text.get();
  // The parameter list is the last pair of parentheses; what stands inside it may have some of its own.
  size_t begin = readable.rfind(')');
  for (int depth = 0; begin != std::string::npos; --begin) {
    depth += readable[begin] == ')' ? 1 : readable[begin] == '(' ? -1 : 0;
    if (depth == 0 || begin == 0) break;
  }
  if (begin != std::string::npos && begin != 0) readable.resize(begin);
  if (readable.starts_with("void ")) readable.erase(0, 5);
  return printable(readable);
}

}  // namespace roofline::grader
