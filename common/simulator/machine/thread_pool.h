// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace roofline::sim {

/// Threads that live as long as the device. The caller works too: a pool of n has n - 1 threads of its own.
class ThreadPool {
 public:
  explicit ThreadPool(unsigned workers);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned workers() const { return static_cast<unsigned>(threads_.size()) + 1; }
  /// Calls work(0) ... work(workers() - 1), each on its own thread, and waits for all. `work` must not throw.
  void run(const std::function<void(unsigned)>& work);

 private:
  void serve(unsigned worker);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned long round_ = 0;
  unsigned busy_ = 0;
  bool ending_ = false;
};

}  // namespace roofline::sim
