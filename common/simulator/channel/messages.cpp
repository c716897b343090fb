// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/channel/messages.h"

#include <array>

namespace roofline::sim::channel {
namespace {

using Decoder = bool (*)(Reader&, Command&);

template <class T>
bool decode_as(Reader& in, Command& command) {
  T value;
  in(value);
  if (!in.complete()) return false;
  command = std::move(value);
  return true;
}

template <class... T>
constexpr std::array<Decoder, sizeof...(T)> decoders_of(const std::variant<T...>*) {
  return {decode_as<T>...};
}

constexpr auto kDecoders = decoders_of(static_cast<const Command*>(nullptr));

}  // namespace

std::optional<ReceivedCommand> decode(std::span<const std::byte> packet) {
  if (packet.size() < kHeaderBytes || packet.size() > kMaxPacket) return {};
  Reader head(packet.first(kHeaderBytes));
  Header header;
  head(header);
  if (header.magic != kMagic || header.kind >= kDecoders.size()) return {};
  if (header.bytes != packet.size() - kHeaderBytes) return {};
  Reader body(packet.subspan(kHeaderBytes));
  ReceivedCommand received;
  received.sequence = header.sequence;
  if (!kDecoders[header.kind](body, received.command)) return {};
  return received;
}

}  // namespace roofline::sim::channel
