// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "expect.h"

/// For programs of several processes. They fork before their first CUDA call, as CUDA asks for.

/// The way to another process.
class Peer {
 public:
  explicit Peer(int fd) : fd_(fd) {}

  template <class T>
  void send(const T& value, int descriptor = -1) const {
    iovec part{const_cast<T*>(&value), sizeof value};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    if (descriptor >= 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof descriptor);
      std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    EXPECT(sendmsg(fd_, &message, MSG_NOSIGNAL) == ssize_t(sizeof value));
  }
  template <class T>
  T receive(int* descriptor = nullptr) const {
    T value{};
    iovec part{&value, sizeof value};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    EXPECT(recvmsg(fd_, &message, 0) == ssize_t(sizeof value));
    if (descriptor != nullptr) {
      const cmsghdr* const header = CMSG_FIRSTHDR(&message);
      EXPECT(header != nullptr && header->cmsg_type == SCM_RIGHTS);
      std::memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    }
    return value;
  }
  /// Until the other process gets here, too.
  void meet() const {
    send(char{1});
    (void)receive<char>();
  }

 private:
  int fd_;
};

/// A process that runs `body(peer)` and must then be right.
class Process {
 public:
  template <class Body>
  explicit Process(Body body) : Process(pair_of_sockets(), body) {}
  const Peer& peer() const { return peer_; }
  pid_t id() const { return id_; }
  void end() const {
    int status = 1;
    EXPECT(waitpid(id_, &status, 0) == id_);
    EXPECT(status == 0);
  }

 private:
  struct Ends {
    int here, there;
  };
  static Ends pair_of_sockets() {
    int ends[2];
    EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    return {ends[0], ends[1]};
  }
  template <class Body>
  Process(Ends ends, Body body) : peer_(ends.here), id_(fork()) {
    EXPECT(id_ >= 0);
    if (id_ == 0) {
      close(ends.here);
      body(Peer(ends.there));
      std::exit(0);
    }
    close(ends.there);
  }

  Peer peer_;
  pid_t id_;
};
