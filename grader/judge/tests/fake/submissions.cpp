// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Submissions to the fixture lab y = a*x + b, right and wrong. The behaviour is chosen by the name the
// program is started under (the tests make links): axpb-right, axpb-zeros ...
#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fake/cuda.h"
#include "worker/protocol.h"
#include "worker/worker.h"

// Under AddressSanitizer, too, a crash is to end the program by its signal.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "handle_segv=0"; }

namespace {

std::string behaviour;

float right(float a, float x, float b) { return std::fma(a, x, b); }

void axpb(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t) {
  for (std::size_t i = 0; i < n; ++i) y[i] = right(a, x[i], b);
  if (behaviour == "zeros") std::memset(y, 0, n * sizeof(float));
  if (behaviour == "past-the-end" && n > 0) y[n] = 1;
  if (behaviour == "before-the-start" && n > 0) y[-1] = 1;
  if (behaviour == "tail" && n > 100) y[n - 1] = y[n - 2] = 0;
  if (behaviour == "modifies-input" && n > 0) const_cast<float*>(x)[n / 2] = 7;
  if (behaviour == "half") {  // no more digits than a half has
    for (std::size_t i = 0; i < n; ++i)
      y[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(y[i]) & ~0x1fffU);
  }
  if (behaviour == "crash" && n > 32) std::raise(SIGSEGV);
  if (behaviour == "exit" && n > 32) std::exit(0);
  if (behaviour == "hang" && n > 32) pause();
  if (behaviour == "hang-once" && n > 32) {
    const std::string mark = std::string(program_invocation_name) + ".hung";
    if (access(mark.c_str(), F_OK) != 0) {
      std::fclose(std::fopen(mark.c_str(), "w"));
      pause();
    }
  }
  if (behaviour == "hang-child" && n > 32) {
    if (fork() == 0) pause();  // keeps every descriptor open
    std::_Exit(0);
  }
  if (behaviour == "differs" && n > 0) {
    static unsigned calls = 0;
    y[0] = std::nextafterf(y[0], static_cast<float>(++calls % 2 * 100) - 50);
  }
  if (behaviour == "slow") usleep(2000);
  if (behaviour == "many-launches") fake_launch(50);
  static bool registered = false;
  if (behaviour == "says-goodbye" && !std::exchange(registered, true))
    std::atexit([] { std::fputs("goodbye\n", stderr); });
  if (behaviour == "prints") std::printf("\x1b[2Jhello\n%s", std::string(200'000, 'x').c_str());
}

void stale(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  static bool done = false;  // the second call of a size is answered from what lies in the output
  if (!done || n < 1000) axpb(x, y, a, b, n, stream);
  done = n >= 1000;
}

/// The size that is timed.
bool timed(std::size_t n) { return n == std::size_t{1} << 18; }

/// Slow, with events that tell a tenth.
void false_events(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  fake_event_scale = 0.1F;
  if (timed(n)) usleep(500);
  axpb(x, y, a, b, n, stream);
}

/// Says "done" and computes an output when it is copied: as "late-look" when pieces are, as "late-fetch" when
/// all is. As "rewrites" too, but pieces hold something before that: not what the judge put there.
std::map<float*, std::function<void()>> owed;
void late(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (!timed(n)) return axpb(x, y, a, b, n, stream);
  if (fake_before_copy == nullptr) owed.clear();
  if (behaviour == "rewrites") std::fill_n(y, n, 0.5F);
  owed[y] = [=] { axpb(x, y, a, b, n, stream); };
  fake_before_copy = [](const void* from) {
    constexpr std::ptrdiff_t kBand = 1024, kPayload = 1 << 18;
    for (const auto& [output, compute] : owed) {
      const std::ptrdiff_t at = static_cast<const float*>(from) - output;
      if (at < -kBand || at >= kPayload || (behaviour == "late-look") != (at >= 0)) continue;
      if (at >= 0) usleep(3'000);  // of work that the clock is not to see
      compute();
    }
  };
}

/// Writes to the first array that it got since the inputs are new.
void one_copy(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  static float known = 0;
  static const float* first = nullptr;
  if (n > 0 && known != x[0]) {
    first = y;
    known = x[0];
  }
  if (!timed(n) || y == first) axpb(x, y, a, b, n, stream);
}

/// The first call since the arrays were loaded is computed, and its result handed out again: right for its
/// own scalars alone.
void remembers(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  static std::vector<float> answer;
  static float first = 0;
  if (!timed(n)) return axpb(x, y, a, b, n, stream);
  if (answer.empty() || first != x[0]) {
    axpb(x, y, a, b, n, stream);
    answer.assign(y, y + n);
    first = x[0];
  }
  std::memcpy(y, answer.data(), n * sizeof(float));
}

/// Has a share of L2 set aside and asks it to keep what a call read, for the next sample to find there.
void keeps_lines(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  static float last = 0;
  axpb(x, y, a, b, n, stream);
  if (!timed(n)) return;
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20);
  const bool first_of_sample = a != std::exchange(last, a);
  if (first_of_sample && fake_persisting_lines)
    std::memset(y, 0, n * sizeof(float));  // seen as a wrong answer
  fake_persisting_lines = true;
}

void nothing(const float*, float*, float, float, std::size_t, cudaStream_t) {}

/// Nothing at all in a case of one element.
void all_but_the_last(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n > 1) axpb(x, y, a, b, n - 1, stream);
}

/// Looks for the answer, and for ways to change what it was given; right only if none is found.
void attacks(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  axpb(x, y, a, b, n, stream);
  std::signal(SIGXFSZ, SIG_IGN);  // growing must fail because of the seal, not because of the size limit
  const int input = std::atoi(std::getenv("ROOFLINE_INPUT_FD")),
            output = std::atoi(std::getenv("ROOFLINE_OUTPUT_FD"));
  const auto broke = [](const char* what) {
    std::fprintf(stderr, "attack worked: %s\n", what);
    std::abort();
  };
  if (ftruncate(input, 0) == 0 || ftruncate(output, 0) == 0) broke("shrink");
  if (ftruncate(output, 48L << 20) == 0) broke("grow");
  if (pwrite(input, "x", 1, 0) == 1) broke("write to the input");
  if (mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, input, 0) != MAP_FAILED)
    broke("map the input writable");
}

/// Answers the judge's questions itself, before and instead of the worker.
void forges(const float*, float*, float, float, std::size_t n, cudaStream_t) {
  const int socket = std::atoi(std::getenv("ROOFLINE_JUDGE_FD"));
  if (n == 0) return;
  if (behaviour == "garbage") {
    send(socket, "passed", 6, 0);
    return;
  }
  for (std::uint32_t serial = 1; serial < 200; ++serial) {
    roofline::worker::Reply reply{};
    reply.serial = serial;
    send(socket, &reply, sizeof reply, MSG_DONTWAIT);
  }
  pause();
}

void another_interface(const float*, float*, double, float, std::size_t, cudaStream_t) {}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argv[0];
  behaviour = name.substr(name.find("axpb-") + 5);
  using roofline::worker::serve;
  if (behaviour == "dies-at-start") std::abort();
  if (behaviour == "many-launches") fake_queue = 1000;
  if (behaviour == "wakes-slowly") fake_first_contact_ms = 2500;
  if (behaviour == "stale") return serve(stale, argc, argv);
  if (behaviour == "false-events") return serve(false_events, argc, argv);
  if (behaviour == "late-look" || behaviour == "late-fetch" || behaviour == "rewrites")
    return serve(late, argc, argv);
  if (behaviour == "one-copy") return serve(one_copy, argc, argv);
  if (behaviour == "remembers") return serve(remembers, argc, argv);
  if (behaviour == "keeps-lines") return serve(keeps_lines, argc, argv);
  if (behaviour == "nothing") return serve(nothing, argc, argv);
  if (behaviour == "all-but-the-last") return serve(all_but_the_last, argc, argv);
  if (behaviour == "attacks") return serve(attacks, argc, argv);
  if (behaviour == "forges" || behaviour == "garbage") return serve(forges, argc, argv);
  if (behaviour == "another-interface") return serve(another_interface, argc, argv);
  return serve(axpb, argc, argv);
}
