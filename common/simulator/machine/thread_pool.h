// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace roofline::sim {

/// Threads that live as long as the device, each from when it is first needed. The caller works too: a pool
/// of n has n - 1 threads of its own.
class ThreadPool {
 public:
  /// 0: as many workers as there are cores.
  explicit ThreadPool(unsigned most);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// That can be at work at once.
  unsigned most() const { return most_; }
  /// Calls work(0) ... work(workers - 1), as many side by side as threads come to it, and waits for all. At
  /// most most() of them. `work` must not throw.
  void run(unsigned workers, const std::function<void(unsigned)>& work);

 private:
  void serve();

  const unsigned most_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned begun_ = 0, wanted_ = 0, ended_ = 0;  ///< of the present calls: work(0) is begun
  bool ending_ = false;
};

}  // namespace roofline::sim
