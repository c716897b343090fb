// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

/// Who runs while a kernel waits in memory for what comes after it: host code, copies, kernels of other
/// streams and GPUs.
namespace roofline::sim {

/// What may become of the memory that a kernel waits for.
enum class Others {
  kWentOn,         ///< somebody had a turn: it is worth another look
  kChangeNothing,  ///< all who could change it wait for this kernel
  kAreGone         ///< so it is, and whatever else the kernel waits for will not come either
};

/// Gives the others a turn. `moved`: since their last one the kernel has done more than look.
using LetOthersGoOn = std::function<Others(bool moved)>;

}  // namespace roofline::sim
