// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grader/call/call.h"
#include "grader/call/fault.h"
#include "grader/call/shared_memory.h"
#include "simulator/host/session.h"

/// The judge's own way into a simulated device's memory and out of it: the worker, which allocates the
/// arrays, sees no input before a call and takes no part in what is read afterwards.
namespace roofline::grader {

/// The arrays of one loaded call.
class DeviceArrays {
 public:
  /// `output_bytes`: the most that read() will bring. The session must outlive this.
  DeviceArrays(sim::Session& session, std::uint64_t output_bytes);

  /// Before give(): where the arrays are, as the worker says.
  void lie_at(const CallPlan& plan, std::span<const std::uint64_t> addresses);
  /// What a message says of memory, "the 1028-byte allocation at 0x2000 (cudaMalloc no. 3 in ...)", with the
  /// name of the argument in the place of who allocated it.
  std::string in_names(std::string message) const;
  /// The argument whose array begins there; empty: none does.
  std::string name_at(std::uint64_t address) const;
  /// A fault where two arrays that the plan keeps apart share memory.
  Fault apart(const CallPlan& plan) const;
  enum class When : std::uint8_t {
    kPrepare,  ///< inputs that prepare may know (Argument::early)
    kGo        ///< everything
  };
  /// Copies the images from the judge's memory into the arrays. The fault: the first that is no array on its
  /// GPU.
  Fault give(const CallPlan& plan, When when, int input_file, int output_file);
  /// What is in the outputs now.
  Fault read(const CallPlan& plan, std::vector<std::byte>& outputs);

 private:
  sim::Session* session_;
  SharedMemory fetched_;  ///< the machine writes it; no worker sees it
  std::array<std::uint64_t, worker::kMaxParameters> addresses_{};
  std::array<std::string, worker::kMaxParameters> names_{};  ///< of arrays; empty: the parameter is none
};

}  // namespace roofline::grader
