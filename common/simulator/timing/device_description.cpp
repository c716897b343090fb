// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/device_description.h"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "simulator/closest.h"
#include "simulator/timing/model_version.h"

namespace roofline::sim {
namespace {

using Field = std::variant<double DeviceDescription::*, u32 DeviceDescription::*, u64 DeviceDescription::*,
                           std::string DeviceDescription::*>;
struct Key {
  std::string_view name;
  Field field;
  double minimum = 0;  ///< a smaller number is a mistake in the file
};

using D = DeviceDescription;
constexpr double kAboveZero = 1e-9;

/// Every key of a device file; each must be there once. The file's words are the members' names.
const Key kKeys[] = {
    {"name", &D::name},
    {"compute_major", &D::compute_major, 1},
    {"compute_minor", &D::compute_minor},
    {"sms", &D::sms, 1},
    {"clock_mhz", &D::clock_mhz, 1},
    {"tensor_clock_mhz", &D::tensor_clock_mhz, 1},
    {"max_threads_per_block", &D::max_threads_per_block, 32},
    {"max_threads_per_sm", &D::max_threads_per_sm, 32},
    {"max_blocks_per_sm", &D::max_blocks_per_sm, 1},
    {"max_warps_per_sm", &D::max_warps_per_sm, 1},
    {"registers_per_sm", &D::registers_per_sm, 1},
    {"register_allocation_unit", &D::register_allocation_unit, 1},
    {"shared_per_sm", &D::shared_per_sm, 1},
    {"shared_per_block", &D::shared_per_block, 1},
    {"shared_per_block_optin", &D::shared_per_block_optin, 1},
    {"shared_reserved_per_block", &D::shared_reserved_per_block},
    {"l1_bytes", &D::l1_bytes, 1},
    {"memory_bytes", &D::memory_bytes, 1},
    {"memory_bus_bits", &D::memory_bus_bits, 1},
    {"memory_clock_mhz", &D::memory_clock_mhz, 1},
    {"l2_bytes", &D::l2_bytes, 1},
    {"l2_ways", &D::l2_ways, 1},
    {"copy_engines", &D::copy_engines, 1},
    {"pcie_generation", &D::pcie_generation, 1},
    {"issue_rate", &D::issue_rate, kAboveZero},
    {"fma_rate", &D::fma_rate, kAboveZero},
    {"alu_rate", &D::alu_rate, kAboveZero},
    {"half_rate", &D::half_rate, kAboveZero},
    {"fp64_rate", &D::fp64_rate, kAboveZero},
    {"sfu_rate", &D::sfu_rate, kAboveZero},
    {"memory_issue_rate", &D::memory_issue_rate, kAboveZero},
    {"control_rate", &D::control_rate, kAboveZero},
    {"tensor_f16_flops_per_clock", &D::tensor_f16_flops_per_clock},
    {"tensor_f16_f32_flops_per_clock", &D::tensor_f16_f32_flops_per_clock},
    {"tensor_bf16_flops_per_clock", &D::tensor_bf16_flops_per_clock},
    {"tensor_tf32_flops_per_clock", &D::tensor_tf32_flops_per_clock},
    {"tensor_f64_flops_per_clock", &D::tensor_f64_flops_per_clock},
    {"tensor_f8_flops_per_clock", &D::tensor_f8_flops_per_clock},
    {"tensor_s8_flops_per_clock", &D::tensor_s8_flops_per_clock},
    {"tensor_s4_flops_per_clock", &D::tensor_s4_flops_per_clock},
    {"tensor_b1_flops_per_clock", &D::tensor_b1_flops_per_clock},
    {"mma_sync_factor", &D::mma_sync_factor, kAboveZero},
    {"three_register_fma_factor", &D::three_register_fma_factor, kAboveZero},
    {"fma_efficiency", &D::fma_efficiency, kAboveZero},
    {"l1_bytes_per_clock", &D::l1_bytes_per_clock, kAboveZero},
    {"l2_bytes_per_clock", &D::l2_bytes_per_clock, kAboveZero},
    {"shared_wavefronts_per_clock", &D::shared_wavefronts_per_clock, kAboveZero},
    {"l2_gbps", &D::l2_gbps, 1},
    {"l2_write_cost", &D::l2_write_cost, kAboveZero},
    {"dram_gbps", &D::dram_gbps, 1},
    {"dram_read_efficiency", &D::dram_read_efficiency, kAboveZero},
    {"dram_write_efficiency", &D::dram_write_efficiency, kAboveZero},
    {"dram_copy_efficiency", &D::dram_copy_efficiency, kAboveZero},
    {"atomic_sectors_per_clock", &D::atomic_sectors_per_clock, kAboveZero},
    {"atomic_turns_per_clock", &D::atomic_turns_per_clock, kAboveZero},
    {"atomic_turns_64_per_clock", &D::atomic_turns_64_per_clock, kAboveZero},
    {"atomic_slice_turns_per_clock", &D::atomic_slice_turns_per_clock, kAboveZero},
    {"atomic_same_address_per_clock", &D::atomic_same_address_per_clock, kAboveZero},
    {"atomic_float_same_address_per_clock", &D::atomic_float_same_address_per_clock, kAboveZero},
    {"atomic_loop_latency", &D::atomic_loop_latency, 1},
    {"atomic_loop_64_latency", &D::atomic_loop_64_latency, 1},
    {"overlap_exponent", &D::overlap_exponent, 1},
    {"latency_exponent", &D::latency_exponent, 1},
    {"l2_read_wait", &D::l2_read_wait, 0},
    {"l2_write_wait", &D::l2_write_wait, 0},
    {"dram_read_wait", &D::dram_read_wait, 0},
    {"dram_write_wait", &D::dram_write_wait, 0},
    {"alu_latency", &D::alu_latency, 1},
    {"fma_latency", &D::fma_latency, 1},
    {"half_latency", &D::half_latency, 1},
    {"fp64_latency", &D::fp64_latency, 1},
    {"sfu_latency", &D::sfu_latency, 1},
    {"shared_latency", &D::shared_latency, 1},
    {"l1_latency", &D::l1_latency, 1},
    {"l2_latency", &D::l2_latency, 1},
    {"dram_latency", &D::dram_latency, 1},
    {"barrier_latency", &D::barrier_latency, 1},
    {"tensor_latency", &D::tensor_latency, 1},
    {"control_latency", &D::control_latency, 1},
    {"block_start_latency", &D::block_start_latency},
    {"blocks_per_clock", &D::blocks_per_clock, kAboveZero},
    {"launch_us", &D::launch_us, kAboveZero},
    {"kernel_gap_us", &D::kernel_gap_us, kAboveZero},
    {"kernel_start_us", &D::kernel_start_us, kAboveZero},
    {"graph_launch_us", &D::graph_launch_us, kAboveZero},
    {"graph_launch_node_us", &D::graph_launch_node_us},
    {"graph_instantiate_us", &D::graph_instantiate_us, kAboveZero},
    {"graph_instantiate_node_us", &D::graph_instantiate_node_us},
    {"graph_node_us", &D::graph_node_us, kAboveZero},
    {"synchronize_us", &D::synchronize_us, kAboveZero},
    {"api_call_us", &D::api_call_us},
    {"event_us", &D::event_us},
    {"copy_latency_us", &D::copy_latency_us, kAboveZero},
    {"pinned_gbps", &D::pinned_gbps, kAboveZero},
    {"pageable_gbps", &D::pageable_gbps, kAboveZero},
    {"device_copy_latency_us", &D::device_copy_latency_us, kAboveZero},
    {"copy_half_size_bytes", &D::copy_half_size_bytes},
    {"peer_access", &D::peer_access},
    {"peer_gbps", &D::peer_gbps, kAboveZero},
    {"peer_latency_us", &D::peer_latency_us, kAboveZero},
    {"fault_group_us", &D::fault_group_us},
};

/// " Did you mean \"x\"?" when a known word is near enough, otherwise "".
std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = closest(word, known);
  return near.empty() ? "" : " Did you mean \"" + near + "\"?";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string number_text(double value) {
  std::ostringstream text;
  text << std::setprecision(12) << value;
  return text.str();
}

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const Key& key : kKeys) names.emplace_back(key.name);
  return names;
}

/// One device file on its way into a DeviceDescription.
class Reader {
 public:
  Reader(const std::filesystem::path& path, DeviceDescription& device) : path_(path), device_(device) {
    try {
      table_ = toml::parse_file(path.string());
    } catch (const toml::parse_error& error) {
      fail(error.source().begin.line, std::string(error.description()));
    }
  }

  void read() {
    read_sources();
    for (const auto& [name, node] : table_)
      if (name != "sources" &&
          std::none_of(std::begin(kKeys), std::end(kKeys),
                       [&word = name](const Key& key) { return key.name == word.str(); }))
        fail(line_of(node), "unknown key \"" + std::string(name.str()) + "\"." +
                                suggestion(std::string(name.str()), key_names()) +
                                " Known keys: " + joined(key_names()) + ".");
    std::vector<std::string> missing;
    for (const Key& key : kKeys) {
      if (const toml::node* node = table_.get(key.name))
        read_key(key, *node);
      else
        missing.emplace_back(key.name);
    }
    if (!missing.empty())
      fail(1, "missing: " + joined(missing) + ". A device file has these keys: " + joined(key_names()) + ".");
  }

 private:
  [[noreturn]] void fail(toml::source_index line, const std::string& what) const {
    throw std::runtime_error(path_.string() + ":" + std::to_string(line) + ": " + what);
  }
  static toml::source_index line_of(const toml::node& node) { return node.source().begin.line; }

  void read_sources() {
    const toml::node* node = table_.get("sources");
    if (node == nullptr || !node->is_table())
      fail(1, "no [sources] table: each number names one of its keys.");
    for (const auto& [key, value] : *node->as_table()) {
      const auto text = value.value<std::string>();
      if (!text || text->empty()) fail(line_of(value), "a source is a text: " + std::string(key.str()) + ".");
      sources_.emplace_back(key.str());
      device_.sources.push_back(std::string(key.str()) + ": " + *text);
    }
  }

  /// key = [value, "source"]
  void read_key(const Key& key, const toml::node& node) {
    const toml::array* pair = node.as_array();
    const std::string name(key.name);
    if (pair == nullptr || pair->size() != 2)
      fail(line_of(node), name + " needs a value and its source: " + name + " = [value, \"source\"].");
    const auto source = pair->get(1)->value<std::string>();
    if (!source || std::find(sources_.begin(), sources_.end(), *source) == sources_.end())
      fail(line_of(node), name + ": its source is not in [sources]." +
                              (source ? suggestion(*source, sources_) : "") +
                              " Sources: " + joined(sources_) + ".");
    std::visit([&](auto member) { store(key, member, *pair->get(0)); }, key.field);
  }

  void store(const Key& key, std::string D::*member, const toml::node& node) {
    const auto text = node.value<std::string>();
    if (!text || text->empty()) fail(line_of(node), std::string(key.name) + " must be a text.");
    device_.*member = *text;
  }
  template <class T>
  void store(const Key& key, T D::*member, const toml::node& node) {
    const auto number = node.value<double>();
    const bool whole = !std::is_integral_v<T> || node.is_integer();
    if (!number || !whole)
      fail(line_of(node), std::string(key.name) + " must be a " + (whole ? "number." : "whole number."));
    if (!(*number >= key.minimum))
      fail(line_of(node), std::string(key.name) + " is too small: " + std::to_string(*number) + ".");
    device_.*member = static_cast<T>(*number);
  }

  std::filesystem::path path_;
  DeviceDescription& device_;
  toml::table table_;
  std::vector<std::string> sources_;
};

/// "sms=54": that key of `device` becomes 54. Throws std::runtime_error with what is wrong.
void change(DeviceDescription& device, const std::string& words) {
  const size_t equals = words.find('=');
  const std::string name = words.substr(0, equals);
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error("--device " + device.id + ",...: " + why);
  };
  if (equals == std::string::npos)
    refuse("\"" + words + "\" is no change; write KEY=NUMBER, for example sms=54.");
  const auto key = std::ranges::find(kKeys, name, &Key::name);
  if (key == std::end(kKeys)) {
    refuse("there is no number \"" + name + "\"." + suggestion(name, key_names()) +
           " docs/devices.md lists them all.");
  }
  if (std::holds_alternative<std::string D::*>(key->field))
    refuse(name + " is a text; only numbers can be changed.");
  double value = 0;
  const char *first = words.data() + equals + 1, *last = words.data() + words.size();
  if (const auto [end, error] = std::from_chars(first, last, value);
      error != std::errc() || end != last || !std::isfinite(value))
    refuse("\"" + words.substr(equals + 1) + "\" is no number for " + name + ".");
  std::visit(
      [&]<class T>(T D::*member) {
        if constexpr (std::is_arithmetic_v<T>) {
          if (name.starts_with("compute_"))
            refuse(name + " stays as it is: it says which code runs; choose another device instead.");
          if (std::is_integral_v<T> && value != std::floor(value)) refuse(name + " must be a whole number.");
          // Beyond this, it is a slip of the keyboard, and the address space ends.
          constexpr double kMost = 30;
          const double own = static_cast<double>(device.*member);
          double least = std::max(key->minimum, own / kMost);
          if (std::is_integral_v<T>) least = std::ceil(least);
          const double most = own == 0 ? 1 : own * kMost;
          if (!(value >= least && value <= most))
            refuse(name + " must lie between " + number_text(least) + " and " + number_text(most) + "; the " +
                   device.id + " has " + number_text(own) + ".");
          device.*member = static_cast<T>(value);
        }
      },
      key->field);
}

/// Numbers that no file changes alone. The second follows where only the first was given.
struct Follows {
  double D::*first;
  const char* first_key;
  double D::*second;
  const char* second_key;
};
constexpr Follows kFollows[] = {{&D::clock_mhz, "clock_mhz", &D::tensor_clock_mhz, "tensor_clock_mhz"},
                                {&D::dram_gbps, "dram_gbps", &D::memory_clock_mhz, "memory_clock_mhz"}};

void follow(D& device, const D& plain, const std::vector<std::string>& given) {
  const auto has = [&](const char* key) { return std::ranges::find(given, key) != given.end(); };
  for (const Follows& pair : kFollows) {
    // Bytes a second are clock times width: a bus that was given says that the clock is meant as it is.
    if (!has(pair.first_key) || has(pair.second_key) ||
        (pair.first == &D::dram_gbps && has("memory_bus_bits")))
      continue;
    device.*pair.second *= device.*pair.first / plain.*pair.first;
    device.sources.push_back(std::string("changed: ") + pair.second_key + "=" +
                             number_text(device.*pair.second) + ", with " + pair.first_key);
  }
}

/// Throws std::runtime_error where numbers contradict each other and have to be changed together.
void require_consistent(const D& device) {
  const std::string fault = contradiction(device);
  if (!fault.empty())
    throw std::runtime_error("--device " + plain_device(device.id) + ",...: " + fault + "; give both.");
}

}  // namespace

std::string contradiction(const DeviceDescription& device) {
  const auto at_most = [](const char* small, u64 a, const char* large, u64 b) -> std::string {
    if (a <= b) return {};
    return std::string(small) + " (" + std::to_string(a) + ") may not be more than " + large + " (" +
           std::to_string(b) + ")";
  };
  if (device.max_threads_per_sm != 32 * device.max_warps_per_sm)
    return "max_threads_per_sm (" + std::to_string(device.max_threads_per_sm) +
           ") must be 32 times max_warps_per_sm (" + std::to_string(device.max_warps_per_sm) + ")";
  for (const std::string& fault :
       {at_most("max_threads_per_block", device.max_threads_per_block, "max_threads_per_sm",
                device.max_threads_per_sm),
        at_most("shared_per_block", device.shared_per_block, "shared_per_block_optin",
                device.shared_per_block_optin),
        at_most("shared_per_block_optin", device.shared_per_block_optin, "shared_per_sm",
                device.shared_per_sm),
        at_most("shared_per_sm", device.shared_per_sm, "l1_bytes", device.l1_bytes)})
    if (!fault.empty()) return fault;
  return {};
}

PipeSpeed speed_of(const DeviceDescription& device, Pipe pipe) {
  switch (pipe) {
    case Pipe::kAlu:
      return {device.alu_rate, device.alu_latency};
    case Pipe::kFma:
      return {device.fma_rate, device.fma_latency};
    case Pipe::kHalf:
      return {device.half_rate, device.half_latency};
    case Pipe::kFp64:
      return {device.fp64_rate, device.fp64_latency};
    case Pipe::kSfu:
      return {device.sfu_rate, device.sfu_latency};
    case Pipe::kMemory:
      return {device.memory_issue_rate, device.shared_latency};
    case Pipe::kTensor:
      return {0, device.tensor_latency};
    case Pipe::kControl:
      return {device.control_rate, device.control_latency};
    case Pipe::kNone:
    case Pipe::kCount:
      break;
  }
  return {};
}

std::string plain_device(std::string_view id) { return std::string(id.substr(0, id.find(','))); }
bool is_changed_device(std::string_view id) { return id.find(',') != id.npos; }

std::vector<std::string> known_devices(const std::filesystem::path& directory) {
  std::set<std::string> ids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    if (entry.path().extension() == ".toml") ids.insert(entry.path().stem().string());
  return {ids.begin(), ids.end()};
}

bool set_number(DeviceDescription& device, std::string_view key, double value) {
  for (const Key& known : kKeys)
    if (known.name == key)
      return std::visit(
          [&]<class T>(T D::*member) {
            if constexpr (std::is_arithmetic_v<T>) device.*member = static_cast<T>(value);
            return std::is_arithmetic_v<T>;
          },
          known.field);
  return false;
}

std::string values_text(const DeviceDescription& device) {
  std::ostringstream text;
  text.precision(17);
  for (const Key& key : kKeys) {
    text << key.name << " = ";
    std::visit([&](auto member) { text << device.*member; }, key.field);
    text << '\n';
  }
  return text.str();
}

DeviceDescription load_device(const std::filesystem::path& directory, const std::string& id) {
  // Only listed names are opened: an id is no path.
  const std::string plain = plain_device(id);
  const std::vector<std::string> known = known_devices(directory);
  if (std::find(known.begin(), known.end(), plain) == known.end())
    throw std::runtime_error("No device \"" + plain + "\" in " + directory.string() + "." +
                             suggestion(plain, known) +
                             " Known devices: " + (known.empty() ? "none" : joined(known)) + ".");
  DeviceDescription device;
  device.id = plain;
  Reader(directory / (plain + ".toml"), device).read();
  if (!is_changed_device(id)) return device;
  const DeviceDescription as_built = device;
  std::vector<std::string> given;
  std::string words;
  for (std::istringstream changes(id.substr(plain.size() + 1) + ","); std::getline(changes, words, ',');) {
    change(device, words);
    given.push_back(words.substr(0, words.find('=')));
    if (std::ranges::count(given, given.back()) > 1)
      throw std::runtime_error("--device " + plain + ",...: " + given.back() + " is given twice.");
    device.name += ", " + words;
    device.sources.push_back("changed: " + words);
  }
  device.id = id;
  follow(device, as_built, given);
  require_consistent(device);
  return device;
}

}  // namespace roofline::sim
