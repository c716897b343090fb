// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A kernel waits for a word of device memory. Threads hand a baton on; the last one copies it there.
// misuses: what streams do at the same time is not ordered, and the checks say so
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "expect.h"

__global__ void wait_for(const volatile int* flag, int* saw) {
  int value;
  while ((value = *flag) == 0) {
  }
  *saw = value;
}

/// At nearly every look all threads wait for each other: only that the baton moves shows that they will end.
class Relay {
 public:
  explicit Relay(int runners) : runners_(runners) {}

  /// Runs as number `runner` until the time is over; true for the one that saw it.
  bool run(int runner, std::chrono::steady_clock::time_point end) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return over_ || turn_ == runner; });
      if (over_) return false;
      over_ = std::chrono::steady_clock::now() >= end;
      turn_ = (turn_ + 1) % runners_;
      changed_.notify_all();
      if (over_) return true;
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const int runners_;
  int turn_ = 0;
  bool over_ = false;
};

int main() {
  int *flag, *saw;
  OK(cudaMalloc(&flag, sizeof(int)));
  OK(cudaMalloc(&saw, sizeof(int)));
  OK(cudaMemset(flag, 0, sizeof(int)));
  cudaStream_t kernels, copies;
  OK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  int* seven = nullptr;
  OK(cudaMallocHost(&seven, sizeof(int)));
  *seven = 7;
  wait_for<<<1, 1, 0, kernels>>>(flag, saw);
  OK(cudaGetLastError());
  constexpr int kRunners = 3;
  Relay relay(kRunners);
  std::vector<std::thread> runners;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(4);
  for (int r = 0; r < kRunners; r++)
    runners.emplace_back([&, r] {
      if (relay.run(r, end)) OK(cudaMemcpyAsync(flag, seven, sizeof(int), cudaMemcpyHostToDevice, copies));
    });
  OK(cudaStreamSynchronize(kernels));
  for (std::thread& runner : runners) runner.join();
  int found = 0;
  OK(cudaMemcpy(&found, saw, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(found == 7);
  return 0;
}
