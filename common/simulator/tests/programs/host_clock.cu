// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the host's clocks show around work of the GPU: a rate that agrees with CUDA events, whichever clock
// measures it; streams that overlap; host code beside a kernel; sleeps and waits that end when their time has
// come.
// times: clocks of the host and of the device against each other
#include <poll.h>
#include <semaphore.h>
#include <sys/time.h>

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "expect.h"

using Seconds = std::chrono::duration<double>;

__global__ void scale(float* x, float factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= factor;
}

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

double steady() { return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double system_time() { return Seconds(std::chrono::system_clock::now().time_since_epoch()).count(); }
double monotonic() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
double time_of_day() {
  timeval t;
  gettimeofday(&t, nullptr);
  return t.tv_sec + 1e-6 * t.tv_usec;
}

// A rate in GB/s by one of the host's clocks lies near the events' one: each launch costs some microseconds
// more.
void test_bandwidth() {
  constexpr int kN = 4 << 20, kTimes = 10;
  float* x = nullptr;
  cudaEvent_t start, stop;
  OK(cudaMalloc(&x, kN * sizeof(float)));
  OK(cudaMemset(x, 0, kN * sizeof(float)));
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  const auto work = [&] {
    for (int i = 0; i < kTimes; i++) scale<<<1024, 256>>>(x, 2, kN);
  };
  work();
  OK(cudaEventRecord(start));
  work();
  OK(cudaEventRecord(stop));
  OK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  OK(cudaEventElapsedTime(&milliseconds, start, stop));
  const double by_events = milliseconds * 1e-3;
  for (const auto& now : {std::function(steady), std::function(system_time), std::function(monotonic),
                          std::function(time_of_day)}) {
    bool agree = false;  // the program's own code takes longer now and then, on a busy machine
    for (int attempt = 0; attempt < 5 && !agree; attempt++) {
      const double began = now();
      work();
      OK(cudaDeviceSynchronize());
      const double by_host = now() - began;
      agree = by_host > 0.7 * by_events && by_host < 1.3 * by_events;
    }
    EXPECT(agree);
  }
  OK(cudaFree(x));
}

// Four streams with a block each take hardly longer than one.
void test_overlap() {
  constexpr int kStreams = 4;
  constexpr long long kCycles = 400'000;
  cudaStream_t streams[kStreams];
  for (auto& stream : streams) OK(cudaStreamCreate(&stream));
  const auto seconds = [&](bool overlap) {
    OK(cudaDeviceSynchronize());
    const double began = steady();
    for (int i = 0; i < kStreams; i++) spin<<<1, 32, 0, streams[overlap ? i : 0]>>>(kCycles);
    OK(cudaDeviceSynchronize());
    return steady() - began;
  };
  seconds(true);
  const double in_turn = seconds(false), together = seconds(true);
  EXPECT(together < 0.5 * in_turn);
  // The host computes while a kernel runs: both together take as long as the longer one.
  const double began = steady();
  spin<<<1, 32>>>(8 * kCycles);
  const double launched = steady();
  volatile double sum = 0;
  while (steady() - launched < 0.5 * in_turn) sum = sum + 1;
  const double computed = steady();
  OK(cudaDeviceSynchronize());
  const double both = steady() - began;
  EXPECT(computed - began < 0.9 * both);
  EXPECT(both < 2.4 * in_turn);
  for (auto& stream : streams) OK(cudaStreamDestroy(stream));
}

template <class Wait>
double waited(Wait&& wait) {
  const double began = steady();
  wait();
  return steady() - began;
}

// Whoever waits for a tenth of a second finds that it has passed, and not much more.
void test_waits() {
  constexpr auto kTenth = std::chrono::milliseconds(100);
  const auto is_a_tenth = [](double seconds) { return seconds >= 0.0999 && seconds < 0.4; };
  std::mutex mutex;
  std::condition_variable never;
  std::promise<int> unkept;
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  EXPECT(is_a_tenth(waited([&] { std::this_thread::sleep_for(kTenth); })));
  EXPECT(
      is_a_tenth(waited([&] { std::this_thread::sleep_until(std::chrono::steady_clock::now() + kTenth); })));
  EXPECT(is_a_tenth(waited([&] {
    std::unique_lock lock(mutex);
    EXPECT(!never.wait_for(lock, kTenth, [] { return false; }));
  })));
  EXPECT(is_a_tenth(waited([&] {
    std::unique_lock lock(mutex);
    while (never.wait_until(lock, std::chrono::system_clock::now() + kTenth) == std::cv_status::no_timeout) {
    }
  })));
  EXPECT(is_a_tenth(
      waited([&] { EXPECT(unkept.get_future().wait_for(kTenth) == std::future_status::timeout); })));
  EXPECT(is_a_tenth(waited([&] {
    timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += 100'000'000;
    if (deadline.tv_nsec >= 1'000'000'000) deadline.tv_sec++, deadline.tv_nsec -= 1'000'000'000;
    EXPECT(sem_timedwait(&semaphore, &deadline) == -1);
  })));
  EXPECT(is_a_tenth(waited([&] { EXPECT(poll(nullptr, 0, 100) == 0); })));
  EXPECT(is_a_tenth(waited([&] {
    timeval limit{0, 100'000};
    EXPECT(select(0, nullptr, nullptr, nullptr, &limit) == 0);
  })));
}

// A thread that is told in time does not run into its deadline, however long the GPU's work takes to
// simulate.
void test_notified() {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false, in_time = false;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    in_time = changed.wait_for(lock, std::chrono::seconds(2), [&] { return done; });
  });
  spin<<<1, 32>>>(1'000'000);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  changed.notify_all();
  waiter.join();
  EXPECT(in_time);
}

// No clock ever goes back, whichever thread reads it beside work of the GPU.
void test_order() {
  double last = steady();
  for (int i = 0; i < 200; i++) {
    if (i % 10 == 0) spin<<<1, 32>>>(1000);
    if (i % 50 == 0) OK(cudaDeviceSynchronize());
    const double now = steady();
    EXPECT(now >= last);
    last = now;
  }
  const clock_t before = clock();
  spin<<<1, 32>>>(1'000'000);
  OK(cudaDeviceSynchronize());
  EXPECT(clock() >= before);
}

int main() {
  OK(cudaFree(nullptr));
  test_bandwidth();
  test_overlap();
  test_waits();
  test_notified();
  test_order();
  return 0;
}
