// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <string>

#include "worker/refusal.h"

/// Lab 06: the byte budget. All the device memory that your function may use, handed out in pieces.
///
/// The arena is host code and knows nothing of streams: memory that is released can be handed out again at
/// once, while the device still works with it. That is right if what uses it next comes later in the same
/// stream, or waits for an event.
class Arena {
 public:
  Arena(void* memory, std::size_t bytes) : memory_(static_cast<char*>(memory)), bytes_(bytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Device memory for `elements` floats, at a multiple of 256 bytes. Asking for more than there is ends the
  /// call: budget-exceeded.
  float* allocate(std::size_t elements) {
    const std::size_t wanted = (elements * sizeof(float) + kUnit - 1) / kUnit * kUnit;
    std::size_t at = 0;  // the first gap that is large enough
    for (const auto& [begin, size] : used_) {
      if (begin >= at + wanted) break;
      at = begin + size;
    }
    if (at + wanted > bytes_) {
      std::size_t in_use = 0;
      for (const auto& [begin, size] : used_) in_use += size;
      refuse(Reason::kBudgetExceeded, std::to_string(elements) + " floats (" + std::to_string(wanted) +
                                          " bytes) were asked for with " + std::to_string(in_use) +
                                          " of the budget of " + std::to_string(bytes_) + " bytes in use");
    }
    used_[at] = wanted;
    return reinterpret_cast<float*>(memory_ + at);
  }

  /// Gives back what allocate() returned. Giving it back twice ends the call: double-free.
  void release(float* pointer) {
    const char* const address = reinterpret_cast<const char*>(pointer);
    if (address < memory_ || address >= memory_ + bytes_)
      refuse(Reason::kWrongPointer, "a pointer was released that the arena never handed out");
    const auto offset = static_cast<std::size_t>(address - memory_);
    if (used_.erase(offset) == 0)
      refuse(Reason::kDoubleFree, "the memory at offset " + std::to_string(offset) +
                                      " of the arena was released, and nobody holds it: released twice?");
  }

  std::size_t budget() const { return bytes_; }

 private:
  using Reason = roofline::worker::Refusal::Reason;
  static constexpr std::size_t kUnit = 256;
  [[noreturn]] static void refuse(Reason reason, const std::string& text) {
    throw roofline::worker::Refusal{reason, text};
  }

  char* memory_;
  std::size_t bytes_;
  std::map<std::size_t, std::size_t> used_;  ///< offset, size
};
