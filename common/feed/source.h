// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "feed/batches.h"
#include "worker/refusal.h"

/// Batches that workers decode. A simulated device knows nothing of the CPU, so a worker is a stream of
/// small kernels: it takes its time on the device's clock, beside everything else, and writes into pinned
/// memory as a thread of the host would. On a GPU it does the same.
namespace roofline::feed {

inline constexpr unsigned kWarp = 32, kDeliverBlocks = 4, kDeliverThreads = 256;

/// The first half of a worker's work on a batch, the time: a file says how long its picture takes, from 0.5
/// to 1.5 times `work` operations of a chain.
///
/// \param files  device, one for each picture of the batch
template <class = void>  // several files of a program may include it
__global__ void decode(const std::uint64_t* files, int images, float minus, int work, ulonglong2* to) {
  int operations = 0;
  for (int k = 0; k < images; ++k)
    operations += work / 2 + static_cast<int>(static_cast<std::uint64_t>(work) * (files[k] >> 32U) >> 32U);
  float v = static_cast<float>(threadIdx.x);
#pragma unroll 16
  for (int i = 0; i < operations; ++i) v = fmaf(v, minus, 3.0F);
  if (v > 1e30F) to->x = 0;  // never: minus is -1. Without a use the chain would be deleted.
}

/// The second half, the bytes: those of decode_picture() with the file as its seed.
///
/// \param sixteens  bytes of a picture / 16
/// \param to        pinned: the pictures, one after the other
template <class = void>
__global__ void deliver(const std::uint64_t* files, int images, unsigned sixteens, ulonglong2* to) {
  for (int k = 0; k < images; ++k, to += sixteens) {
    const std::uint64_t first = bits_of(files[k], 0), distance = bits_of(files[k], 1) | 1U;
    for (unsigned at = blockIdx.x * kDeliverThreads + threadIdx.x; at < sixteens;
         at += kDeliverBlocks * kDeliverThreads) {
      const std::uint64_t word = first + 2 * at * distance;
      to[at] = make_ulonglong2(word, word + distance);
    }
  }
}

/// Hands out the batches of one epoch after the other.
class Source {
 public:
  struct Epoch {
    const std::uint64_t* files;  ///< device, one for each picture
    int images, batch;
    std::size_t image_bytes;  ///< a multiple of 16
    int step, decode;         ///< operations for each picture: of the step's chain, and of a worker's
    std::uint32_t* weights;   ///< device, image_bytes of them
  };

  explicit Source(int workers) : streams_(workers), places_(2 * workers) {
    for (cudaStream_t& stream : streams_) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (Place& place : places_) cudaEventCreateWithFlags(&place.ready, cudaEventDisableTiming);
  }
  ~Source() {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    for (const Place& place : places_) cudaEventDestroy(place.ready);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// The program's: from here on the batches are this epoch's.
  void open(const Epoch& epoch) {
    o_ = epoch;
    next_ = 0;
    for (Place& place : places_) place.batch = kNone;
  }

  /// Batches of the epoch, the last of which may be short.
  int count() const { return (o_.images + o_.batch - 1) / o_.batch; }
  /// Pictures in batch i, from 0.
  int images(int i) const { return std::min(o_.batch, o_.images - i * o_.batch); }
  /// Bytes of batch i.
  std::size_t bytes(int i) const { return static_cast<std::size_t>(images(i)) * o_.image_bytes; }

  int workers() const { return static_cast<int>(streams_.size()); }
  /// How many batches may be in flight, asked for and not yet waited for: two for each worker.
  int most() const { return static_cast<int>(places_.size()); }

  /// Asks for batch i, in any order, and returns at once. Workers take turns; each decodes what it was asked
  /// for in that order. More than most() in flight end the call: budget-exceeded.
  /// \param to  pinned memory for bytes(i) bytes, at a multiple of 16; the worker's until wait(i) has
  /// returned
  void request(int i, std::uint8_t* to) {
    if (i < 0 || i >= count())
      refuse(Reason::kMisused, "batch " + std::to_string(i) + " was asked for: the epoch has " +
                                   std::to_string(count()) + ", from 0");
    Place* const place = place_of(kNone);
    if (place == nullptr)
      refuse(Reason::kBudgetExceeded, "batch " + std::to_string(i) + " was asked for with " +
                                          std::to_string(most()) + " in flight, which is the most");
    place->batch = i;
    cudaStream_t worker = streams_[next_++ % streams_.size()];
    const std::uint64_t* const files = o_.files + static_cast<std::size_t>(i) * o_.batch;
    auto* const memory = reinterpret_cast<ulonglong2*>(to);
    decode<><<<1, kWarp, 0, worker>>>(files, images(i), -1.0F, o_.decode, memory);
    deliver<><<<kDeliverBlocks, kDeliverThreads, 0, worker>>>(
        files, images(i), static_cast<unsigned>(o_.image_bytes / sizeof *memory), memory);
    cudaEventRecord(place->ready, worker);
  }
  /// Whether batch i, which was asked for, could be had without waiting.
  /// After an error, too: wait() returns at once then, and who asks again and again goes on.
  bool ready(int i) { return cudaEventQuery(asked_for(i).ready) != cudaErrorNotReady; }
  /// The host waits until batch i, which was asked for, is in its memory.
  void wait(int i) {
    Place& place = asked_for(i);
    cudaEventSynchronize(place.ready);
    place.batch = kNone;
  }

  /// One step of training on a batch of so many pictures in device memory, as kernels in `stream`.
  void step(const std::uint8_t* batch, int images, cudaStream_t stream) const {
    train<uchar4>(o_.weights, batch, images, o_.image_bytes, o_.step, stream);
  }

 private:
  using Reason = worker::Refusal::Reason;
  static constexpr int kNone = -1;
  /// Of a batch in flight.
  struct Place {
    int batch = kNone;
    cudaEvent_t ready = nullptr;
  };
  [[noreturn]] static void refuse(Reason reason, const std::string& text) {
    throw worker::Refusal{reason, text};
  }
  Place* place_of(int batch) {
    const auto found =
        std::find_if(places_.begin(), places_.end(), [=](const Place& each) { return each.batch == batch; });
    return found == places_.end() ? nullptr : &*found;
  }
  Place& asked_for(int i) {
    Place* const place = i < 0 ? nullptr : place_of(i);
    if (place == nullptr)
      refuse(Reason::kMisused, "batch " + std::to_string(i) + " was waited for: nobody had asked for it");
    return *place;
  }

  Epoch o_{};
  std::size_t next_ = 0;  ///< whose turn it is
  std::vector<cudaStream_t> streams_;
  std::vector<Place> places_;
};

}  // namespace roofline::feed
