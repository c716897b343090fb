// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/types.h"

/// Layout of the container that fatbinary writes; numbers are little-endian.
namespace roofline::sim::image {

inline constexpr u32 kWrapperMagic = 0x466243b1;
inline constexpr u32 kContainerMagic = 0xba55ed50;
inline constexpr u32 kElfMagic = 0x464c457f;
/// What a container's header takes; its own header-size field says the same in every version seen.
inline constexpr u64 kContainerHeader = 16;

/// In the program's data; registration hands over its address.
struct Wrapper {
  u32 magic;
  u32 version;  ///< 1, or 2 when the device code was linked from several translation units
  const void* image;
  const void* const* parts;  ///< version 2: null-terminated list of the units' own images
};
inline constexpr u32 kLinkedWrapper = 2;

struct ContainerHeader {
  u32 magic;
  u16 version;
  u16 header_bytes;
  u64 bytes;  ///< behind the header; may be 0
};

/// One entry; `header_bytes` says where its payload starts (newer versions have longer headers).
struct EntryHeader {
  u16 kind;
  u16 version;
  u32 header_bytes;
  u64 payload_bytes;     ///< padded to 8
  u32 compressed_bytes;  ///< 0 when stored as it is
  u32 unknown;
  u16 minor, major;  ///< of the PTX version
  u32 sm;
  u64 unknown2;
  u64 flags;
  u64 unknown3;
  u64 uncompressed_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

inline constexpr u16 kPtxEntry = 1;
inline constexpr u16 kElfEntry = 2;
inline constexpr u16 kLtoEntry = 8;
inline constexpr u64 kLz4Flag = 0x2000;
inline constexpr u64 kZstdFlag = 0x8000;

}  // namespace roofline::sim::image
