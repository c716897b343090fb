// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Whatever a program writes into its end of the channel: reading it is total, and what is accepted means the
// same when it is written again.
#include <cstdlib>
#include <cstring>

#include "simulator/channel/messages.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roofline::sim::channel;
  const std::span packet(reinterpret_cast<const std::byte*>(data), size);
  const auto received = decode(packet);
  if (!received) return 0;
  Writer again;
  std::visit([&](const auto& command) { encode(again, command, received->sequence); }, received->command);
  if (again.bytes().size() != size || std::memcmp(again.bytes().data(), data, size) != 0) std::abort();
  return 0;
}
