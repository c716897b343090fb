// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/channel/socket.h"

/// Packet sockets that processes find by a name without a file (unix(7), abstract), so that nothing is left
/// behind. Names are drawn at random: who was not told one finds none.
namespace roofline::sim::channel {

/// Throws std::system_error.
Descriptor listen_at(const std::string& name);
/// Empty when nobody listens there.
Descriptor connect_to(const std::string& name);

/// A name that nobody has, which begins like this. Throws std::system_error.
std::string new_socket_name(const std::string& beginning);

/// What one process of a program tells who waits for all of them (ROOFLINE_PROCESSES names the socket). It is
/// answered by a packet with the process's channel to a machine, where it has none yet. The connection stays
/// open as long as the process.
struct ProcessHello {
  bool has_channel = false;  ///< it has the one that the program was started with
  std::string command;       ///< its name
  void fields(auto& io) { io(has_channel, command); }
};

}  // namespace roofline::sim::channel
