// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/channel/named_socket.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace roofline::sim::channel {
namespace {

struct Address {
  sockaddr_un address{};
  socklen_t bytes = 0;

  explicit Address(const std::string& name) {
    const size_t n = std::min(name.size(), sizeof address.sun_path - 1);
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), n);  // the first byte stays 0
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + n);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

Descriptor packet_socket() {
  Descriptor made(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!made) fail("socket");
  return made;
}

}  // namespace

Descriptor listen_at(const std::string& name) {
  Descriptor listener = packet_socket();
  const Address where(name);
  if (bind(listener.get(), where.get(), where.bytes) != 0 || listen(listener.get(), SOMAXCONN) != 0)
    fail("socket for other processes");
  return listener;
}

Descriptor connect_to(const std::string& name) {
  Descriptor connection = packet_socket();
  const Address where(name);
  if (connect(connection.get(), where.get(), where.bytes) != 0) return {};
  return connection;
}

std::string new_socket_name(const std::string& beginning) {
  std::array<unsigned char, 16> drawn;
  if (getrandom(drawn.data(), drawn.size(), 0) != static_cast<ssize_t>(drawn.size())) fail("getrandom");
  std::string name = beginning;
  for (const unsigned char byte : drawn) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    name += digits;
  }
  return name;
}

}  // namespace roofline::sim::channel
