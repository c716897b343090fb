// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/watched_words.h"

namespace roofline::sim::server {
namespace {

/// A program that uses more words than this has its earlier ones forgotten: a wait for one of them then comes
/// after all work so far.
constexpr size_t kMostWords = 1024;
constexpr u32 kMostValues = 64;  ///< of one word
/// The program numbers its own events from 1.
constexpr u32 kFirstEvent = u32{1} << 31;

}  // namespace

const WatchedWords::Value* WatchedWords::Word::accepted(const std::function<bool(u64)>& accepts) const {
  const Value* first = nullptr;
  for (auto value = values.rbegin(); value != values.rend() && accepts(value->value); ++value)
    first = &*value;
  return first;
}

WatchedWords::Value& WatchedWords::Word::add(u64 value, double since) {
  const u32 next = values.empty() ? 0 : (values.back().event + 1) % kMostValues;
  values.push_back({value, since, kFirstEvent + number * kMostValues + next, false});
  if (values.size() > kMostValues) values.pop_front();
  return values.back();
}

WatchedWords::Word* WatchedWords::find(Place place) {
  const auto found = words_.find(place);
  return found == words_.end() ? nullptr : &found->second;
}

WatchedWords::Word& WatchedWords::watch(Place place, u64 value, double since) {
  if (words_.size() >= kMostWords) words_.clear();
  Word& word = words_[place];
  word.number = watched_++ % kMostWords;
  word.add(value, since);
  return word;
}

}  // namespace roofline::sim::server
