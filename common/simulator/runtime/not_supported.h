// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

namespace roofline::sim::runtime {

/// Names a function that is not there, once, here and to the machine; gives cudaErrorNotSupported.
int not_supported(const char* name, std::atomic<bool>& said);

}  // namespace roofline::sim::runtime
