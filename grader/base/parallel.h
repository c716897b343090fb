// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace roofline::grader {

/// Calls work(begin, end) for pieces of [0, count) on all cores; small counts stay on the caller's thread.
/// The first exception of a piece is thrown again here.
template <class Work>
void parallel_chunks(std::size_t count, std::size_t chunk, const Work& work) {
  const std::size_t pieces = (count + chunk - 1) / chunk;
  const std::size_t threads =
      std::min<std::size_t>(pieces, std::max(1U, std::thread::hardware_concurrency()));
  if (threads <= 1) {
    if (count != 0) work(std::size_t{0}, count);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&] {
    try {
      for (std::size_t piece = next++; piece < pieces; piece = next++) {
        work(piece * chunk, std::min(count, (piece + 1) * chunk));
      }
    } catch (...) {
      const std::scoped_lock lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  others.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace roofline::grader
