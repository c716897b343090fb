// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/static_runtime/elf_file.h"

namespace roofline::sim::static_runtime {

/// The CUDA runtime that nvcc links into a program or shared library unless told otherwise
/// (libcudart_static.a).
enum class Presence {
  kNone,     ///< the file has no device code, or uses a shared runtime
  kFound,    ///< with the names of CUDA 13
  kOlder,    ///< with names that CUDA 13 removed: other calls, other structures
  kStripped  ///< it has device code and no shared runtime, but no symbols to go by
};

struct StaticRuntime {
  Presence presence = Presence::kNone;
  /// Where kFound: its public functions, cudaMalloc or __cudaRegisterFatBinary. Their names are nvcc's, so a
  /// function of the program's own is among them only if it could not have been linked with the runtime.
  std::vector<Function> functions;
};

/// Goes by the symbol table alone, never by what code looks like. `exported` are the names of the library
/// that is to stand in: a public function of the runtime that is not among them is one of a newer toolkit,
/// known by lying between two that are.
StaticRuntime find_static_runtime(const ElfFile& file, const std::vector<Function>& exported);

/// Only whether it is there.
Presence static_runtime_presence(const ElfFile& file);

}  // namespace roofline::sim::static_runtime
