// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Streams that write words of memory and wait for them (cuStreamWriteValue32, cuStreamWaitValue32 and their
// family). Work executes as it is submitted, so a wait is over here when the word has its value; until then
// the program holds back what follows in the stream.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "simulator/server/answers.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

using Kind = WordOperation::Kind;

bool accepts(const WordOperation& wait, u64 word) {
  const bool is_long = wait.bytes == 8;
  const u64 mask = is_long ? ~u64{0} : 0xffffffff;
  const u64 value = wait.value & mask;
  switch (wait.kind) {
    case Kind::kAwaitAtLeast:  // cyclic
      return is_long ? static_cast<s64>(word - value) >= 0
                     : static_cast<s32>(static_cast<u32>(word - value)) >= 0;
    case Kind::kAwaitEqual:
      return word == value;
    case Kind::kAwaitAnyBit:
      return (word & value) != 0;
    case Kind::kAwaitMissingBit:
      return (~(word | value) & mask) != 0;
    case Kind::kWrite:
      break;
  }
  return true;
}

std::string condition_text(const WordOperation& wait) {
  const std::string value = std::to_string(wait.bytes == 8 ? wait.value : wait.value & 0xffffffff);
  switch (wait.kind) {
    case Kind::kAwaitAtLeast:
      return "at least " + value;
    case Kind::kAwaitEqual:
      return value;
    case Kind::kAwaitAnyBit:
      return "a number with one of the bits of " + value;
    case Kind::kAwaitMissingBit:
      return "a number that lacks a bit that " + value + " lacks, too";
    case Kind::kWrite:
      break;
  }
  return value;
}

}  // namespace

bool Server::is_valid(const WordOperation& c) const {
  return c.kind <= Kind::kAwaitMissingBit && (c.bytes == 4 || c.bytes == 8) && c.address % c.bytes == 0 &&
         holds(c.address, c.bytes);
}

u64 Server::word_at(u64 address, u32 bytes) const {
  u64 word = 0;
  std::memcpy(&word, device_->at(address), bytes);
  return word;
}

template <class Since>
void Server::look_at_words(Since since, std::optional<u32> stream) {
  board_.words.update([&](const WatchedWords::Place& place, WatchedWords::Word& word) {
    const auto [address, bytes] = place;
    if (!holds(address, bytes)) return false;  // freed
    const u64 present = word_at(address, bytes);
    if (present == word.values.back().value) return true;
    WatchedWords::Value& value = word.add(present, since());
    if (checks_ && stream) {
      checks_->streams().event_recorded(value.event, *stream);
      value.ordered = true;
    }
    return true;
  });
}

void Server::host_wrote_words() {
  look_at_words([this] { return timeline_.host_now(); }, {});
}

void Server::stream_wrote_words(u32 stream) {
  const u32 of = known_stream(stream) ? stream : kLegacyDefaultStream;
  look_at_words([&] { return timeline_.settled_end(of); }, of);
}

void Server::node_wrote_words(u32 stream, WorkId node) {
  look_at_words([&] { return timeline_.settled_end_of_node(node); }, stream);
}

void Server::write_word(const WordOperation& c, u32 stream) {
  std::memcpy(device_->at(c.address), &c.value, c.bytes);
  if (checks_) checks_->word_written(c.address, c.bytes);
  timeline_.write_word(stream, c.bytes);
  timeline_.clear_entries();
  records_.filled(c.bytes, c.bytes, stream);
}

bool Server::has_value(const WordOperation& c) const { return accepts(c, word_at(c.address, c.bytes)); }

bool Server::await_word(const WordOperation& c, u32 stream) {
  const WatchedWords::Place place{c.address, c.bytes};
  WatchedWords::Word* word = board_.words.find(place);
  const bool is_new = word == nullptr;
  if (is_new) {
    // Nobody knows which work wrote what it holds now: it comes after all work so far.
    double since = 0;
    for (const auto& gpu : board_.gpus) since = std::max(since, gpu->timeline_.device_end());
    word = &board_.words.watch(place, word_at(c.address, c.bytes), since);
  }
  const WatchedWords::Value* value = word->accepted([&](u64 present) { return accepts(c, present); });
  if (value == nullptr) return false;
  waiting_.reset();
  timeline_.wait_for_moment(stream, value->since);
  if (!checks_) return true;
  StreamOrder& order = checks_->streams();
  if (value->ordered) order.event_waited(stream, value->event);
  if (is_new)
    for (const u32 each : streams_) {
      order.event_recorded(value->event, each);
      order.event_waited(stream, value->event);
    }
  return true;
}

Answer Server::handle(const WriteWord& c) {
  if (sticky_ != Status::kOk) return {};
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  if (c.operation.kind != Kind::kWrite || !is_valid(c.operation)) return refuse(Status::kInvalidValue);
  write_word(c.operation, c.stream);
  return {};
}

Answer Server::handle(const AwaitWord& c) {
  if (sticky_ != Status::kOk) return give(WordState{true});  // nothing follows any more
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  if (c.operation.kind == Kind::kWrite || !is_valid(c.operation)) return refuse(Status::kInvalidValue);
  const bool accepted = await_word(c.operation, c.stream);
  if (!accepted) waiting_ = {c.operation, c.stream};
  return give(WordState{accepted});
}

void Server::give_up_word() {
  // Another process may write the word yet.
  if (!waiting_ || sticky_ != Status::kOk || board_.sharing.shares_memory()) return;
  const auto& [wait, stream] = *waiting_;
  Trap trap;
  trap.kind = TrapKind::kDeadlock;
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(wait.address));
  trap.message = "stream " + std::to_string(stream) +
                 ": deadlock: it waits for a value in memory that nobody changes any more: " +
                 std::to_string(wait.bytes) + " bytes at " + address + " to be " + condition_text(wait);
  if (holds(wait.address, wait.bytes))
    trap.message += ", which are " + std::to_string(word_at(wait.address, wait.bytes));
  waiting_.reset();
  fault(trap);
}

}  // namespace roofline::sim::server
