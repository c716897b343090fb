// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "simulator/types.h"

namespace roofline::sim {

/// A set of byte addresses, a bit each, kept in pages that exist only where something was set. Bytes that are
/// neighbours cost one operation for up to 64.
class ByteMap {
 public:
  static constexpr u64 kPageBytes = 4096;

  void set(u64 address, u64 bytes) {
    walk(address, bytes, [&](u64 at, u64 mask) {
      page(at).words[at / 64 % kWords] |= mask;
      return true;
    });
  }
  void clear(u64 address, u64 bytes) {
    const u64 end = address + bytes;
    for (auto page = pages_.lower_bound(address / kPageBytes); page != pages_.end(); ++page) {
      const u64 first = std::max(address, page->first * kPageBytes);
      if (first >= end) break;
      walk(first, std::min(end, (page->first + 1) * kPageBytes) - first, [&](u64 at, u64 mask) {
        page->second->words[at / 64 % kWords] &= ~mask;
        return true;
      });
    }
  }
  /// Whether all the bytes are in the set.
  bool has_all(u64 address, u64 bytes) const {
    bool all = true;
    walk(address, bytes, [&](u64 at, u64 mask) {
      const Page* here = existing(at);
      all = here != nullptr && (here->words[at / 64 % kWords] & mask) == mask;
      return all;
    });
    return all;
  }
  bool has_any(u64 address, u64 bytes) const {
    bool any = false;
    walk(address, bytes, [&](u64 at, u64 mask) {
      const Page* here = existing(at);
      any = here != nullptr && (here->words[at / 64 % kWords] & mask) != 0;
      return !any;
    });
    return any;
  }
  u64 count(u64 address, u64 bytes) const {
    u64 n = 0;
    walk(address, bytes, [&](u64 at, u64 mask) {
      if (const Page* here = existing(at))
        n += static_cast<u64>(__builtin_popcountll(here->words[at / 64 % kWords] & mask));
      return true;
    });
    return n;
  }
  bool has(u64 address) const { return has_any(address, 1); }
  bool empty() const { return pages_.empty(); }
  size_t pages() const { return pages_.size(); }
  void reset() {
    pages_.clear();
    last_ = nullptr;
    last_number_ = ~u64{0};
  }

  /// Bytes [address, address + bytes) of another set as bytes from `to` on of this one.
  void copy(u64 to, const ByteMap& from, u64 address, u64 bytes) {
    for (u64 i = 0; i < bytes;) {
      const u64 step = std::min<u64>({bytes - i, 64 - (address + i) % 64, 64 - (to + i) % 64});
      if (from.has_all(address + i, step)) {
        set(to + i, step);
      } else if (!from.has_any(address + i, step)) {
        clear(to + i, step);
      } else {
        for (u64 b = 0; b < step; ++b) from.has(address + i + b) ? set(to + i + b, 1) : clear(to + i + b, 1);
      }
      i += step;
    }
  }

  /// The first byte of the other set that is in this one too; 0 when there is none.
  u64 first_common(const ByteMap& other) const {
    auto a = pages_.begin();
    auto b = other.pages_.begin();
    while (a != pages_.end() && b != other.pages_.end()) {
      if (a->first < b->first) {
        ++a;
      } else if (b->first < a->first) {
        ++b;
      } else {
        for (u64 i = 0; i < kWords; ++i)
          if (const u64 both = a->second->words[i] & b->second->words[i]; both != 0)
            return a->first * kPageBytes + i * 64 + static_cast<u64>(__builtin_ctzll(both));
        ++a, ++b;
      }
    }
    return 0;
  }

  /// Calls use(first byte, bytes) for the pages that hold something.
  template <class Use>
  void each_page(Use use) const {
    for (const auto& [number, page] : pages_) use(number * kPageBytes);
  }

 private:
  static constexpr u64 kWords = kPageBytes / 64;
  struct Page {
    std::array<u64, kWords> words{};
  };

  /// Until use(address, its bits in their word) says that this is enough.
  template <class Use>
  static void walk(u64 address, u64 bytes, Use use) {
    while (bytes != 0) {
      const u64 bit = address % 64, n = std::min(bytes, 64 - bit);
      if (!use(address, (n == 64 ? ~u64{0} : (u64{1} << n) - 1) << bit)) return;
      address += n;
      bytes -= n;
    }
  }
  Page* existing(u64 address) const {
    const u64 number = address / kPageBytes;
    if (number == last_number_) return last_;
    const auto found = pages_.find(number);
    if (found == pages_.end()) return nullptr;
    last_number_ = number;
    return last_ = found->second.get();
  }
  Page& page(u64 address) {
    if (Page* here = existing(address)) return *here;
    auto fresh = std::make_unique<Page>();
    last_number_ = address / kPageBytes;
    last_ = fresh.get();
    pages_.emplace(last_number_, std::move(fresh));
    return *last_;
  }

  std::map<u64, std::unique_ptr<Page>> pages_;
  mutable u64 last_number_ = ~u64{0};  ///< a memo of the latest page
  mutable Page* last_ = nullptr;
};

}  // namespace roofline::sim
