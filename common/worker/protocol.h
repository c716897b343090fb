// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>

/// Judge and worker talk in fixed-size records over a private SOCK_SEQPACKET socket, one record a datagram:
/// the kernel copies each record whole, so it cannot change between the check and the use, and a short or
/// long one is seen as such. On a GPU array contents travel in two memfds of fixed size: `input` (the worker
/// cannot write it) and `output` (both write it). A simulated device's arrays are filled and read by the
/// judge, through the machine: there the worker only allocates. The judge asks, the worker answers; after
/// each request but Facts, Look and End exactly one Reply.
///
///     judge                         worker
///                          <------  Hello      what the function's parameters are
///     Request kFacts        ----->
///                          <------  Facts      the device, as the CUDA runtime describes it
///     Request kLoad         ----->             allocates; on a GPU copies array images to the device
///                          <------  Reply
///     Request kPrepare      ----->             where Hello says so: what is done once, before the clock runs
///                          <------  Reply
///     Request kReset        ----->             on a GPU, before each timed Go: outputs as after Load
///                          <------  Reply
///     Request kGo           ----->             calls the function, waits for the device
///                          <------  Reply
///     Request kLook         ----->             after a timed Go, before the judge stops its clock: pieces of
///                          <------  Pieces     the outputs, from where it says only now
///     Request kFetch        ----->             on a GPU: copies array images back into `output`
///                          <------  Reply
///     Request kEnd          ----->             exits
namespace roofline::worker {

inline constexpr std::uint32_t kProtocolVersion = 6;
inline constexpr unsigned kMaxParameters = 24;
inline constexpr unsigned kPieces = 16, kPieceBytes = 256;

/// Environment of the worker: descriptors of the socket and, on a GPU, of the two memfds.
inline constexpr const char* kSocketVariable = "ROOFLINE_JUDGE_FD";
inline constexpr const char* kInputVariable = "ROOFLINE_INPUT_FD";
inline constexpr const char* kOutputVariable = "ROOFLINE_OUTPUT_FD";

struct Hello {
  std::uint32_t version;
  std::uint32_t count;
  std::uint32_t prepares;  ///< 1: Prepare is answered
  struct {
    std::uint8_t parameter, element;  ///< worker::Parameter, worker::Element
  } parameters[kMaxParameters];
};

enum class Command : std::uint32_t { kFacts, kLoad, kPrepare, kGo, kFetch, kRelease, kEnd, kReset, kLook };

/// An array as it lies in a memfd and on a device: guard, payload, guard. The function gets base + payload. A
/// stream's record says its GPU and nothing else.
struct ArrayRecord {
  std::uint64_t image_bytes;  ///< whole image; one device allocation of exactly this size
  std::uint64_t payload;      ///< offset of the function's pointer in the image
  std::uint64_t source;       ///< offset of the image in its memfd
  std::uint64_t destination;  ///< Fetch: offset in `output`
  std::uint8_t from_output;   ///< the image comes from `output` (poison) instead of `input`
  std::uint8_t alias;         ///< 1 + index of the parameter whose allocation this one shares; 0: its own
  std::uint8_t fetch;         ///< Fetch copies it back
  std::uint8_t gpu;           ///< where the array lies, or the stream that stands in its place; 0: the first
  std::uint8_t unused[4];
};

/// A piece of an output.
struct PieceRecord {
  std::uint32_t parameter, bytes;  ///< at most kPieceBytes; 0: none
  std::uint64_t offset;            ///< in bytes from the pointer that the function gets
};

struct Request {
  Command command;
  std::uint32_t serial;     ///< answered in the reply
  std::uint32_t calls;      ///< Go: how often the function is called back to back
  std::uint32_t timed;      ///< Go: 1: between two events
  std::uint32_t sets;       ///< Load: copies of all arrays (at least 1); calls go round them
  std::uint32_t spare;      ///< Load: 1: one more copy, which no call gets: where Reset takes outputs from
  std::uint32_t fetch_set;  ///< Look, Fetch: which copy
  std::uint32_t gate;       ///< Go: hold the device until all calls are queued
  ArrayRecord arrays[kMaxParameters];     ///< Load, Fetch: by parameter index; unused where not an array
  PieceRecord pieces[kPieces];            ///< Look
  std::uint64_t scalars[kMaxParameters];  ///< Go: bits, little-endian in the low bytes; Prepare: those of
                                          ///< sizes, 0 for what only Go reveals
};

enum class Status : std::uint32_t {
  kOk,
  kCudaError,
  kNoMemory,
  kBadRequest,
  kRefused  ///< by what the lab handed to the function (worker/refusal.h): `error` is the reason
};
/// Where a CUDA error was seen.
enum class Stage : std::uint32_t { kStart, kAllocate, kUpload, kCall, kSynchronize, kDownload };

struct Reply {
  std::uint32_t serial;
  Status status;
  Stage stage;
  std::int32_t error;  ///< cudaError_t, or worker::Refusal::Reason
  char error_name[64];
  char error_text[192];
  double device_us;                         ///< timed Go: all its calls, by events
  double clock_mhz;                         ///< Reset: the SM clock; 0 where it cannot be read
  std::uint64_t addresses[kMaxParameters];  ///< Load: of the images of the first copy, on the device
};

struct Pieces {
  std::uint32_t serial;
  std::int32_t error;  ///< cudaError_t
  std::uint8_t bytes[kPieces][kPieceBytes];
};

struct Facts {
  std::uint32_t serial;
  std::int32_t error;
  char name[256];
  std::int32_t major, minor, sms, l2_bytes, clock_khz, memory_clock_khz, bus_bits, ecc, driver, runtime;
  std::int32_t gpus, peers;  ///< how many the program finds; 1: each reaches the memory of every other
  std::uint64_t memory_bytes;
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);
static_assert(std::is_trivially_copyable_v<Pieces> && sizeof(Pieces::bytes) == 4096);
static_assert(sizeof(ArrayRecord) == 40);

}  // namespace roofline::worker
