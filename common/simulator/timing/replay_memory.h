// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unordered_map>

#include "simulator/timing/sm_replay.h"

namespace roofline::sim {

/// Remembers the outcomes of the last replays on one device: programs launch the same small kernels again and
/// again.
class ReplayMemory {
 public:
  /// Valid until the next call.
  const ReplayOutcome& replay(const DeviceDescription& device, const ReplayWork& work);

 private:
  std::unordered_map<u64, ReplayOutcome> outcomes_;  ///< by a hash of the work
};

}  // namespace roofline::sim
