// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <map>
#include <optional>

#include "simulator/channel/messages.h"
#include "simulator/channel/replies.h"
#include "simulator/runtime/cuda.h"

namespace roofline::sim::runtime {

class Runtime;

/// The bytes of CUDA's handles that go from one process to another, and of the file behind a descriptor that
/// does.
struct HandleBytes {
  static constexpr u64 kMagic = 0x31'63'70'69'6c'66'6f'72;  // "roflipc1"
  u64 magic = kMagic;
  channel::Shared kind = channel::Shared::kMemory;
  u32 unused = 0;
  channel::SharedHandle handle;
  u64 pool = 0;  ///< of an allocation that a pool's other owner imports: SharedState::id of the pool
};

/// Puts a handle into one of CUDA's structures of 64 bytes.
template <class Opaque>
void put(Opaque& to, const HandleBytes& bytes) {
  static_assert(sizeof(Opaque) == 64 && sizeof bytes <= sizeof(Opaque));
  to = {};
  std::memcpy(&to, &bytes, sizeof bytes);
}
/// Takes it out; empty when that is no handle of this kind.
template <class Opaque>
std::optional<HandleBytes> take(const Opaque& from, channel::Shared kind) {
  HandleBytes bytes;
  std::memcpy(static_cast<void*>(&bytes), &from, sizeof bytes);
  if (bytes.magic != HandleBytes::kMagic || bytes.kind != kind) return std::nullopt;
  return bytes;
}

/// Shares something of this process: what `id` is depends on the kind.
cudaError_t share(Runtime& r, channel::Shared kind, u64 id, HandleBytes& bytes);
/// Opens what another process shares.
channel::Status open_shared(Runtime& r, const channel::OpenShared& what, channel::SharedState& opened);
/// A new file descriptor that stands for a handle, as POSIX descriptors of CUDA do.
cudaError_t make_descriptor(const HandleBytes& bytes, int& descriptor);
/// What such a descriptor stands for.
std::optional<HandleBytes> read_descriptor(int descriptor, channel::Shared kind);

/// Memory of other processes that was opened, by the handle: opening it again gives the same address.
struct OpenedMemory {
  u64 address = 0;
  u64 holders = 0;
};
using OpenedMemories = std::map<channel::SharedHandle, OpenedMemory>;

}  // namespace roofline::sim::runtime
