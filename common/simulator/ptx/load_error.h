// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

#include "simulator/ptx/module.h"

namespace roofline::sim {

/// A program that cannot be loaded: syntax, unknown instruction, unresolved symbol. The message names the
/// token, its line, and what nearly matched. Not the simulator's fault.
struct LoadError : std::runtime_error {
  using std::runtime_error::runtime_error;
  ptx::TextPosition at;
};

/// An instruction without a row: only the kernels that reach it cannot run.
struct UnknownInstruction : LoadError {
  using LoadError::LoadError;
};

/// \throws LoadError "PTX line 12: ...".
[[noreturn]] void load_error(ptx::TextPosition at, const std::string& message);

}  // namespace roofline::sim
