// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "simulator/channel/shared_handle.h"
#include "simulator/channel/socket.h"

namespace roofline::sim::server {

/// What a machine tells another one about something that it lends.
struct Lent {
  channel::Shared kind = channel::Shared::kMemory;
  u32 gpu = 0;
  s32 process = 0;            ///< of the program that lends it
  u64 id = 0;                 ///< address, piece, event or pool there
  u64 offset = 0, bytes = 0;  ///< where its bytes are in the file that comes with it
  void fields(auto& io) { io(kind, gpu, process, id, offset, bytes); }
};

/// Lends memory and events of this machine to the machines of other programs. Each listens on a socket whose
/// name is in the handles; a thread of its own answers, so that nobody waits for a kernel that runs here. A
/// borrower stays connected: the connection ends when what it borrowed is gone, or this process.
class Lender {
 public:
  /// `process`: the program whose end ends all loans, also where the machine outlives it. Throws
  /// std::system_error.
  Lender(const std::array<u64, 2>& name, s32 process);
  ~Lender();
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;

  /// Its number; the same for the same thing. `file` stays open here.
  u64 lend(const Lent& what, int file);
  /// What has this number.
  std::optional<Lent> find(u64 number);
  /// It is gone: nobody can borrow it any more, and who did is told.
  void take_back(channel::Shared kind, u32 gpu, u64 id);
  void take_back_all_of(u32 gpu);

 private:
  struct Item {
    Lent what;
    int file = -1;  ///< whoever lends it keeps it open
    std::list<channel::Descriptor> borrowers;
  };
  void serve();
  void answer(channel::Descriptor borrower);

  channel::Descriptor listener_, process_;
  std::mutex lock_;
  std::map<u64, Item> items_;  ///< by number
  u64 last_number_ = 0;
  std::thread thread_;
};

/// Something of another machine.
struct Borrowed {
  Lent what;
  channel::Descriptor file;        ///< that holds its bytes; none of a pool
  channel::Descriptor connection;  ///< see is_gone
};

/// Empty when it is gone, or never was.
std::optional<Borrowed> borrow(const channel::SharedHandle& handle);
/// Whether what was borrowed over this connection is gone.
bool is_gone(const channel::Descriptor& connection);

}  // namespace roofline::sim::server
