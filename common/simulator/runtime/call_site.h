// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace roofline::sim::runtime {

/// Where the program made the present call of this library: " at saxpy.cu:31" when it has line numbers (nvcc
/// -g), else " in main". Empty when neither is known or `addr2line` (binutils) is not installed. Takes some
/// milliseconds at the first call from a place.
std::string call_site();

}  // namespace roofline::sim::runtime
