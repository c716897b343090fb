// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/device_arrays.h"

#include <algorithm>
#include <string>

#include "grader/lab/generate.h"
#include "simulator/channel/content_hash.h"

namespace roofline::grader {

DeviceArrays::DeviceArrays(sim::Session& session, std::uint64_t output_bytes)
    : session_(&session), fetched_("roofline-fetched", output_bytes, SharedMemory::Worker::kWrites) {}

void DeviceArrays::remember(const CallPlan& plan, std::span<const std::byte> input,
                            std::span<const std::byte> output) {
  key_ = entropy();
  given_.clear();
  for (const ArrayPlan& array : plan.arrays()) {
    const std::span<const std::byte> memory = array.record.from_output != 0 ? output : input;
    given_.push_back(sim::content_hash(memory.subspan(array.record.source, array.record.image_bytes), key_));
  }
}

Fault DeviceArrays::prove(const CallPlan& plan, std::span<const std::uint64_t> addresses) {
  std::ranges::copy(addresses, addresses_.begin());
  Fault fault;
  for (std::size_t i = 0; i < given_.size() && !fault; ++i)
    fault = misplaced(plan, plan.arrays()[i], given_[i]);
  return fault;
}

Fault DeviceArrays::misplaced(const CallPlan& plan, const ArrayPlan& array, std::uint64_t given) {
  if (array.record.alias != 0) {
    addresses_[array.parameter] = addresses_[array.record.alias - 1U];
    return {};
  }
  const auto there =
      session_->hash(addresses_[array.parameter], array.record.image_bytes, key_, array.record.gpu);
  if (there == given) return {};
  const bool is_input = array.argument->kind == Argument::Kind::kInput;
  const std::string place =
      plan.program().gpus == 1 ? "the device" : "GPU " + std::to_string(array.record.gpu);
  return {is_input ? Class::kInputChanged : Class::kHostComputed,
          (is_input ? "the input " : "the output ") + array.argument->name +
              (there ? " on the device is not the one that was given" : " is not an array on " + place),
          {},
          0};
}

Fault DeviceArrays::read(const CallPlan& plan, std::vector<std::byte>& outputs) {
  for (const ArrayPlan& array : plan.arrays()) {
    if (array.record.fetch == 0) continue;
    if (!session_->copy_out(addresses_[array.parameter], array.record.image_bytes, fetched_.fd(),
                            array.record.destination, array.record.gpu))
      return {
          Class::kCrashed, array.argument->name + " is no longer on the device: was it freed there?", {}, 0};
  }
  const auto bytes = fetched_.bytes().first(plan.output_bytes());
  outputs.assign(bytes.begin(), bytes.end());
  return {};
}

}  // namespace roofline::grader
