// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/checks/order.h"

namespace roofline::sim {

/// What is remembered of some bytes of memory: who wrote them last, and two threads that have read them
/// since. A third reader replaces one of these: a race with the replaced one may be missed.
struct RaceCell {
  Stamp write, read[2];
  /// The plain write before the strong ones that came since: a strong write of its own thread does not order
  /// it for others (a counter that one block clears while others add to it).
  Stamp plain;
  u64 published = 0;  ///< LaunchOrder time of the last strong write
};

/// Cells of a memory, a page at a time, made where something is accessed. A cell stands for four bytes until
/// a page sees a narrower or misaligned access; then its cells are bytes.
class RaceShadow {
 public:
  struct Page {
    bool bytes = false;
    std::vector<RaceCell> cells;
  };
  static constexpr u64 kPageBytes = 1024;
  /// Pages of one launch; beyond them memory is not watched.
  static constexpr size_t kMostPages = size_t{256} << 10;

  /// Calls use(cell, first byte, bytes) for the cells of an access that does not cross a page.
  template <class Use>
  void each(u64 address, u32 width, Use use) {
    Page* const here = page(address);
    if (here == nullptr) return;
    const u64 offset = address % kPageBytes;
    if (!here->bytes && (offset | width) % 4 != 0) split(*here);
    const u32 unit = here->bytes ? 1 : 4;
    const u64 end = std::min<u64>(offset + width, kPageBytes);
    for (u64 at = offset; at < end; at += unit) use(here->cells[at / unit], address - offset + at, unit);
  }

  /// The cells of aligned words that do not cross a page, one after the other; nullptr where cells are bytes.
  RaceCell* words(u64 address, u32 width) {
    const u64 offset = address % kPageBytes;
    if ((offset | width) % 4 != 0 || offset + width > kPageBytes) return nullptr;
    Page* const here = page(address);
    return here == nullptr || here->bytes ? nullptr : &here->cells[offset / 4];
  }

  /// Nobody has accessed these bytes.
  void forget(u64 address, u64 bytes) {
    for (u64 at = address; at < address + bytes;) {
      const u64 end = std::min(address + bytes, (at / kPageBytes + 1) * kPageBytes);
      if (const auto found = pages_.find(at / kPageBytes); found != pages_.end()) {
        Page& here = *found->second;
        const u64 unit = here.bytes ? 1 : 4;
        std::fill_n(here.cells.begin() + static_cast<std::ptrdiff_t>(at % kPageBytes / unit),
                    (end - at + unit - 1) / unit, RaceCell{});
      }
      at = end;
    }
  }
  void reset() {
    for (auto& [number, page] : pages_) spare_.push_back(std::move(page));
    pages_.clear();
    last_ = nullptr;
    last_number_ = ~u64{0};
    full_ = false;
  }
  /// Some memory was not watched.
  bool full() const { return full_; }

 private:
  static constexpr u64 kWords = kPageBytes / 4;

  Page* page(u64 address) {
    const u64 number = address / kPageBytes;
    return number == last_number_ ? last_ : other_page(number);
  }
  Page* other_page(u64 number) {
    auto found = pages_.find(number);
    if (found == pages_.end()) {
      if (pages_.size() >= kMostPages) {
        full_ = true;
        return nullptr;
      }
      found = pages_.emplace(number, fresh()).first;
    }
    last_number_ = number;
    return last_ = found->second.get();
  }
  std::unique_ptr<Page> fresh() {
    std::unique_ptr<Page> page;
    if (spare_.empty()) {
      page = std::make_unique<Page>();
    } else {
      page = std::move(spare_.back());
      spare_.pop_back();
    }
    page->bytes = false;
    page->cells.assign(kWords, {});
    return page;
  }
  static void split(Page& page) {
    std::vector<RaceCell> cells(kPageBytes);
    for (u64 i = 0; i < kPageBytes; ++i) cells[i] = page.cells[i / 4];
    page.cells = std::move(cells);
    page.bytes = true;
  }

  std::unordered_map<u64, std::unique_ptr<Page>> pages_;
  std::vector<std::unique_ptr<Page>> spare_;
  u64 last_number_ = ~u64{0};
  Page* last_ = nullptr;
  bool full_ = false;
};

}  // namespace roofline::sim
