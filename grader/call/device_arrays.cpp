// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/device_arrays.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace roofline::grader {
namespace {

constexpr int kHex = 16;
constexpr std::uint64_t kMostOffset =
    256;  ///< of an array in its allocation: a device allocates in such steps

}  // namespace

DeviceArrays::DeviceArrays(sim::Session& session, std::uint64_t output_bytes)
    : session_(&session), fetched_("roofline-fetched", output_bytes, SharedMemory::Worker::kWrites) {}

void DeviceArrays::lie_at(const CallPlan& plan, std::span<const std::uint64_t> addresses) {
  std::ranges::copy(addresses, addresses_.begin());
  for (const ArrayPlan& array : plan.arrays())
    if (array.record.alias != 0) addresses_[array.parameter] = addresses_[array.record.alias - 1U];
  names_ = {};
  for (const ArrayPlan& array : plan.arrays()) names_[array.parameter] = array.argument->name;
}

std::string DeviceArrays::in_names(std::string message) const {
  static constexpr std::string_view kAllocation = "-byte allocation at 0x";
  for (std::size_t at = message.find(kAllocation); at != std::string::npos;
       at = message.find(kAllocation, at)) {
    at += kAllocation.size();
    std::uint64_t begin = 0;
    const auto [end, error] =
        std::from_chars(message.data() + at, message.data() + message.size(), begin, kHex);
    const auto open = static_cast<std::size_t>(end - message.data());
    const std::size_t close = message.find(')', open);
    if (error != std::errc() || close == std::string::npos || message.compare(open, 2, " (") != 0) continue;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (names_[k].empty() || addresses_[k] < begin || addresses_[k] - begin >= kMostOffset) continue;
      message.replace(open, close + 1 - open, " (your argument " + names_[k] + ")");
      break;
    }
  }
  return message;
}

std::string DeviceArrays::name_at(std::uint64_t address) const {
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (!names_[k].empty() && addresses_[k] == address) return names_[k];
  return {};
}

Fault DeviceArrays::apart(const CallPlan& plan) const {
  for (const ArrayPlan& one : plan.arrays())
    for (const ArrayPlan& other : plan.arrays()) {
      if (&one == &other || one.record.alias != 0 || other.record.alias != 0) continue;
      const std::uint64_t begin = addresses_[one.parameter];
      if (addresses_[other.parameter] - begin < one.record.image_bytes)
        return {Class::kHostComputed,
                one.argument->name + " and " + other.argument->name + " share memory on the device",
                {},
                0};
    }
  return {};
}

Fault DeviceArrays::give(const CallPlan& plan, When when, int input_file, int output_file) {
  for (const ArrayPlan& array : plan.arrays()) {
    const worker::ArrayRecord& record = array.record;
    if (record.alias != 0 || (when == When::kPrepare && !array.argument->early)) continue;
    if (session_->copy_in(
            addresses_[array.parameter], record.image_bytes,
            record.from_output != 0 ? output_file : input_file, record.source,
            {.gpu = record.gpu, .keeps_l2 = plan.shape().warm, .garbage = array.argument->scratch}))
      continue;
    const bool is_input = array.argument->kind == Argument::Kind::kInput;
    const std::string place = plan.program().gpus == 1 ? "the device" : "GPU " + std::to_string(record.gpu);
    return {Class::kHostComputed,
            (is_input ? "the input " : "the output ") + array.argument->name + " is not an array on " + place,
            {},
            0};
  }
  return {};
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
