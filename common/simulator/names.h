// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "simulator/types.h"

/// How kernels, blocks and threads are called in messages.
namespace roofline::sim {

/// "(1,0,0)".
inline std::string triple(Dim3 d) {
  char text[40];
  std::snprintf(text, sizeof text, "(%u,%u,%u)", d.x, d.y, d.z);
  return text;
}

/// "scale<float>" for "_Z5scaleIfEvPT_": as it was written, without result, parameters, unnamed namespaces
/// and the one that nvcc makes of a file. What is no mangled name comes back as it is.
inline std::string readable_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return mangled;
  std::string name = text.get();
  static constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (auto at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed))
    name.erase(at, kUnnamed.size());
  if (name.starts_with("_INTERNAL_")) name.erase(0, name.find("::") + 2);
  // The parameter list is the last pair of parentheses; what stands inside it may have some of its own.
  std::size_t begin = name.rfind(')');
  for (int depth = 0; begin != std::string::npos; --begin) {
    depth += name[begin] == ')' ? 1 : name[begin] == '(' ? -1 : 0;
    if (depth == 0 || begin == 0) break;
  }
  if (begin != std::string::npos && begin != 0) name.resize(begin);
  if (name.starts_with("void ")) name.erase(0, 5);
  return name;
}

}  // namespace roofline::sim
