// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Memory, events and pools that processes share (IPC).
#include <system_error>

#include "simulator/server/answers.h"
#include "simulator/server/sharing.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

std::string process_text(s32 process) { return "process " + std::to_string(process); }

}  // namespace

Answer Server::refuse_sharing() const {
  return refuse(Status::kNotSupported,
                "a graded program has its simulated GPU to itself: it cannot share memory, events or pools "
                "with other processes");
}

Answer Server::handle(const Share& c) try {
  timeline_.host_call(description_.api_call_us);
  if (!options_.sharing) return refuse_sharing();
  Sharing& sharing = board_.sharing;
  Lent lent{.kind = c.kind, .gpu = index_, .process = c.process, .id = c.id};
  int file = -1;
  if (c.kind == Shared::kMemory || c.kind == Shared::kPiece) {
    const bool is_piece = c.kind == Shared::kPiece;
    const auto bytes =
        is_piece ? board_.mapped.bytes_of(c.id) : owner_of(c.id).device_->bytes_of_allocation(c.id);
    if (!bytes) return refuse(Status::kInvalidValue);
    // A piece lives as long as any process has it, and nobody tells when others have given it up.
    if (is_piece) board_.mapped.retain_piece(c.id);
    lent.gpu = is_piece ? board_.mapped.gpu_of(c.id).value_or(0) : owner_of(c.id).index_;
    lent.id = bytes->id;
    lent.offset = bytes->offset;
    lent.bytes = bytes->bytes;
    file = bytes->file;
    if (checks_ && c.kind == Shared::kMemory) checks_->shared(bytes->id, bytes->bytes);
  } else if (c.kind == Shared::kEvent) {
    file = sharing.lend_event(static_cast<u32>(c.id)).file();
  } else if (c.kind != Shared::kPool) {
    return refuse(Status::kInvalidValue);
  }
  const SharedHandle handle = sharing.lend(lent, file);
  reckon_with_others();
  return give(handle);
} catch (const std::system_error& error) {
  return refuse(Status::kOutOfMemory, error.what());
}

void Server::reckon_with_others() {
  for (const auto& gpu : board_.gpus) gpu->device_->set_shares_memory(board_.sharing.shares_memory());
}

Answer Server::handle(const OpenShared& c) try {
  timeline_.host_call(description_.api_call_us);
  if (!options_.sharing) return refuse_sharing();
  Sharing& sharing = board_.sharing;
  if (sharing.is_own(c.handle)) return open_own(c);
  std::optional<Borrowed> found = borrow(c.handle);
  if (!found)
    return refuse(Status::kMapFailed,
                  "what this handle stands for is gone: the process that shared it freed it, or has ended");
  const Lent& what = found->what;
  if (what.kind != c.kind) return refuse(Status::kInvalidValue);
  if (what.gpu >= board_.gpus.size())
    return refuse(Status::kInvalidDevice, "this handle is of device " + std::to_string(what.gpu) + " of " +
                                              process_text(what.process) + "; this process has " +
                                              std::to_string(board_.gpus.size()) +
                                              ", numbered from 0 (./lab run --gpus)");
  SharedState opened{what.id, what.gpu, what.bytes};
  if (c.kind == Shared::kPool) return give(opened);
  const auto bytes = sealed_bytes(found->file.get());
  if (!bytes || what.offset > *bytes || what.bytes > *bytes - what.offset) return refuse(Status::kMapFailed);
  Device& device = *board_.gpus[what.gpu]->device_;
  if (c.kind == Shared::kEvent) {
    sharing.open_event(c.event, std::move(found->file));
  } else if (c.kind == Shared::kPiece) {
    opened.id = board_.mapped.import(what.gpu, found->file.get(), what.offset, what.bytes);
  } else {
    opened.id = device.open_memory(found->file.get(), what.offset, what.bytes,
                                   "memory of " + process_text(what.process) + c.site);
    if (opened.id != 0)
      sharing.opened(opened.id, {.gpu = what.gpu,
                                 .process = what.process,
                                 .bytes = what.bytes,
                                 .in_pool = c.in_pool,
                                 .connection = std::move(found->connection)});
  }
  if (opened.id == 0) return refuse(Status::kOutOfMemory);
  reckon_with_others();
  return give(opened);
} catch (const std::system_error& error) {
  return refuse(Status::kMapFailed, error.what());
}

/// Of all that a process shares, it may itself open memory that was made without an address.
Answer Server::open_own(const OpenShared& c) {
  const std::optional<Lent> lent = board_.sharing.lent(c.handle);
  if (!lent || lent->kind != c.kind) return refuse(Status::kInvalidValue);
  if (c.kind != Shared::kPiece)
    return refuse(Status::kInvalidContext, "what a process shares is opened by other processes only");
  board_.mapped.retain_piece(lent->id);
  return give(SharedState{lent->id, lent->gpu, lent->bytes});
}

Answer Server::handle(const CloseShared& c) {
  timeline_.host_call(description_.api_call_us);
  const Sharing::Opened* opened = board_.sharing.find(c.address);
  if (opened == nullptr || opened->in_pool) return refuse(Status::kInvalidValue);
  timeline_.synchronize_device();
  if (checks_) checks_->streams().host_waited_for_device();
  close_shared(c.address);
  return give(Nothing{});
}

bool Server::close_shared(u64 address) {
  board_.sharing.closed(address);
  return owner_of(address).device_->close_memory(address);
}

Answer Server::handle(const ForgetEvent& c) {
  board_.sharing.take_back(Shared::kEvent, index_, c.event);
  board_.sharing.forget_event(c.event);
  return {};
}

void Server::notice_gone_memory() {
  board_.sharing.notice_gone([&](u64 address, const Sharing::Opened& memory) {
    const std::string whose = process_text(memory.process);
    owner_of(address).device_->lose_memory(address, "memory of " + whose + ", which freed it or has ended");
    if (!news_.empty()) news_ += '\n';
    news_ += whose + " freed " + std::to_string(memory.bytes) +
             " bytes that this process has opened, or has ended: they can no longer be used";
  });
}

}  // namespace roofline::sim::server
