// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/copy.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "simulator/program/address_windows.h"
#include "simulator/runtime/address.h"
#include "simulator/runtime/capture.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

/// Copies through the staging memory go in pieces of this size: large enough to hide the round trip, small
/// enough to stay in the host's caches.
constexpr u64 kPiece = u64{4} << 20;

bool is_empty(const CopyRequest& q) { return q.width == 0 || q.height == 0 || q.depth == 0; }

/// Of an empty copy the real library looks at no pointer.
cudaError_t check_direction(const CopyRequest& q) {
  if (is_empty(q) && q.kind >= cudaMemcpyHostToHost && q.kind <= cudaMemcpyDefault) return cudaSuccess;
  const bool from_device = is_device_address(q.from), to_device = is_device_address(q.to);
  switch (q.kind) {
    case cudaMemcpyHostToHost:
      return from_device || to_device ? cudaErrorInvalidValue : cudaSuccess;
    case cudaMemcpyHostToDevice:
      return from_device || !machine_reaches(q.to) ? cudaErrorInvalidValue : cudaSuccess;
    case cudaMemcpyDeviceToHost:
      return to_device || !machine_reaches(q.from) ? cudaErrorInvalidValue : cudaSuccess;
    case cudaMemcpyDeviceToDevice:
      return machine_reaches(q.from) && machine_reaches(q.to) ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyDefault:
      return cudaSuccess;
  }
  return cudaErrorInvalidMemcpyDirection;
}

/// A copy in several pieces must fail before its first byte moves.
cudaError_t check_range(Runtime& r, const void* pointer, const CopyRequest& q, u64 pitch) {
  AllocationState found;
  if (const Status status = r.connection().call(QueryAllocation{address_of(pointer)}, found);
      status != Status::kOk)
    return to_cuda(status);
  const u64 slice = pointer == q.to ? q.to_slice : q.from_slice;
  const u64 span = slice * (q.depth - 1) + pitch * (q.height - 1) + q.width;
  const u64 offset = address_of(pointer) - found.begin;
  return found.found && offset <= found.bytes && span <= found.bytes - offset ? cudaSuccess
                                                                              : cudaErrorInvalidValue;
}

struct Piece {
  u64 row, column, width, rows;
};

/// Cuts a rectangle into pieces of at most kPiece bytes: groups of rows, or parts of one long row.
template <class Each>
cudaError_t in_pieces(const CopyRequest& q, Each&& each) {
  if (q.width <= kPiece) {
    const u64 rows_a_piece = std::max<u64>(1, kPiece / q.width);
    for (u64 row = 0; row < q.height; row += rows_a_piece) {
      const u64 rows = std::min<u64>(rows_a_piece, q.height - row);
      if (const cudaError_t error = each(Piece{row, 0, q.width, rows}, row + rows == q.height);
          error != cudaSuccess)
        return error;
    }
    return cudaSuccess;
  }
  for (u64 row = 0; row < q.height; row++)
    for (u64 column = 0; column < q.width; column += kPiece) {
      const u64 width = std::min<u64>(kPiece, q.width - column);
      const bool last = row + 1 == q.height && column + width == q.width;
      if (const cudaError_t error = each(Piece{row, column, width, 1}, last); error != cudaSuccess)
        return error;
    }
  return cudaSuccess;
}

cudaError_t copy_in(Runtime& r, const CopyRequest& q, u32 stream, bool more) {
  const auto* from = static_cast<const std::byte*>(q.from);
  return in_pieces(q, [&](const Piece& p, bool last) {
    for (u64 i = 0; i < p.rows; i++)
      std::memcpy(r.connection().staging() + i * p.width, from + (p.row + i) * q.from_pitch + p.column,
                  p.width);
    const Rectangle to{address_of(q.to) + p.row * q.to_pitch + p.column, q.to_pitch, p.width, p.rows};
    return to_cuda(r.connection().call(CopyIn{to, 0, stream, q.async, !last || more}));
  });
}

cudaError_t copy_out(Runtime& r, const CopyRequest& q, u32 stream, bool more) {
  auto* to = static_cast<std::byte*>(q.to);
  return in_pieces(q, [&](const Piece& p, bool last) {
    const Rectangle from{address_of(q.from) + p.row * q.from_pitch + p.column, q.from_pitch, p.width, p.rows};
    const Status status = r.connection().call(CopyOut{from, 0, stream, q.async, !last || more});
    if (status != Status::kOk) return to_cuda(status);
    for (u64 i = 0; i < p.rows; i++)
      std::memcpy(to + (p.row + i) * q.to_pitch + p.column, r.connection().staging() + i * p.width, p.width);
    return cudaSuccess;
  });
}

/// One slice; `more`: another one of the same copy follows.
cudaError_t copy_slice(Runtime& r, const CopyRequest& q, u32 id, bool more) {
  const bool to_machine = machine_reaches(q.to), from_machine = machine_reaches(q.from);
  if (to_machine && from_machine) {
    const Rectangle to{address_of(q.to), q.to_pitch, q.width, q.height};
    return to_cuda(r.connection().call(CopyWithin{to, address_of(q.from), q.from_pitch, id, q.async, more}));
  }
  if (to_machine) return copy_in(r, q, id, more);
  if (from_machine) return copy_out(r, q, id, more);
  // Host to host: in order after what the stream holds.
  const Status status = r.connection().call(Synchronize{Synchronize::Scope::kStream, id});
  for (u64 row = 0; row < q.height; row++)
    std::memcpy(static_cast<std::byte*>(q.to) + row * q.to_pitch,
                static_cast<const std::byte*>(q.from) + row * q.from_pitch, q.width);
  return to_cuda(status);
}

/// What a node of a captured copy answers when it is asked for its parameters.
cudaMemcpy3DParms parameters_of(const CopyRequest& q) {
  cudaMemcpy3DParms p{};
  const auto rows = [&](size_t slice, size_t pitch) { return slice && pitch ? slice / pitch : q.height; };
  p.srcPtr = {const_cast<void*>(q.from), q.from_pitch, q.width, rows(q.from_slice, q.from_pitch)};
  p.dstPtr = {q.to, q.to_pitch, q.width, rows(q.to_slice, q.to_pitch)};
  p.extent = {q.width, q.height, q.depth};
  p.kind = q.kind;
  return p;
}

}  // namespace

bool is_device_address(const void* pointer) {
  const u64 address = address_of(pointer);
  return address >= kDeviceWindow && address < kHostWindow;
}

int device_of(const void* pointer) { return static_cast<int>(window_of(address_of(pointer))); }

bool is_window_address(const void* pointer) {
  const u64 address = address_of(pointer);
  return address >= kHostWindow && address - kHostWindow < kHostWindowBytes;
}

bool machine_reaches(const void* pointer) { return is_device_address(pointer) || is_window_address(pointer); }

CopyRequest in_window(const Runtime& r, CopyRequest q) {
  const auto seen = [&](const void* end, u64 pitch, u64 slice) -> u64 {
    const auto region =
        r.registered.find(address_of(end), slice * (q.depth - 1) + pitch * (q.height - 1) + q.width);
    const bool moved = region != r.registered.end() && region->second.window != 0;
    return address_of(end) + (moved ? region->second.window - region->second.pages : 0);
  };
  if (is_empty(q)) return q;
  q.to = reinterpret_cast<void*>(seen(q.to, q.to_pitch, q.to_slice));
  q.from = reinterpret_cast<const void*>(seen(q.from, q.from_pitch, q.from_slice));
  return q;
}

cudaError_t check(const CopyRequest& q) {
  if (const cudaError_t error = check_direction(q); error != cudaSuccess) return error;
  if (is_empty(q)) return cudaSuccess;
  if (!q.to || !q.from) return cudaErrorInvalidValue;
  if (q.height * q.depth > 1 && (q.to_pitch < q.width || q.from_pitch < q.width))
    return cudaErrorInvalidPitchValue;
  return cudaSuccess;
}

namespace {

/// Bytes of pageable memory that the real library reads before an asynchronous copy returns, whatever is
/// before it in its stream.
constexpr u64 kStagedAtOnce = u64{64} << 10;

/// What a copy reads, packed; from there it copies then.
std::shared_ptr<const std::vector<std::byte>> stage(CopyRequest& q) {
  auto bytes = std::make_shared<std::vector<std::byte>>(q.width * q.height * q.depth);
  std::byte* to = bytes->data();
  for (size_t z = 0; z < q.depth; z++)
    for (size_t y = 0; y < q.height; y++, to += q.width)
      std::memcpy(to, static_cast<const std::byte*>(q.from) + z * q.from_slice + y * q.from_pitch, q.width);
  q.from = bytes->data();
  q.from_pitch = q.width;
  q.from_slice = q.width * q.height;
  return bytes;
}

cudaError_t begin_copy(Runtime& r, const CopyRequest& asked) {
  if (const cudaError_t error = check(asked); error != cudaSuccess) return error;
  CopyRequest q = in_window(r, asked);
  // Pageable memory must be read or written before the call returns; a little is read at once.
  const bool staged = q.async && !machine_reaches(q.from) && machine_reaches(q.to) &&
                      q.width * q.height * q.depth <= kStagedAtOnce;
  const bool may_queue = q.async ? staged || (machine_reaches(q.to) && machine_reaches(q.from))
                                 : is_device_address(q.to) && is_device_address(q.from);
  const StreamUse use = may_queue ? queue_on(r, q.stream) : use_stream(r, q.stream);
  if (use.error != cudaSuccess) return use.error;
  if (use.capture) return q.async ? capture(use, CopyCall{asked, parameters_of(asked)}) : refuse_capture(use);
  if (!q.async)
    if (const cudaError_t error = unsafe_in_capture(r); error != cudaSuccess) return error;
  if (is_empty(q)) return cudaSuccess;
  for (const void* end : {static_cast<const void*>(q.to), q.from})
    if (q.width * q.height * q.depth > kPiece && machine_reaches(end))
      if (const cudaError_t error = check_range(r, end, q, end == q.to ? q.to_pitch : q.from_pitch);
          error != cudaSuccess)
        return error;
  std::shared_ptr<const std::vector<std::byte>> bytes;
  if (staged && use.pending) bytes = stage(q);
  return send(r, use, [q, bytes, id = use.id](Runtime& runtime) {
    CopyRequest slice = q;
    for (size_t z = 0; z < q.depth; z++) {
      slice.to = static_cast<std::byte*>(q.to) + z * q.to_slice;
      slice.from = static_cast<const std::byte*>(q.from) + z * q.from_slice;
      if (const cudaError_t error = copy_slice(runtime, slice, id, z + 1 < q.depth); error != cudaSuccess)
        return error;
    }
    return cudaSuccess;
  });
}

/// Why the end of a copy is refused; empty where nothing is wrong with it.
std::string problem_of_end(Runtime& r, const CopyRequest& q, const void* end) {
  if (end == nullptr) return "a null pointer";
  if (!machine_reaches(end) || check_range(r, end, q, end == q.to ? q.to_pitch : q.from_pitch) == cudaSuccess)
    return {};
  AllocationState found;
  (void)r.connection().call(QueryAllocation{address_of(end)}, found);
  if (!found.found) return "no memory that was allocated and not freed";
  return "only " + std::to_string(found.begin + found.bytes - address_of(end)) + " bytes to the end of the " +
         std::to_string(found.bytes) + "-byte allocation";
}

/// The error says only that some argument is invalid; the first refused copy of a program is explained.
void explain_once(Runtime& r, const CopyRequest& q) {
  static std::atomic<bool> said = false;
  std::string problem;
  if (check_direction(q) != cudaSuccess) problem = "its direction does not fit the two pointers";
  if (problem.empty())
    if (const std::string source = problem_of_end(r, q, q.from); !source.empty())
      problem = "at its source, " + source;
  if (problem.empty())
    if (const std::string destination = problem_of_end(r, q, q.to); !destination.empty())
      problem = "at its destination, " + destination;
  if (!problem.empty() && !said.exchange(true))
    say("the copy of " + std::to_string(q.width * q.height * q.depth) + " bytes is refused: " + problem);
}

}  // namespace

cudaError_t copy(Runtime& r, const CopyRequest& asked) {
  const cudaError_t error = begin_copy(r, asked);
  if (error == cudaErrorInvalidValue) explain_once(r, in_window(r, asked));
  return error;
}

}  // namespace roofline::sim::runtime
