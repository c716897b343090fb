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

/// What it has done since the others had their last turn.
struct Waiting {
  bool moved = false;  ///< more than looking
  bool host = false;   ///< it has looked at memory that host code may write, now or before
};
/// Gives the others a turn.
using LetOthersGoOn = std::function<Others(Waiting waiting)>;

}  // namespace roofline::sim
