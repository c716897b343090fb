// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grader/call/call.h"
#include "grader/call/fault.h"
#include "grader/call/shared_memory.h"
#include "simulator/host/session.h"

/// What lies in a simulated device's memory, proved by its machine: nothing that the worker can write to is
/// believed.
namespace roofline::grader {

/// The arrays of one loaded call.
class DeviceArrays {
 public:
  /// `output_bytes`: the most that read() will bring. The session must outlive this.
  DeviceArrays(sim::Session& session, std::uint64_t output_bytes);

  /// Hashes of every array's image as the judge made it, under a key that nobody else knows: to be taken
  /// while the worker loads.
  void remember(const CallPlan& plan, std::span<const std::byte> input, std::span<const std::byte> output);
  /// `addresses`: of the arrays, as the worker says. The first array that is not there, on its GPU, or not
  /// what the judge gave; none: the device has what remember() saw.
  Fault prove(const CallPlan& plan, std::span<const std::uint64_t> addresses);
  /// What is in the outputs now.
  Fault read(const CallPlan& plan, std::vector<std::byte>& outputs);

 private:
  Fault misplaced(const CallPlan& plan, const ArrayPlan& array, std::uint64_t given);

  sim::Session* session_;
  SharedMemory fetched_;  ///< the machine writes it; no worker sees it
  std::uint64_t key_ = 0;
  std::vector<std::uint64_t> given_;
  std::array<std::uint64_t, worker::kMaxParameters> addresses_{};
};

}  // namespace roofline::grader
