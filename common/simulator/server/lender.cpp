// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/lender.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "simulator/channel/named_socket.h"
#include "simulator/channel/wire.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

/// Of a machine that was stopped in the middle of an answer: nobody waits for it for ever.
constexpr timeval kPatience{10, 0};

std::string name_of(const std::array<u64, 2>& machine) {
  char text[64];
  const int n =
      std::snprintf(text, sizeof text, "roofline-gpu-%016llx%016llx",
                    static_cast<unsigned long long>(machine[0]), static_cast<unsigned long long>(machine[1]));
  return {text, static_cast<size_t>(n)};
}

void set_patience(const Descriptor& socket) {
  for (const int option : {SO_SNDTIMEO, SO_RCVTIMEO})
    setsockopt(socket.get(), SOL_SOCKET, option, &kPatience, sizeof kPatience);
}

}  // namespace

Lender::Lender(const std::array<u64, 2>& name, s32 process)
    : listener_(listen_at(name_of(name))), process_(static_cast<int>(syscall(SYS_pidfd_open, process, 0))) {
  thread_ = std::thread([this] { serve(); });
}

Lender::~Lender() {
  shutdown(listener_.get(), SHUT_RDWR);  // ends accept()
  thread_.join();
}

u64 Lender::lend(const Lent& what, int file) {
  const std::lock_guard guard(lock_);
  for (const auto& [number, item] : items_)
    if (item.what.kind == what.kind && item.what.gpu == what.gpu && item.what.id == what.id) return number;
  items_[++last_number_] = {what, file, {}};
  return last_number_;
}

std::optional<Lent> Lender::find(u64 number) {
  const std::lock_guard guard(lock_);
  const auto found = items_.find(number);
  if (found == items_.end()) return std::nullopt;
  return found->second.what;
}

void Lender::take_back(Shared kind, u32 gpu, u64 id) {
  const std::lock_guard guard(lock_);
  std::erase_if(items_, [&](const auto& entry) {
    const Lent& what = entry.second.what;
    return what.kind == kind && what.gpu == gpu && what.id == id;
  });
}

void Lender::take_back_all_of(u32 gpu) {
  const std::lock_guard guard(lock_);
  std::erase_if(items_, [&](const auto& entry) { return entry.second.what.gpu == gpu; });
}

void Lender::serve() {
  for (;;) {
    // The channel to the program does not tell that it has ended: processes that it forked have it, too.
    pollfd awaited[2] = {{listener_.get(), POLLIN, 0}, {process_.get(), POLLIN, 0}};
    if (poll(awaited, 2, -1) < 0) continue;
    if (awaited[1].revents != 0) {
      shutdown(listener_.get(), SHUT_RDWR);
      const std::lock_guard guard(lock_);
      items_.clear();
      return;
    }
    Descriptor borrower(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (borrower)
      answer(std::move(borrower));
    else if (errno != EINTR && errno != ECONNABORTED)
      return;
  }
}

void Lender::answer(Descriptor borrower) {
  set_patience(borrower);
  std::vector<std::byte> packet;
  if (receive_packet(borrower.get(), packet, Wait::kBlock) != Received::kPacket) return;
  u64 number = 0;
  Reader in(packet);
  in(number);
  const std::lock_guard guard(lock_);
  const auto found = items_.find(number);
  if (!in.complete() || found == items_.end()) return;  // which ends the connection
  Item& item = found->second;
  item.borrowers.remove_if(is_gone);  // who closed it
  Writer out;
  out(item.what);
  const bool has_file = item.file >= 0;
  if (send_packet(borrower.get(), out.bytes(), Wait::kBlock, std::span(&item.file, has_file ? 1 : 0)))
    item.borrowers.push_back(std::move(borrower));
}

std::optional<Borrowed> borrow(const SharedHandle& handle) {
  Borrowed borrowed{{}, {}, connect_to(name_of(handle.machine))};
  if (!borrowed.connection) return std::nullopt;
  const int socket = borrowed.connection.get();
  set_patience(borrowed.connection);
  Writer out;
  out(handle.number);
  if (!send_packet(socket, out.bytes(), Wait::kBlock)) return std::nullopt;
  std::vector<std::byte> packet;
  std::vector<Descriptor> files;
  if (receive_packet(socket, packet, Wait::kBlock, &files) != Received::kPacket) return std::nullopt;
  Reader in(packet);
  in(borrowed.what);
  if (!in.complete()) return std::nullopt;
  if (!files.empty()) borrowed.file = std::move(files.front());
  return borrowed;
}

bool is_gone(const Descriptor& connection) {
  pollfd other{connection.get(), POLLRDHUP, 0};
  return poll(&other, 1, 0) > 0;
}

}  // namespace roofline::sim::server
