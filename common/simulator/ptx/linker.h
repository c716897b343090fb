// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// The PTX of one translation unit of a program built with relocatable device code (nvcc -rdc=true).
struct Unit {
  std::string name;  ///< for messages: "b.cu"
  Module module;
};

/// What to call a unit in messages: the source file that its .file directives or its internal names tell,
/// else "translation unit <ordinal>".
std::string unit_name(const Module& module, size_t ordinal);

/// Makes one module of several, as nvlink does:
/// - a `.visible` definition wins over `.weak` ones, of which the first wins over `.common`, the largest of
/// which
///   counts; `.extern` declarations go to the definition;
/// - names without linkage that occur in several units are told apart by a suffix;
/// - `.extern .shared` arrays without a definition stay: they are the launch's dynamic shared memory.
/// `is_provided` tells functions that need no definition, such as vprintf.
/// \throws LoadError with one sentence that names the symbol and the units: two strong definitions, a symbol
/// that is used and defined nowhere, a function in one unit that is a variable in another, different sizes.
Module link(std::vector<Unit> units, const std::function<bool(const std::string&)>& is_provided);

}  // namespace roofline::sim::ptx
