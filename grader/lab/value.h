// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roofline::grader {

/// What the judge knows of the device under test: from devices/*.toml when simulated, from the driver
/// otherwise.
struct DeviceFacts {
  bool simulated = true;
  std::string id{};    ///< "a100-sxm4-40gb"; empty on a GPU
  std::string name{};  ///< as cudaDeviceProp::name
  int capability = 0;  ///< 80 for compute capability 8.0
  unsigned sms = 0;
  std::uint64_t l2_bytes = 0, memory_bytes = 0;
  double pin_gbps = 0;          ///< data-sheet DRAM bandwidth: 2 x memory clock x bus width / 8
  double clock_mhz = 0;         ///< boost clock
  double fp32_tflops = 0;       ///< 2 x FMA lanes x boost clock
  unsigned gpus = 1;            ///< how many of them there are: of a GPU, what the system has
  bool peers = true;            ///< several of them reach each other's memory
  double tensor_tflops = 0;     ///< dense products of halves with float sums, data sheet; 0: no such cores
  double tensor_f8_tflops = 0;  ///< of 8-bit floats, likewise
  std::string driver{}, toolkit{};  ///< versions; "simulated" and the simulator's own otherwise
  std::string model{};              ///< the time model's version; empty on a GPU
};

/// A number, or a number that follows from the device (a size that must exceed its L2, say).
class Value {
 public:
  Value(double number) : number_(number) {}  // NOLINT: a table writes plain numbers
  Value(std::function<double(const DeviceFacts&)> rule) : rule_(std::move(rule)) {}  // NOLINT
  double at(const DeviceFacts& device) const { return rule_ ? rule_(device) : number_; }

 private:
  double number_ = 0;
  std::function<double(const DeviceFacts&)> rule_{};
};

struct L2Multiple {
  double simulated = 4;  ///< total bytes over L2 bytes
  double gpu = 16;
  double bytes_per_element = 8;     ///< of all arrays together
  std::uint64_t minimum = 1 << 20;  ///< elements
};
/// Number of elements whose arrays fill this many times the device's L2; a multiple of 1024.
Value l2_multiple(const L2Multiple& rule);

struct RowsBeyondL2 {
  double simulated = 4;  ///< total bytes over L2 bytes
  double gpu = 16;
  double row_bytes = 0;             ///< of all arrays together
  std::uint64_t multiple = 1;       ///< of which the number of rows is one
  bool of_sms = false;              ///< a multiple of the number of SMs, too: with a block for each row no SM
                                    ///< waits for another at the end
  std::uint64_t minimum = 1 << 26;  ///< bytes
};
/// The same for matrices whose rows have a fixed length: how many rows.
Value rows_beyond_l2(const RowsBeyondL2& rule);

/// The error of a spec that reads a name it never gave.
std::out_of_range not_in_spec(std::string_view what, std::string_view name);

using NamedValues = std::vector<std::pair<std::string, Value>>;

/// Values fixed by a case, resolved for a device. Reading a name that is not there is the spec's mistake
/// (throws).
class Settings {
 public:
  Settings() = default;
  Settings(const NamedValues& values, const DeviceFacts& device);
  double operator[](std::string_view name) const;
  std::optional<double> find(std::string_view name) const;
  void set(std::string_view name, double value);
  const std::vector<std::pair<std::string, double>>& all() const { return values_; }

 private:
  std::vector<std::pair<std::string, double>> values_{};
};

}  // namespace roofline::grader
