// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <unordered_map>

#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

using Names = std::unordered_map<std::string, std::string>;

/// Calls `visit` with every mention of a module-level symbol in the function's body. Labels, parameters and
/// variables of the function itself hide module-level names.
void for_each_mention(Function& function, const std::function<void(std::string&)>& visit);

/// Gives module-level symbols other names, wherever they stand: definitions, bodies, initial values, aliases.
void rename(Module& module, const Names& names);

}  // namespace roofline::sim::ptx
