// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "simulator/types.h"

/// How values become bytes. A message lists its fields once, in `void fields(auto& io)`; Writer and Reader
/// visit that list. Numbers are little-endian (so are all hosts), text and lists start with a u32
/// length. Reader is total: it accepts any bytes, never reads past them, and never allocates more than they
/// could describe.
namespace roofline::sim::channel {

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T, class Archive>
concept Message = requires(T& value, Archive& io) {
  value.fields(io);
};

class Writer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  /// Plain bytes without a length. Not inlined: GCC 12 then takes the growing vector for an array that is
  /// overrun.
  [[gnu::noinline]] void raw(const void* data, size_t bytes) {
    const size_t at = bytes_.size();
    bytes_.resize(at + bytes);
    if (bytes) std::memcpy(bytes_.data() + at, data, bytes);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  template <Number T>
  void put(const T& value) {
    raw(&value, sizeof value);
  }
  void put(const Dim3& value) { (*this)(value.x, value.y, value.z); }
  void put(const std::string& value) {
    put(static_cast<u32>(value.size()));
    raw(value.data(), value.size());
  }
  template <class A, class B>
  void put(const std::pair<A, B>& value) {
    (*this)(value.first, value.second);
  }
  template <class T>
  void put(const std::vector<T>& value) {
    put(static_cast<u32>(value.size()));
    if constexpr (Number<T>)
      raw(value.data(), value.size() * sizeof(T));
    else
      for (const T& element : value) put(element);
  }
  template <Message<Writer> T>
  void put(const T& value) {
    const_cast<T&>(value).fields(*this);  // the field list is shared with Reader, which needs references
  }

  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  void raw(void* data, size_t bytes) {
    if (!has(bytes)) return;
    if (bytes) std::memcpy(data, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
  }
  /// Every field was there.
  bool ok() const { return ok_; }
  /// Every field was there and nothing is left over.
  bool complete() const { return ok_ && rest_.empty(); }

 private:
  bool has(u64 bytes) {
    ok_ = ok_ && bytes <= rest_.size();
    return ok_;
  }
  template <Number T>
  void get(T& value) {
    raw(&value, sizeof value);
  }
  void get(bool& value) {
    u8 byte = 0;
    get(byte);
    ok_ = ok_ && byte <= 1;  // any other byte in a bool is undefined behaviour
    value = byte == 1;
  }
  void get(Dim3& value) { (*this)(value.x, value.y, value.z); }
  void get(std::string& value) {
    u32 size = 0;
    get(size);
    if (!has(size)) return;
    value.assign(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
  }
  template <class A, class B>
  void get(std::pair<A, B>& value) {
    (*this)(value.first, value.second);
  }
  template <class T>
  void get(std::vector<T>& value) {
    u32 size = 0;
    get(size);
    constexpr u64 least = Number<T> ? sizeof(T) : 1;  // every element takes at least a byte
    if (!has(size * least)) return;
    value.clear();
    if constexpr (Number<T> && !std::is_same_v<T, bool>) {
      value.resize(size);
      raw(value.data(), size * sizeof(T));
    } else {
      for (u32 i = 0; i < size && ok_; i++) get(value.emplace_back());
    }
  }
  template <Message<Reader> T>
  void get(T& value) {
    value.fields(*this);
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace roofline::sim::channel
