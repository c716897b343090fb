// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/options.h"

#include <charconv>
#include <stdexcept>
#include <string_view>

#include "simulator/machine/device.h"

namespace roofline::sim::server {
namespace {

template <class T>
T number(std::string_view name, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::runtime_error(std::string(name) + " needs a number, not '" + std::string(text) + "'");
  return value;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) throw std::runtime_error(std::string(name) + " needs a value");
    const std::string_view value = argv[i + 1];
    if (name == "--device")
      options.device = value;
    else if (name == "--devices")
      options.devices = value;
    else if (name == "--guest-fd")
      options.guest_fd = number<int>(name, value);
    else if (name == "--observer-fd")
      options.observer_fd = number<int>(name, value);
    else if (name == "--gpus")
      options.gpus = number<unsigned>(name, value);
    else if (name == "--threads")
      options.threads = number<unsigned>(name, value);
    else if (name == "--checks")
      options.checks = number<unsigned>(name, value);
    else if (name == "--device-memory")
      options.device_memory = number<u64>(name, value);
    else if (name == "--time-limit")
      options.time_limit = number<double>(name, value);
    else if (name == "--trace")
      options.trace = number<int>(name, value) != 0;
    else if (name == "--permute-fragments")
      options.permute_fragments = number<int>(name, value) != 0;
    else
      throw std::runtime_error("unknown argument '" + std::string(name) + "'");
  }
  if (options.guest_fd < 0 || options.device.empty())
    throw std::runtime_error("this program is started by libcudart.so.13 or by the grader, not by hand");
  if (options.gpus < 1 || options.gpus > kMaxDevices)
    throw std::runtime_error("--gpus is 1 to " + std::to_string(kMaxDevices));
  return options;
}

}  // namespace roofline::sim::server
