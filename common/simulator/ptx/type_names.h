// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// The type that a modifier names, without its dot: "u32", "f16x2", "pred". Nothing if it is no type.
/// The narrow tensor formats (e4m3, e2m1x2, tf32, ...) and .texref and its kin are Kind::kOther.
std::optional<Type> type_named(std::string_view name);

/// "u32" for {kUnsigned, 32}; "?" for kNone and kOther.
std::string name_of(Type type);

}  // namespace roofline::sim::ptx
