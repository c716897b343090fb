// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grader/lab/spec.h"
#include "worker/protocol.h"

/// One call of a learner's function: what it is given, where it lies in the shared memory, and what came
/// back.
namespace roofline::grader {

struct CallShape {
  Settings settings;       ///< resolved for the device
  std::uint64_t seed = 0;  ///< of this call alone
  bool hidden = false;     ///< an instructor's case
  bool special_values = false;
  unsigned misaligned_elements = 0;
  std::string misaligned_alone{};
  std::vector<std::pair<std::string, std::string>> alias;
  bool guards = true;        ///< bands around every array; a simulated device needs none, it traps
  bool fetch_inputs = true;  ///< bring inputs back to see that they are unchanged
  bool warm = false;         ///< simulated: L2 keeps what the call before left in it
};

/// Where one array lies.
struct ArrayPlan {
  std::size_t parameter = 0;
  const Argument* argument = nullptr;
  std::uint64_t elements = 0, payload_bytes = 0;
  worker::ArrayRecord record{};
};

class CallPlan {
 public:
  /// Throws std::invalid_argument for a spec that does not hang together (an integer scalar that no case
  /// fixes).
  CallPlan(const Program& program, CallShape shape);

  const Program& program() const { return *program_; }
  const CallShape& shape() const { return shape_; }
  const std::vector<ArrayPlan>& arrays() const { return arrays_; }
  std::uint64_t input_bytes() const { return input_bytes_; }
  std::uint64_t output_bytes() const { return output_bytes_; }
  std::uint64_t device_bytes() const { return device_bytes_; }
  std::uint32_t poison() const { return poison_; }
  /// Draws the scalars that no case fixes anew; the arrays stay.
  void draw_scalars(std::uint64_t seed);

  /// Random inputs and poison into the shared memory.
  void fill(std::span<std::byte> input, std::span<std::byte> output) const;
  worker::Request load_request() const;
  worker::Request prepare_request() const;  ///< with the bits of the scalars that the case fixes
  worker::Request go_request() const;       ///< with the scalars' bits
  worker::Request fetch_request() const;

  /// The call for the reference; inputs are read from `input`, which must outlive the view.
  CallView view(std::span<const std::byte> input) const;
  std::vector<CallView::Array> input_arrays(std::span<const std::byte> input) const;

  /// Inside `output` after a fetch.
  std::span<const std::byte> payload(const ArrayPlan& array, std::span<const std::byte> output) const;
  bool in_place(const ArrayPlan& array) const { return array.record.alias != 0; }
  const ArrayPlan& array(std::string_view name) const;
  /// Bytes before (first) and after the payload that changed: offsets from the payload's start / end.
  struct GuardDamage {
    std::uint64_t bytes = 0;
    std::int64_t first = 0;  ///< negative: before the array; else bytes past its end
  };
  GuardDamage guard_damage(const ArrayPlan& array, std::span<const std::byte> output) const;
  /// Input images that differ from what was given: index of the first changed element, or -1.
  std::int64_t changed_input(const ArrayPlan& array, std::span<const std::byte> input,
                             std::span<const std::byte> output) const;

 private:
  void place(ArrayPlan& array);

  const Program* program_;
  CallShape shape_;
  std::vector<ArrayPlan> arrays_;
  std::vector<double> scalars_;  ///< by parameter index
  std::vector<bool> fixed_;      ///< by parameter index: the case says the scalar
  std::uint64_t input_bytes_ = 0, output_bytes_ = 0, device_bytes_ = 0;
  std::uint32_t poison_ = 0;
};

/// What the case gives the function: "rows = 5, columns = 128". Settings that only say what arrays hold are
/// left out, unless there are no others.
std::string arguments_text(const CallPlan& plan);

}  // namespace roofline::grader
