// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "simulator/driver/cuda.h"

namespace roofline::sim::driver {

/// One function that libcuda.so.1 exports: `names.list` has them all.
struct EntryPoint {
  const char* name;  ///< that it is exported under
  const char* base;  ///< what a program calls it: cuMemAlloc for cuMemAlloc_v2
  int version;       ///< of CUDA, since which the base name means this function
  enum class Streams { kLegacy, kPerThread } streams;
  void* function;
};

/// nullptr when nothing is exported under that name.
void* exported(std::string_view name);

/// What cuGetProcAddress finds: the newest function of that base name which a program for `version` of CUDA
/// may expect; nullptr where there is none, and why.
void* find(std::string_view base, int version, EntryPoint::Streams streams,
           CUdriverProcAddressQueryResult& why);

}  // namespace roofline::sim::driver
