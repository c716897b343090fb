// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace roofline::grader {

/// What an executable says about itself: enough to know whether the simulated GPU can stand in.
struct CudaProgram {
  std::filesystem::path path;
  /// It does not ask for the shared runtime, or its DT_RPATH would win over LD_LIBRARY_PATH.
  bool needs_preload = false;
  /// Its host code is instrumented by a sanitizer (-fsanitize=address).
  bool is_sanitized = false;
};

/// Finds `name` (a path, or a name in PATH) and reads its ELF headers. Throws UsageError (paths.h) with one
/// sentence that says what to do when it cannot run on the simulated GPU: not found, not a program, built for
/// another machine, the CUDA runtime linked in and stripped, another major version, or no CUDA at all.
CudaProgram examine_program(const std::string& name);

}  // namespace roofline::grader
