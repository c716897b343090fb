// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "simulator/image/image.h"

namespace roofline::sim::image {

using Bytes = std::span<const std::byte>;

/// The little-endian number at `offset`.
/// \throws ImageError when it does not lie inside `bytes`.
template <typename T>
T number_at(Bytes bytes, u64 offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    throw ImageError("The embedded device code is cut off or damaged: a header reaches beyond its end.");
  }
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// `size` bytes from `offset` on.
/// \throws ImageError when they do not lie inside `bytes`.
inline Bytes part(Bytes bytes, u64 offset, u64 size) {
  if (offset > bytes.size() || bytes.size() - offset < size) {
    throw ImageError("The embedded device code is cut off or damaged: a part reaches beyond its end.");
  }
  return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

}  // namespace roofline::sim::image
