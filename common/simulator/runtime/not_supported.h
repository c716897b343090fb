// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

namespace roofline::sim::runtime {

class Runtime;

/// Names a function that is not there, once, here and to the machine; gives cudaErrorNotSupported, or what
/// the driver API calls the same number.
int not_supported(const char* name, std::atomic<bool>& said, const char* answer = "cudaErrorNotSupported");

/// The same inside a function of the API, about a part of what it can do.
int not_supported_in(Runtime& runtime, const char* what, std::atomic<bool>& said,
                     const char* answer = "cudaErrorNotSupported");

}  // namespace roofline::sim::runtime
