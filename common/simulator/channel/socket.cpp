// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/channel/socket.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "simulator/channel/messages.h"

namespace roofline::sim::channel {
namespace {

constexpr size_t kMaxDescriptors = 4;

union ControlBuffer {
  cmsghdr header;
  char bytes[CMSG_SPACE(kMaxDescriptors * sizeof(int))];
};

void take_descriptors(msghdr& message, std::vector<Descriptor>* to) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < n; i++) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      Descriptor owned(fd);  // one that nobody asked for is closed
      if (to) to->push_back(std::move(owned));
    }
  }
}

}  // namespace

void Descriptor::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

std::pair<Descriptor, Descriptor> socket_pair() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

bool send_packet(int fd, std::span<const std::byte> packet, Wait wait, std::span<const int> descriptors) {
  iovec part{const_cast<std::byte*>(packet.data()), packet.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlBuffer control{};
  if (!descriptors.empty()) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(c), descriptors.data(), descriptors.size_bytes());
  }
  const int flags = MSG_NOSIGNAL | (wait == Wait::kDoNotBlock ? MSG_DONTWAIT : 0);
  for (;;) {
    if (sendmsg(fd, &message, flags) >= 0) return true;
    if (errno != EINTR) return false;
  }
}

Received receive_packet(int fd, std::vector<std::byte>& packet, Wait wait,
                        std::vector<Descriptor>* descriptors) {
  packet.resize(kMaxPacket);
  iovec part{packet.data(), packet.size()};
  msghdr message{};
  ControlBuffer control{};
  const int flags = MSG_CMSG_CLOEXEC | (wait == Wait::kDoNotBlock ? MSG_DONTWAIT : 0);
  for (;;) {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    const ssize_t n = recvmsg(fd, &message, flags);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Received::kNothing;
    if (n <= 0) return Received::kClosed;
    take_descriptors(message, descriptors);
    if (message.msg_flags & MSG_TRUNC) return Received::kTooLong;
    packet.resize(static_cast<size_t>(n));
    return Received::kPacket;
  }
}

bool send_long(int fd, std::span<const std::byte> message) {
  const u64 size = message.size();
  if (!send_packet(fd, std::as_bytes(std::span(&size, 1)), Wait::kBlock)) return false;
  while (!message.empty()) {
    const size_t n = std::min(message.size(), kMaxPacket);
    if (!send_packet(fd, message.first(n), Wait::kBlock)) return false;
    message = message.subspan(n);
  }
  return true;
}

bool receive_long(int fd, std::vector<std::byte>& message) {
  std::vector<std::byte> packet;
  u64 size = 0;
  if (receive_packet(fd, packet, Wait::kBlock) != Received::kPacket || packet.size() != sizeof size)
    return false;
  std::memcpy(&size, packet.data(), sizeof size);
  message.clear();
  while (message.size() < size) {
    if (receive_packet(fd, packet, Wait::kBlock) != Received::kPacket ||
        packet.size() > size - message.size())
      return false;
    message.insert(message.end(), packet.begin(), packet.end());
  }
  return true;
}

}  // namespace roofline::sim::channel
