// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace roofline::sim::runtime {

/// Where the program made the present call of this library: " at saxpy.cu:31" when it has line numbers (nvcc
/// -g), else " in main". Empty when neither is known or `addr2line` (binutils) is not installed. Takes some
/// milliseconds at the first call from a place.
/// `passing_over`: a function that is not meant, the host's side of a kernel.
std::string call_site(std::string_view passing_over = {});

/// The function of this library that the program called, "cudaMemcpy"; empty when it cannot be told.
std::string called_function();

}  // namespace roofline::sim::runtime
