// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/driver/frame.h"
#include "simulator/driver/jit_options.h"
#include "simulator/runtime/load_image.h"

namespace roofline::sim::driver {

/// Loads code on the current context's device and tells the caller's logs about it. Called without the
/// runtime's lock. A module none of whose kernels can run is refused, as a compiler would refuse it.
CUresult load(runtime::Image image, const JitOptions& options, runtime::Module*& module);
/// The same, from a pointer or from a file.
CUresult load_code(const void* code, const JitOptions& options, runtime::Module*& module);
CUresult load_file(const char* file, const JitOptions& options, runtime::Module*& module);

/// A module or library, loaded on the device of this call; nullptr when the handle is neither. Caller holds
/// the runtime's lock.
runtime::Module* find_module(runtime::Runtime& runtime, const void* handle);

/// Frees a module; called without the runtime's lock.
cudaError_t unload(CUmodule module);

}  // namespace roofline::sim::driver
