// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <vector>

#include "simulator/channel/observer.h"
#include "simulator/device/device.h"
#include "simulator/timing/timeline.h"

namespace roofline::sim::server {

/// What the observer may ask for: kernels and bytes of the present region, counts per instruction since the
/// start.
class Records {
 public:
  static constexpr size_t kMaxMessages = 100, kMaxMessageBytes = 4096;  ///< of a kind, in a region

  void begin_region(double now, u64 device_bytes, u64 host_bytes);
  double region_began() const { return begin_; }
  channel::WireRegion end_region(double work_end);

  void kernel(KernelRecord record);
  /// Kernels of the region, by their ordinals, that run at other times than was said before.
  void moved(const std::map<u64, Span>& kernels);
  /// Gives the launch's number in the region.
  u64 graph_launched() { return ++region_.graph_launches; }
  void graph_instantiated() { region_.graphs_instantiated++; }
  void graph_node() { region_.graph_nodes++; }
  void trap(const Trap& trap);
  void missing_function(const std::string& name) { note(region_.missing_functions, name); }
  /// `code`: bytes of it.
  void module_loaded(u64 code) {
    region_.modules_loaded++;
    region_.from_host.code += code;
  }
  void parameters(u64 bytes) {
    if (bytes > kPlainParameterBytes) region_.from_host.parameters += bytes - kPlainParameterBytes;
  }
  void object_created() { region_.from_host.objects += sizeof(TextureObject::border) + sizeof(u64); }
  void migrated(u64 bytes) { region_.from_host.managed += bytes; }
  void launch_refused() { region_.launches_refused++; }
  void load_error(const std::string& message) { note(region_.load_errors, message); }
  void copied(CopyKind kind, u64 bytes, u32 stream);
  void filled(u64 bytes, u32 value_bytes, u32 stream) {
    used(stream);
    region_.fill_bytes += bytes;
    region_.from_host.fills += value_bytes;
  }
  /// Over the link to other GPUs, by copies and by kernels, theirs included.
  void sent(u64 bytes) { sent_ += bytes; }
  void received(u64 bytes) { received_ += bytes; }
  void printed(u64 bytes) { region_.printed_bytes += bytes; }
  void host_waited() { region_.host_waits++; }
  void host_waited_to_free() {
    host_waited();
    region_.waiting_frees++;
  }
  /// The program asked whether something is done, and then: did anything else.
  void asked() { region_.asked_at_end++; }
  void went_on() { region_.asked_at_end = 0; }
  void device_bytes(u64 in_use);
  /// `fresh` more bytes of pinned, mapped or managed memory: what is freed and allocated again counts again.
  void host_bytes(u64 fresh) { region_.host_visible_bytes += fresh; }

  /// Adds one launch to the counts per instruction.
  void count(const Device& device, FunctionId function, const LaunchResult& result);
  std::vector<channel::WireLine> lines() const;
  /// Function numbers start anew (device reset): keeps what was counted so far.
  void retire_functions();

 private:
  /// A program may fail as often as it likes: the first messages are kept, and the beginning of each.
  static void note(std::vector<std::string>& messages, const std::string& message) {
    if (messages.size() < kMaxMessages) messages.push_back(message.substr(0, kMaxMessageBytes));
  }
  void used(u32 stream) { region_.default_stream_copies += stream == kLegacyDefaultStream ? 1 : 0; }

  channel::WireRegion region_;
  double begin_ = 0;
  u64 sent_ = 0, received_ = 0;
  std::map<FunctionId, std::vector<channel::WireLine>> lines_;
  std::vector<channel::WireLine> retired_;
};

}  // namespace roofline::sim::server
