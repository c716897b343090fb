// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "worker/buffers.h"
#include "worker/gpus.h"
#include "worker/live_objects.h"
#include "worker/protocol.h"
#include "worker/refusal.h"
#include "worker/timed_region.h"

namespace roofline::worker::detail {
namespace {

int descriptor(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

struct Channel {
  int socket = -1;

  template <class Record>
  bool send(const Record& record) const {
    return ::send(socket, &record, sizeof record, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof record);
  }
  bool receive(Request& request) const {
    ssize_t got = 0;
    do got = ::recv(socket, &request, sizeof request, 0);
    while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(sizeof request);
  }
};

/// A descriptor mapped whole; `protection` is all the mapping ever allows.
std::byte* map(int fd, int protection, std::size_t& bytes) {
  struct stat facts {};
  if (fd < 0 || fstat(fd, &facts) != 0 || facts.st_size <= 0) return nullptr;
  bytes = static_cast<std::size_t>(facts.st_size);
  void* address = mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

Reply reply_to(const Request& request, const Outcome& outcome) {
  Reply reply{};
  reply.serial = request.serial;
  reply.status = outcome.status;
  reply.stage = outcome.stage;
  reply.error = static_cast<std::int32_t>(outcome.error);
  if (outcome.status != Status::kOk) {
    std::snprintf(reply.error_name, sizeof reply.error_name, "%s", cudaGetErrorName(outcome.error));
    std::snprintf(reply.error_text, sizeof reply.error_text, "%s", cudaGetErrorString(outcome.error));
  }
  return reply;
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess ? value : 0;
}

Facts device_facts(const Request& request, Gpus& gpus) {
  Facts facts{};
  facts.serial = request.serial;
  cudaDeviceProp properties{};
  facts.error = static_cast<std::int32_t>(cudaGetDeviceProperties(&properties, 0));
  if (facts.error != 0) return facts;
  std::snprintf(facts.name, sizeof facts.name, "%s", properties.name);
  facts.major = properties.major;
  facts.minor = properties.minor;
  facts.sms = properties.multiProcessorCount;
  facts.l2_bytes = properties.l2CacheSize;
  facts.memory_bytes = properties.totalGlobalMem;
  // CUDA 13 has no clock rates in cudaDeviceProp.
  facts.clock_khz = attribute(cudaDevAttrClockRate);
  facts.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate);
  facts.bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
  facts.ecc = attribute(cudaDevAttrEccEnabled);
  cudaDriverGetVersion(&facts.driver);
  cudaRuntimeGetVersion(&facts.runtime);
  gpus.begin(false);
  facts.gpus = static_cast<std::int32_t>(gpus.count());
  facts.peers = gpus.peers() ? 1 : 0;
  return facts;
}

/// Slots of one call: pointers from the buffers, scalars from the request; streams of the GPUs that `places`
/// says.
void fill_slots(const Callable& callable, const Buffers& buffers, const Request& request, unsigned set,
                const Gpus& gpus, const std::uint8_t* places, Slot* slots) {
  for (std::size_t i = 0; i < callable.count; ++i) {
    switch (callable.parameters[i].parameter) {
      case Parameter::kInput:
      case Parameter::kOutput:
        slots[i].pointer = buffers.pointer(set, i);
        break;
      case Parameter::kScalar:
        std::memcpy(slots[i].bits, &request.scalars[i], sizeof slots[i].bits);
        break;
      case Parameter::kStream:
        slots[i].stream = gpus.stream(places[i]);
        break;
    }
  }
}

class Worker {
 public:
  Worker(const Callable& callable, Channel channel, Memory memory, Gpus& gpus)
      : callable_(callable),
        channel_(channel),
        gpus_(gpus),
        buffers_(callable.parameters, callable.count, memory, gpus) {}

  int run() {
    Hello hello{};
    hello.version = kProtocolVersion;
    hello.count = static_cast<std::uint32_t>(callable_.count);
    for (std::size_t i = 0; i < callable_.count; ++i) {
      hello.parameters[i].parameter = static_cast<std::uint8_t>(callable_.parameters[i].parameter);
      hello.parameters[i].element = static_cast<std::uint8_t>(callable_.parameters[i].element);
    }
    hello.prepares = callable_.prepare != nullptr ? 1 : 0;
    if (!channel_.send(hello)) return 1;
    Request request{};
    while (channel_.receive(request)) {
      if (request.command == Command::kEnd) {
        release_prepared();
        return 0;
      }
      if (request.command == Command::kFacts) {
        if (!channel_.send(device_facts(request, gpus_))) return 1;
      } else if (request.command == Command::kLook) {
        if (!channel_.send(look(request))) return 1;
      } else if (!channel_.send(perform(request))) {
        return 1;
      }
    }
    return 0;  // the judge is gone
  }

 private:
  Reply perform(const Request& request) {
    switch (request.command) {
      case Command::kLoad:
        release_prepared();
        calls_ = 0;
        if (!left_.empty()) return not_released(request);
        return load(request);
      case Command::kPrepare:
        return prepare(request);
      case Command::kReset:
        return reset(request);
      case Command::kGo:
        return go(request);
      case Command::kFetch:
        return reply_to(request, buffers_.fetch(request));
      case Command::kRelease:
        release_prepared();
        buffers_.release();
        return reply_to(request, {});
      default:
        return reply_to(request, {Status::kBadRequest, Stage::kStart, cudaErrorInvalidValue});
    }
  }

  Reply load(const Request& request) {
    gpus_.begin(false);
    for (std::size_t i = 0; i < callable_.count; ++i) {
      places_[i] = request.arrays[i].gpu;
      if (places_[i] >= gpus_.count())
        return reply_to(request, {Status::kBadRequest, Stage::kAllocate, cudaErrorInvalidDevice});
    }
    same_arrays_ = std::memcmp(arrays_, request.arrays, sizeof arrays_) == 0;
    std::memcpy(arrays_, request.arrays, sizeof arrays_);
    Reply reply = reply_to(request, buffers_.load(request));
    if (reply.status != Status::kOk) return reply;
    for (std::size_t i = 0; i < callable_.count; ++i)
      reply.addresses[i] = reinterpret_cast<std::uint64_t>(buffers_.base(i));
    return reply;
  }

  bool has_stream() { return gpus_.make_streams() == cudaSuccess; }

  Reply prepare(const Request& request) {
    if (callable_.prepare == nullptr)
      return reply_to(request, {Status::kBadRequest, Stage::kStart, cudaErrorInvalidValue});
    if (!has_stream()) return reply_to(request, {Status::kCudaError, Stage::kStart, cudaGetLastError()});
    Slot slots[kMaxParameters] = {};
    fill_slots(callable_, buffers_, request, 0, gpus_, places_, slots);
    prepared_ = true;
    before_ = live_objects();
    callable_.call(callable_.prepare, slots);
    return reply_to(request, settle());
  }

  void release_prepared() {
    if (!prepared_) return;
    callable_.release();
    prepared_ = false;
    left_ = left_alive(before_, live_objects());
  }

  /// Told at the next load: a release has no answer of its own.
  Reply not_released(const Request& request) {
    const std::string left = std::exchange(left_, {});
    return refused(request,
                   {Refusal::Reason::kNotReleased,
                    left + " still there after release, which has to destroy what the calls before it made"});
  }

  Reply go(const Request& request) try {
    if (!has_stream()) return reply_to(request, {Status::kCudaError, Stage::kStart, cudaGetLastError()});
    const auto call = [&] {
      Slot slots[kMaxParameters] = {};
      gpus_.aim(0);
      fill_slots(callable_, buffers_, request, calls_++ % buffers_.sets(), gpus_, places_, slots);
      callable_.call(callable_.function, slots);
    };
    if (request.timed != 0) return timed(request, call);
    const bool again = is_again(request);
    const LiveObjects before = live_objects();
    for (std::uint32_t i = 0; i < request.calls; ++i) call();
    const Outcome outcome = settle();
    if (again && !prepared_ && outcome.status == Status::kOk)
      if (const std::string left = left_alive(before, live_objects());
          !left.empty() && std::exchange(grew_, true))  // once may be what is made late and kept
        return refused(request, {Refusal::Reason::kNotReleased,
                                 "a second call with the same arguments left " + left +
                                     " more behind: destroy what a call makes, or make it once and keep it "
                                     "in a static variable"});
    return reply_to(request, outcome);
  } catch (const Refusal& refusal) {
    return refused(request, refusal);
  }

  /// Whether the call before had the same arguments: what it had to make for them is there.
  bool is_again(const Request& request) {
    const bool again = same_arrays_ && std::memcmp(scalars_, request.scalars, sizeof scalars_) == 0;
    std::memcpy(scalars_, request.scalars, sizeof scalars_);
    return again;
  }

  /// Everything as if nothing had been called yet, and all that the clock is not to see.
  Reply reset(const Request& request) {
    if (!has_stream()) return reply_to(request, {Status::kCudaError, Stage::kStart, cudaGetLastError()});
    make_region();  // the driver compiles its kernels
    if (pinned_ == nullptr) {
      void* memory = nullptr;
      if (cudaHostAlloc(&memory, sizeof(Pieces), cudaHostAllocDefault) == cudaSuccess) {
        pinned_ = static_cast<Pieces*>(memory);
        ++before_.host_memory;  // no learner's
      }
    }
    forget_persisting_lines();
    const Outcome outcome = buffers_.reset();
    if (outcome.status != Status::kOk) return reply_to(request, outcome);
    Reply reply = reply_to(request, settle());
    reply.clock_mhz = region_->sm_clock_mhz();
    return reply;
  }

  /// Its events are no learner's.
  void make_region() {
    if (region_) return;
    const int events = live_objects().events;
    region_.emplace(gpus_);
    before_.events += live_objects().events - events;
  }

  /// Lines that a call asked L2 to keep. While a share of L2 is set aside for them a reset alone may leave
  /// some, so the share is taken back for the moment.
  void forget_persisting_lines() const {
    for (unsigned gpu = gpus_.count(); gpu-- > 0;) {
      gpus_.aim(gpu);
      forget_lines_of_this_gpu();
    }
  }
  static void forget_lines_of_this_gpu() {
    std::size_t share = 0;
    if (cudaDeviceGetLimit(&share, cudaLimitPersistingL2CacheSize) != cudaSuccess) share = 0;
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    cudaCtxResetPersistingL2Cache();
    if (share != 0) cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, share);
    cudaGetLastError();  // none of this is everywhere, nor are clocks and pinned memory
  }

  Pieces look(const Request& request) const {
    Pieces pageable;
    Pieces& pieces = pinned_ != nullptr ? *pinned_ : pageable;
    pieces = {};
    pieces.serial = request.serial;
    pieces.error = static_cast<std::int32_t>(buffers_.look(request, pieces));
    return pieces;
  }

  Reply refused(const Request& request, const Refusal& refusal) const {
    gpus_.synchronize();
    cudaGetLastError();
    Reply reply{};
    reply.serial = request.serial;
    reply.status = Status::kRefused;
    reply.stage = Stage::kCall;
    reply.error = static_cast<std::int32_t>(refusal.reason);
    std::snprintf(reply.error_text, sizeof reply.error_text, "%s", refusal.text.c_str());
    return reply;
  }

  /// The error of the launches first: it names the cause, where the wait would only repeat it.
  Outcome settle() const {
    const cudaError_t launched = cudaPeekAtLastError();
    const cudaError_t finished = cudaStreamSynchronize(gpus_.stream());
    cudaGetLastError();
    if (launched != cudaSuccess) return {Status::kCudaError, Stage::kCall, launched};
    if (finished != cudaSuccess) return {Status::kCudaError, Stage::kSynchronize, finished};
    const cudaError_t all = gpus_.synchronize();  // work on another stream than the one given
    if (all != cudaSuccess) return {Status::kCudaError, Stage::kSynchronize, all};
    return {};
  }

  template <class Call>
  Reply timed(const Request& request, const Call& call) {
    make_region();
    Reply reply = reply_to(request, {});
    const Outcome outcome = region_->run(request, call, reply);
    const Outcome settled = settle();
    const Outcome& worst = outcome.status != Status::kOk ? outcome : settled;
    if (worst.status != Status::kOk) return reply_to(request, worst);
    return reply;
  }

  const Callable& callable_;
  Channel channel_;
  Gpus& gpus_;
  Buffers buffers_;
  std::uint8_t places_[kMaxParameters] = {};  ///< the GPU of each array and stream that was loaded
  std::optional<TimedRegion> region_;
  Pieces* pinned_ = nullptr;  ///< copies to it need no staging; none where the device has no such memory
  unsigned calls_ = 0;        ///< since the arrays were loaded
  bool prepared_ = false;
  LiveObjects before_;                          ///< prepare
  ArrayRecord arrays_[kMaxParameters] = {};     ///< last loaded
  std::uint64_t scalars_[kMaxParameters] = {};  ///< of the last call
  bool same_arrays_ = false;                    ///< as were loaded before
  bool grew_ = false;                           ///< a call that was the same again left something more behind
  std::string left_;                            ///< alive after release, not told yet
};

}  // namespace

int serve(const Callable& callable, int, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was printed must be there when the program is killed
  Channel channel{descriptor(kSocketVariable)};
  if (channel.socket < 0) {
    std::fprintf(stderr, "%s is a worker: it is started by the grader. Run ./lab grade.\n", argv[0]);
    return 2;
  }
  if (callable.count > kMaxParameters) return 2;
  Memory memory;
  if (descriptor(kInputVariable) >= 0) {
    memory.input = map(descriptor(kInputVariable), PROT_READ, memory.input_bytes);
    memory.output = map(descriptor(kOutputVariable), PROT_READ | PROT_WRITE, memory.output_bytes);
    if (memory.input == nullptr || memory.output == nullptr) {
      std::fprintf(stderr, "worker: the judge's memory cannot be mapped\n");
      return 2;
    }
  }
  // A device that counts all bytes it gets counts code as well: what the program has must be there before.
  const char* const loading = std::getenv("CUDA_MODULE_LOADING");
  Gpus gpus;
  if (loading != nullptr && std::strcmp(loading, "EAGER") == 0) gpus.begin(true);
  return Worker(callable, channel, memory, gpus).run();
}

}  // namespace roofline::worker::detail
