// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/options.h"

#include <charconv>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "simulator/device/device.h"
#include "simulator/program/address_windows.h"

namespace roofline::sim::server {
namespace {

/// The field that an argument names takes its value.
struct Argument {
  std::string_view name, value;
  bool known = false;

  template <class T>
  void operator()(std::string_view field, T& member) {
    if (name.substr(0, 2) != "--" || name.substr(2) != field) return;
    known = true;
    if constexpr (std::is_same_v<T, std::string>)
      member = value;
    else if constexpr (std::is_same_v<T, bool>)
      member = number<int>() != 0;
    else
      member = number<T>();
  }

  template <class T>
  T number() const {
    T parsed{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error != std::errc{} || end != value.data() + value.size())
      throw std::runtime_error(std::string(name) + " needs a number, not '" + std::string(value) + "'");
    return parsed;
  }
};

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    Argument argument{.name = argv[i], .value = {}};
    if (i + 1 == argc) throw std::runtime_error(std::string(argument.name) + " needs a value");
    argument.value = argv[i + 1];
    options.fields(argument);
    if (!argument.known) throw std::runtime_error("unknown argument '" + std::string(argument.name) + "'");
  }
  if (options.guest_fd < 0 || options.device.empty())
    throw std::runtime_error("this program is started by libcudart.so.13 or by the grader, not by hand");
  if (options.gpus < 1 || options.gpus > kMaxDevices)
    throw std::runtime_error("--gpus is 1 to " + std::to_string(kMaxDevices));
  return options;
}

}  // namespace roofline::sim::server
