// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

/// Numbers for questions, drawn from a seed: what exams and quizzes share.
namespace roofline::grader {

/// What a data sheet says of a GPU that questions are about.
struct DrawnGpu {
  std::string name;
  double dram_gbps = 0, fp32_tflops = 0, tensor_tflops = 0, link_gbps = 0;
  unsigned sms = 0;
};

/// Numbers of one question. Not <random>'s distributions: they differ between standard libraries, and an
/// answer key must fit a paper that was printed elsewhere.
class Draw {
 public:
  /// `id`: of the question, so that one does not depend on the others. `gpus` must outlive this.
  Draw(std::uint64_t seed, const std::string& id, const std::vector<DrawnGpu>& gpus)
      : state_(seed), gpus_(gpus) {
    for (const char c : id) state_ = state_ * 1099511628211U + static_cast<unsigned char>(c);
  }

  template <typename T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[next() % choices.size()];
  }
  int one_of(std::initializer_list<int> choices) { return one_of(std::vector<int>(choices)); }
  int between(int low, int high) {
    return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  const DrawnGpu& gpu() { return one_of(gpus_); }

 private:
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
  const std::vector<DrawnGpu>& gpus_;
};

}  // namespace roofline::grader
