// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/sharing.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace roofline::sim::server {

using namespace channel;

namespace {

constexpr size_t kWordBytes = 4096;  ///< a page

[[noreturn]] void cannot_share(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

SharedWord::SharedWord() : file_(memfd_create("roofline-event", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (!file_ || ftruncate(file_.get(), kWordBytes) != 0 ||
      fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    cannot_share("memory of an event");
  map();
}

SharedWord::SharedWord(Descriptor file) : file_(std::move(file)) { map(); }

SharedWord::~SharedWord() { munmap(word_, kWordBytes); }

void SharedWord::map() {
  static_assert(std::atomic<u64>::is_always_lock_free);
  void* at = mmap(nullptr, kWordBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (at == MAP_FAILED) cannot_share("mapping of an event");
  word_ = static_cast<std::atomic<u64>*>(at);
}

Sharing::Sharing() {
  if (getrandom(name_.data(), sizeof name_, 0) != static_cast<ssize_t>(sizeof name_))
    cannot_share("getrandom");
}

SharedHandle Sharing::lend(const Lent& what, int file) {
  if (!lender_) lender_ = std::make_unique<Lender>(name_, what.process);
  shares_memory_ = shares_memory_ || what.kind == Shared::kMemory || what.kind == Shared::kPiece;
  return {name_, lender_->lend(what, file)};
}

std::optional<Lent> Sharing::lent(const SharedHandle& handle) const {
  if (!lender_ || !is_own(handle)) return std::nullopt;
  return lender_->find(handle.number);
}

void Sharing::take_back(Shared kind, u32 gpu, u64 id) {
  if (lender_) lender_->take_back(kind, gpu, id);
}

void Sharing::forget(u32 gpu) {
  if (lender_) lender_->take_back_all_of(gpu);
  std::erase_if(opened_, [&](const auto& entry) { return entry.second.gpu == gpu; });
}

void Sharing::opened(u64 address, Opened memory) {
  shares_memory_ = true;
  opened_[address] = std::move(memory);
}

const Sharing::Opened* Sharing::find(u64 address) const {
  const auto found = opened_.find(address);
  return found == opened_.end() ? nullptr : &found->second;
}

bool Sharing::is_pool_memory(u64 address) const {
  const Opened* const found = find(address);
  return found != nullptr && found->in_pool;
}

const SharedWord& Sharing::lend_event(u32 event) {
  std::unique_ptr<SharedWord>& word = events_[event];
  if (!word) word = std::make_unique<SharedWord>();
  return *word;
}

void Sharing::open_event(u32 event, Descriptor file) {
  events_[event] = std::make_unique<SharedWord>(std::move(file));
}

void Sharing::recorded(u32 event, double moment) {
  events_.at(event)->value().store(name_[0], std::memory_order_release);
  given_moment_ = std::max(given_moment_, moment);
}

bool Sharing::is_of_another(u32 event) const {
  const auto found = events_.find(event);
  return found != events_.end() && found->second->value().load(std::memory_order_acquire) != name_[0];
}

std::optional<u64> sealed_bytes(int file) {
  struct stat facts {};
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(file, &facts) != 0 || facts.st_size < 0)
    return std::nullopt;
  return static_cast<u64>(facts.st_size);
}

}  // namespace roofline::sim::server
