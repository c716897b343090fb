// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A probe is an ordinary CUDA program that measures a GPU, real or simulated, and prints what it found in
// lines of
//   KIND key=value ... = FIGURE UNIT
// so that what a card says and what the model says of the same executable stand side by side.
#pragma once
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "../programs/expect.h"

namespace probe {

/// How often each time is taken; virtual time needs no second look (PROBE_SAMPLES=1).
inline int samples() {
  const char* asked = std::getenv("PROBE_SAMPLES");
  return asked != nullptr ? std::max(1, std::atoi(asked)) : 7;
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Device seconds of one call(), the median of samples(), each of `repeats` calls between two events.
template <typename Call>
double seconds(Call call, int repeats = 1, cudaStream_t stream = nullptr) {
  cudaEvent_t begin, end;
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  call();
  OK(cudaGetLastError());
  OK(cudaStreamSynchronize(stream));
  std::vector<double> all;
  for (int i = 0; i < samples(); ++i) {
    OK(cudaEventRecord(begin, stream));
    for (int k = 0; k < repeats; ++k) call();
    OK(cudaEventRecord(end, stream));
    OK(cudaEventSynchronize(end));
    float milliseconds = 0;
    OK(cudaEventElapsedTime(&milliseconds, begin, end));
    all.push_back(milliseconds * 1e-3 / repeats);
  }
  OK(cudaEventDestroy(begin));
  OK(cudaEventDestroy(end));
  return median(all);
}

/// Seconds of the host's clock for one call(), the median of samples().
template <typename Call>
double host_seconds(Call call) {
  std::vector<double> all;
  for (int i = 0; i < samples(); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(all);
}

inline void report(const std::string& what, double figure, const char* unit) {
  std::printf("%s = %.5g %s\n", what.c_str(), figure, unit);
  std::fflush(stdout);
}

inline std::string key(const char* name, double value) {
  char text[64];
  std::snprintf(text, sizeof text, " %s=%.12g", name, value);
  return text;
}
inline std::string key(const char* name, const std::string& value) {
  return std::string(" ") + name + "=" + value;
}

inline cudaDeviceProp device() {
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  return properties;
}

inline double clock_hz() {
  int kilohertz = 0;
  OK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  return kilohertz * 1e3;
}

/// Device memory that goes with the variable, filled with small numbers that are not all equal.
template <typename T>
class Array {
 public:
  explicit Array(size_t count) : count_(count) {
    OK(cudaMalloc(&data_, count * sizeof(T)));
    OK(cudaMemset(data_, 0, count * sizeof(T)));
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    OK(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  operator T*() const { return data_; }  // NOLINT: a pointer with an end
  size_t count() const { return count_; }
  std::vector<T> values() const {
    std::vector<T> all(count_);
    OK(cudaMemcpy(all.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return all;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

/// Cycles that an SM takes for a round, where launch(rounds) puts the same on every SM: by the time that more
/// rounds take more, so that neither the launch nor what comes before the loop is in it.
template <typename Launch>
double cycles_a_round(Launch launch, int rounds) {
  const double few = seconds([&] { launch(rounds); }), many = seconds([&] { launch(5 * rounds); });
  return (many - few) / (4 * rounds) * clock_hz();
}

}  // namespace probe
