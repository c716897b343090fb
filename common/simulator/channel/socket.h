// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "simulator/channel/wire.h"

namespace roofline::sim::channel {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

/// Two connected ends of a packet socket, closed across exec.
std::pair<Descriptor, Descriptor> socket_pair();

enum class Wait { kBlock, kDoNotBlock };
enum class Received { kPacket, kNothing, kClosed, kTooLong };

/// Sends one packet; false when the other side is gone, or would have to be waited for and must not be.
bool send_packet(int fd, std::span<const std::byte> packet, Wait wait, std::span<const int> descriptors = {});

/// Receives one packet into `packet`, and the descriptors that came with it.
Received receive_packet(int fd, std::vector<std::byte>& packet, Wait wait,
                        std::vector<Descriptor>* descriptors = nullptr);

/// Messages longer than a packet, between trusted sides only: the length, then pieces.
bool send_long(int fd, std::span<const std::byte> message);
bool receive_long(int fd, std::vector<std::byte>& message);

}  // namespace roofline::sim::channel
